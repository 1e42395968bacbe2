package dev.quorate.node.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Compresses at level 1, and with each flush completes what was written so far. */
final class FastGzip extends GZIPOutputStream {

    private static final int BUFFER_BYTES = 8_192;

    FastGzip(ByteArrayOutputStream out) throws IOException {
        super(out, BUFFER_BYTES, true);
        def.setLevel(Deflater.BEST_SPEED);
    }
}

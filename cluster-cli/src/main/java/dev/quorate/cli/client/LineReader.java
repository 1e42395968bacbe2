package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads lines of at most {@code maxBytes} bytes. */
final class LineReader {

    private final InputStream in;
    private final int maxBytes;
    private final byte[] bytes = new byte[65_536];
    private int at;

    /** The end of the bytes that were read. */
    private int end;

    LineReader(InputStream in, int maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /** The next line without its line feed, one character per byte; null at the end. */
    @Nullable String next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            int from = at;
            while (at < end && bytes[at] != '\n') {
                at++;
            }
            line.write(bytes, from, at - from);
            if (line.size() > maxBytes) {
                throw new IOException("a line has more than " + maxBytes + " bytes");
            }
            if (at < end) {
                at++;
                return line.toString(ISO_8859_1);
            }
            at = 0;
            end = Math.max(0, in.read(bytes));
            if (end == 0) {
                return line.size() == 0 ? null : line.toString(ISO_8859_1);
            }
        }
    }
}

package dev.quorate.cli.client;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A body in chunks; that it ends before its last one is an error. */
final class ChunkedBody extends InputStream {

    private static final int MAX_LINE_BYTES = 1_024;
    private static final int MAX_SIZE_DIGITS = 15;

    private final InputStream in;
    private @Nullable SizedBody chunk;
    private boolean ended;

    ChunkedBody(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            SizedBody current = chunk == null ? next() : chunk;
            chunk = current;
            int count = current.read(to, offset, length);
            if (count >= 0) {
                return count;
            }
            chunk = null;
            // The end of the line behind a chunk; behind the last one, of the trailers.
            requireEmptyLine();
        }
        return -1;
    }

    private SizedBody next() throws IOException {
        String line = line();
        int end = line.indexOf(';');
        String digits = (end < 0 ? line : line.substring(0, end)).strip();
        if (!digits.matches("[0-9a-fA-F]{1," + MAX_SIZE_DIGITS + "}")) {
            throw new IOException("a chunk of the answer has the size '" + digits + "'");
        }
        long size = Long.parseLong(digits, 16);
        ended = size == 0;
        return new SizedBody(in, size);
    }

    private void requireEmptyLine() throws IOException {
        String line = line();
        while (ended && !line.isEmpty()) {
            line = line();
        }
        if (!line.isEmpty()) {
            throw new IOException("a chunk of the answer is longer than its size");
        }
    }

    private String line() throws IOException {
        return NodeConnection.line(in, new int[] {MAX_LINE_BYTES});
    }
}

package dev.quorate.cli.client;

import java.io.IOException;
import java.io.InputStream;

/** So many bytes of a stream; that it ends before is an error. */
final class SizedBody extends InputStream {

    private final InputStream in;
    private long left;

    SizedBody(InputStream in, long length) throws IOException {
        if (length < 0) {
            throw new IOException("a length of " + length);
        }
        this.in = in;
        this.left = length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (left == 0) {
            return -1;
        }
        if (length == 0) {
            return 0;
        }
        int count = in.read(to, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new IOException("the answer breaks off");
        }
        left -= count;
        return count;
    }
}

package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads lines, one at a time, into a buffer that grows with the longest line. */
final class LineReader {

    private static final int FIRST_BYTES = 65_536;

    private final InputStream in;
    private final int maxBytes;
    private byte[] bytes = new byte[FIRST_BYTES];
    private int from;
    private int to;

    /** The end of the bytes that were read. */
    private int end;

    private int next;

    LineReader(InputStream in, int maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /** Reads the next line; false at the end. */
    boolean next() throws IOException {
        from = next;
        int searched = from;
        while (true) {
            for (int at = searched; at < end; at++) {
                if (bytes[at] == '\n') {
                    to = at;
                    next = at + 1;
                    return true;
                }
            }
            searched = end;
            if (end == bytes.length) {
                searched -= makeRoom();
            }
            int count = in.read(bytes, end, bytes.length - end);
            if (count < 0) {
                to = end;
                next = end;
                return to > from;
            }
            end += count;
        }
    }

    /** Moves the rest to the beginning, or grows the buffer. Returns the shift of positions. */
    private int makeRoom() throws IOException {
        int moved = from;
        if (moved > 0) {
            System.arraycopy(bytes, from, bytes, 0, end - from);
        } else if (bytes.length >= maxBytes) {
            throw new IOException("a line has more than " + maxBytes + " bytes");
        } else {
            bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, 2L * bytes.length));
        }
        from = 0;
        end -= moved;
        return moved;
    }

    /** The current line without its line feed; one character per byte. */
    String text() {
        return new String(bytes, from, to - from, ISO_8859_1);
    }
}

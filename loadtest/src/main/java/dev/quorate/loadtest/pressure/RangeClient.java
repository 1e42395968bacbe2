package dev.quorate.loadtest.pressure;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A client that reads all entities of the cluster, or begins to. */
final class RangeClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 60_000;
    private static final int PIECE_BYTES = 1 << 16;

    /** {@code HTTP/1.1 200}. */
    private static final int STATUS_BYTES = 12;

    private static final int DIGITS_AT = 9;
    private static final int SERVED = 200;

    /** Of a stalled reader: about the kernel's minimum. */
    private static final int SMALL_BUFFER_BYTES = 4_096;

    private final Socket socket = new Socket();
    private final InputStream in;
    private final byte[] piece = new byte[PIECE_BYTES];

    /** What was read last: a complete stream ends with the last chunk. */
    private final byte[] tail = new byte[5];

    private long read;

    RangeClient(InetSocketAddress node) throws IOException {
        this(node, false);
    }

    /** One that asks, and reads nothing by itself. */
    static RangeClient standing(InetSocketAddress node) throws IOException {
        return new RangeClient(node, true);
    }

    private RangeClient(InetSocketAddress node, boolean stands) throws IOException {
        if (stands) {
            socket.setReceiveBufferSize(SMALL_BUFFER_BYTES);
        }
        socket.connect(node, PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.getOutputStream()
                .write(
                        Requests.bytes(
                                        "GET /v0/entities?start=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                .array());
        in = socket.getInputStream();
    }

    /**
     * Whether the range begins, and is not refused: to be asked before anything is read.
     *
     * @throws IOException if the connection breaks before the status line
     */
    boolean isServed() throws IOException {
        byte[] line = in.readNBytes(STATUS_BYTES);
        read += line.length;
        if (line.length < STATUS_BYTES) {
            throw new EOFException("no answer");
        }
        String status = new String(line, US_ASCII).substring(DIGITS_AT);
        return status.equals(Integer.toString(SERVED));
    }

    /**
     * Reads at least so much, as fast as it comes, or to the end.
     *
     * @return all that was read so far
     * @throws EOFException if the connection ended before the range did
     */
    long read(long least) throws IOException {
        long until = read + least;
        while (read < until && !isComplete()) {
            int count = in.read(piece);
            if (count < 0) {
                throw new EOFException("the range was cut off after " + read + " bytes");
            }
            for (int i = Math.max(0, count - tail.length); i < count; i++) {
                System.arraycopy(tail, 1, tail, 0, tail.length - 1);
                tail[tail.length - 1] = piece[i];
            }
            read += count;
        }
        return read;
    }

    boolean isComplete() {
        return new String(tail, US_ASCII).equals("0\r\n\r\n");
    }

    /** Breaks the connection off, as of a process that dies. */
    void die() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

package dev.quorate.node.http;

import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A streamed answer in progress: frames what its source delivers and hands it to the connection.
 *
 * <p>Its fields belong to whoever delivers, of whom there is one at a time.
 */
final class ResponseStream implements StreamSink {

    /**
     * The kernel takes no more while so much waits in it to be sent. Its buffer grows to some
     * megabytes, and until it is full nobody sees that the client reads nothing.
     */
    static final int UNSENT_BYTES = 128 * 1024;

    /** The answer to a request whose handler has not taken a place for it, where there is none. */
    static final HttpResponse NO_PLACE =
            Problem.of(503, "Too many answers are being streamed. Try again later.")
                    .header("Retry-After: 1")
                    .response();

    private static final Logger LOG = LoggerFactory.getLogger(ResponseStream.class);

    /** Parts longer than this are sent from where they are. */
    private static final int COPIED_PART_BYTES = 8 * 1024;

    private static final int FIRST_BUFFER_BYTES = 1024;
    private static final byte[] LINE_END = {'\r', '\n'};
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** How a delivery ended. */
    enum Ending {
        MORE,
        END,
        ABORT
    }

    /** Takes what a source has delivered. */
    interface Receiver {
        void delivered(ResponseStream stream, List<byte[]> pieces, Ending ending);
    }

    private final Receiver receiver;
    final StreamSource source;
    final boolean isChunked;

    private byte[] buffer = new byte[0];
    private int count;
    private List<byte[]> pieces = new ArrayList<>();

    ResponseStream(Receiver receiver, StreamSource source, boolean isChunked) {
        this.receiver = receiver;
        this.source = source;
        this.isChunked = isChunked;
    }

    /** Asks the source for more; called without the connection's lock. */
    void pull() {
        try {
            source.pull(this);
        } catch (RuntimeException | Error e) {
            LOG.error("A streamed answer failed", e);
            abort();
        }
    }

    @Override
    public void chunk(byte[]... parts) {
        long size = 0;
        for (byte[] part : parts) {
            size += part.length;
        }
        if (size == 0) {
            return; // As a chunk it would be the last one.
        }
        if (isChunked) {
            append((Long.toHexString(size) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        }
        for (byte[] part : parts) {
            append(part);
        }
        if (isChunked) {
            append(LINE_END);
        }
    }

    private void append(byte[] part) {
        if (part.length > COPIED_PART_BYTES) {
            closePiece();
            pieces.add(part);
            return;
        }
        if (count + part.length > Output.LARGE_BYTES) {
            closePiece();
        }
        if (count + part.length > buffer.length) {
            int capacity = Math.max(count + part.length, 2 * buffer.length);
            capacity = Math.max(FIRST_BUFFER_BYTES, Math.min(capacity, Output.LARGE_BYTES));
            buffer = Arrays.copyOf(buffer, capacity);
        }
        System.arraycopy(part, 0, buffer, count, part.length);
        count += part.length;
    }

    private void closePiece() {
        if (count > 0) {
            pieces.add(count == buffer.length ? buffer : Arrays.copyOf(buffer, count));
            buffer = new byte[0];
            count = 0;
        }
    }

    @Override
    public void more() {
        deliver(Ending.MORE);
    }

    @Override
    public void end() {
        if (isChunked) {
            append(LAST_CHUNK);
        }
        deliver(Ending.END);
    }

    @Override
    public void abort() {
        deliver(Ending.ABORT);
    }

    private void deliver(Ending ending) {
        closePiece();
        List<byte[]> ready = pieces;
        pieces = new ArrayList<>();
        receiver.delivered(this, ready, ending);
    }
}

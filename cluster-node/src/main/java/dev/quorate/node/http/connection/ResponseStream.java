package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A streamed answer in progress: frames its source's chunks and passes them to the connection.
 *
 * <p>Its fields are used by the delivering thread, one at a time.
 */
final class ResponseStream implements StreamSink {

    /**
     * Maximum number of unsent bytes in the kernel. Its buffer could grow to megabytes, and until
     * it is full a client that reads nothing is not detected.
     */
    static final int UNSENT_BYTES = 128 * 1024;

    /** The answer if there is no place and the handler has not taken one. */
    static final HttpResponse NO_PLACE =
            Problem.busy("Too many answers are being streamed. Try again later.").response();

    private static final Logger LOG = LoggerFactory.getLogger(ResponseStream.class);

    /** Longer parts are sent without copying. */
    private static final int COPIED_PART_BYTES = 8 * 1024;

    private static final int FIRST_BUFFER_BYTES = 1024;
    private static final byte[] LINE_END = {'\r', '\n'};
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    enum Ending {
        MORE,
        END,
        ABORT
    }

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

    /** Pulls the source; called without the connection's lock. */
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
            return; // An empty chunk would end the answer.
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

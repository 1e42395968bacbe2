package dev.quorate.node.api.answer;

import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses the deliveries of another source, each by itself, so that the client can read all of
 * it, and no bytes remain in the compressor.
 */
final class GzipStream implements StreamSource {

    /** Pieces of this length count in the stream's place; a longer one is reserved by itself. */
    private static final int PIECE_BYTES = 32 << 10;

    private final StreamSource source;
    private final Executor executor;
    private final Runnable whenClosed;
    private final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    private final GZIPOutputStream gzip;

    // Guarded by this. The compressor has memory outside the heap, which is freed once.
    private boolean isCompressing;
    private boolean isClosed;

    /**
     * @param whenClosed runs once
     */
    GzipStream(StreamSource source, Executor executor, Runnable whenClosed) {
        this.source = source;
        this.executor = executor;
        this.whenClosed = whenClosed;
        try {
            gzip = new FastGzip(compressed);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // Writes to an array do not fail.
        }
    }

    @Override
    public void pull(StreamSink sink) {
        source.pull(new Delivery(sink));
    }

    @Override
    public void cutOff(String why) {
        source.cutOff(why);
    }

    @Override
    public void close() {
        boolean isUnused;
        synchronized (this) {
            isClosed = true;
            isUnused = !isCompressing;
        }
        if (isUnused) {
            free();
        }
        source.close();
        whenClosed.run();
    }

    private void free() {
        try {
            gzip.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized boolean begin() {
        isCompressing = !isClosed;
        return isCompressing;
    }

    /** Ends a compression; returns whether the stream was closed meanwhile. */
    private synchronized boolean finish() {
        isCompressing = false;
        return isClosed;
    }

    private byte[] compress(List<byte[]> parts, boolean isLast) {
        try {
            for (byte[] part : parts) {
                gzip.write(part);
            }
            if (isLast) {
                gzip.finish();
            } else {
                gzip.flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] bytes = compressed.toByteArray();
        compressed.reset();
        return bytes;
    }

    /** Collects one delivery of the source and compresses it. */
    private final class Delivery implements StreamSink {

        private final StreamSink sink;
        private final List<byte[]> parts = new ArrayList<>();

        Delivery(StreamSink sink) {
            this.sink = sink;
        }

        @Override
        public void chunk(byte[]... more) {
            parts.addAll(List.of(more));
        }

        @Override
        public void more() {
            pass(false);
        }

        @Override
        public void end() {
            pass(true);
        }

        @Override
        public void abort() {
            sink.abort();
        }

        private void pass(boolean isLast) {
            try {
                executor.execute(() -> deliver(isLast));
            } catch (RejectedExecutionException e) {
                sink.abort(); // The node is stopping.
            }
        }

        private void deliver(boolean isLast) {
            if (!begin()) {
                sink.abort();
                return;
            }
            byte[] bytes = compress(parts, isLast);
            if (finish()) {
                free();
                sink.abort();
                return;
            }
            write(bytes);
            if (isLast) {
                sink.end();
            } else {
                sink.more();
            }
        }

        private void write(byte[] bytes) {
            if (bytes.length > StreamSink.DELIVERY_BYTES) {
                sink.chunk(bytes);
                return;
            }
            for (int at = 0; at < bytes.length; at += PIECE_BYTES) {
                sink.chunk(Arrays.copyOfRange(bytes, at, Math.min(at + PIECE_BYTES, bytes.length)));
            }
        }
    }

    /** Compresses at level 1; each flush completes the bytes written so far. */
    static final class FastGzip extends GZIPOutputStream {

        FastGzip(ByteArrayOutputStream out) throws IOException {
            super(out, 8_192, true);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}

package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Sources of streamed answers. */
final class Streams {

    private Streams() {}

    /** Delivers each part with a pull of its own, at once. */
    static StreamSource of(String... parts) {
        Queue<String> left = new ArrayDeque<>(List.of(parts));
        return new StreamSource() {
            @Override
            public void pull(StreamSink sink) {
                String part = left.poll();
                if (part == null) {
                    sink.end();
                } else {
                    sink.chunk(part.getBytes(StandardCharsets.ISO_8859_1));
                    sink.more();
                }
            }

            @Override
            public void close() {}
        };
    }

    /** Never ends by itself; counts what it gave. */
    static final class Endless implements StreamSource {

        final AtomicLong bytes = new AtomicLong();
        final AtomicInteger closed = new AtomicInteger();
        final AtomicInteger pullsAfterClose = new AtomicInteger();
        private final byte[] chunk;
        private volatile boolean ends;

        Endless(int chunkBytes) {
            chunk = new byte[chunkBytes];
        }

        void endSoon() {
            ends = true;
        }

        @Override
        public void pull(StreamSink sink) {
            if (closed.get() > 0) {
                pullsAfterClose.incrementAndGet();
            }
            if (ends) {
                sink.end();
                return;
            }
            bytes.addAndGet(chunk.length);
            sink.chunk(chunk);
            sink.more();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }
}

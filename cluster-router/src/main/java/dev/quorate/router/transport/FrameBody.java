package dev.quorate.router.transport;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the parts of a frame as the body of a request. The JDK's publisher of byte arrays
 * copies everything before the first byte is sent, which is expensive for large values.
 *
 * <p>While open, the JDK's connections keep the request that opened them reachable, and thus this
 * body: so the sender must make it {@link #forget} the parts.
 */
final class FrameBody implements Flow.Publisher<ByteBuffer> {

    private static final int PIECE_BYTES = 64 << 10;

    /** Null once forgotten. */
    private volatile @Nullable List<byte[]> parts;

    /** Creates a body of nonempty parts. */
    FrameBody(List<byte[]> parts) {
        this.parts = parts;
    }

    /** Adapts this to a request of the HTTP client. */
    BodyPublisher publisher() {
        long bytes = 0;
        for (byte[] part : Objects.requireNonNull(parts)) {
            bytes += part.length;
        }
        return BodyPublishers.fromPublisher(this, bytes);
    }

    /** Frees the parts. A subscriber that then requests an unsent part fails. */
    void forget() {
        parts = null;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        List<byte[]> all = parts;
        // If the client resends a request whose parts were freed, the request fails.
        subscriber.onSubscribe(new Pieces(subscriber, all == null ? -1 : all.size()));
    }

    /** The remaining parts of one subscriber, which may request more from within {@code onNext}. */
    private final class Pieces implements Flow.Subscription {

        private final Flow.Subscriber<? super ByteBuffer> subscriber;

        /** Guards the fields below; not held while the subscriber is called. */
        private final Object lock = new Object();

        private final int count;
        private long wanted;
        private int part;
        private int offset;
        private boolean sending;
        private boolean over;

        Pieces(Flow.Subscriber<? super ByteBuffer> subscriber, int count) {
            this.subscriber = subscriber;
            this.count = count;
        }

        @Override
        public void request(long count) {
            if (count <= 0) {
                cancel();
                subscriber.onError(new IllegalArgumentException("request of " + count));
                return;
            }
            synchronized (lock) {
                wanted = wanted + count < 0 ? Long.MAX_VALUE : wanted + count;
                if (sending) {
                    return;
                }
                sending = true;
            }
            ByteBuffer piece = next();
            while (piece != null) {
                subscriber.onNext(piece);
                piece = next();
            }
        }

        private @Nullable ByteBuffer next() {
            List<byte[]> all = parts;
            boolean ends;
            synchronized (lock) {
                if (!over && wanted > 0 && all != null && part < count) {
                    wanted--;
                    return piece(all);
                }
                sending = false;
                ends = !over && (all == null || part == count);
                over |= ends;
            }
            if (ends && part == count) {
                subscriber.onComplete();
            } else if (ends) {
                subscriber.onError(new IOException("the exchange is over"));
            }
            return null;
        }

        private ByteBuffer piece(List<byte[]> parts) {
            byte[] bytes = parts.get(part);
            int length = Math.min(PIECE_BYTES, bytes.length - offset);
            ByteBuffer piece = ByteBuffer.wrap(bytes, offset, length).slice().asReadOnlyBuffer();
            offset += length;
            if (offset == bytes.length) {
                part++;
                offset = 0;
            }
            return piece;
        }

        @Override
        public void cancel() {
            synchronized (lock) {
                over = true;
            }
        }
    }
}

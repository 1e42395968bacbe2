package dev.quorate.node.transport;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the parts of a frame as the body of a request. The JDK's publisher of byte arrays
 * copies everything before the first byte is sent, which is expensive for large values.
 */
final class FrameBody implements Flow.Publisher<ByteBuffer> {

    private static final int PIECE_BYTES = 64 << 10;

    private final List<byte[]> parts;

    private FrameBody(List<byte[]> parts) {
        this.parts = parts;
    }

    /** A body of these parts, none of them empty. */
    static BodyPublisher of(List<byte[]> parts) {
        long bytes = 0;
        for (byte[] part : parts) {
            bytes += part.length;
        }
        return BodyPublishers.fromPublisher(new FrameBody(parts), bytes);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        subscriber.onSubscribe(new Pieces(subscriber));
    }

    /** The remaining parts of one subscriber, which may request more from within {@code onNext}. */
    private final class Pieces implements Flow.Subscription {

        private final Flow.Subscriber<? super ByteBuffer> subscriber;

        /** Guards the fields below, and is not held while the subscriber is called. */
        private final Object lock = new Object();

        private long wanted;
        private int part;
        private int offset;
        private boolean sending;
        private boolean over;

        Pieces(Flow.Subscriber<? super ByteBuffer> subscriber) {
            this.subscriber = subscriber;
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
            boolean complete;
            synchronized (lock) {
                if (!over && wanted > 0 && part < parts.size()) {
                    wanted--;
                    return piece();
                }
                sending = false;
                complete = !over && part == parts.size();
                over |= complete;
            }
            if (complete) {
                subscriber.onComplete();
            }
            return null;
        }

        private ByteBuffer piece() {
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

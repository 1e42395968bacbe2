package dev.quorate.node.transport;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.LongPredicate;

/**
 * Takes an answer's body straight into one array of the declared length: gathering buffers and
 * joining them would hold a large value twice.
 */
final class ReplyBody implements BodySubscriber<byte[]> {

    /** Longer answers need room to be reserved. */
    static final int LARGE_BYTES = 64 << 10;

    private final byte[] body;
    private int count;
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();

    private ReplyBody(int length) {
        body = new byte[length];
    }

    /**
     * Takes bodies that say how long they are.
     *
     * @param maxBytes longer ones are refused
     * @param reserve asked whether there is room for so many bytes; the rest is refused with {@link
     *     NoRoomException}
     */
    static BodyHandler<byte[]> handler(int maxBytes, LongPredicate reserve) {
        return head -> {
            long length = head.headers().firstValueAsLong("content-length").orElse(-1);
            if (length < 0 || length > maxBytes) {
                return new Refused(new IOException("an answer of " + length + " bytes"));
            }
            if (!reserve.test(length)) {
                return new Refused(new NoRoomException());
            }
            return new ReplyBody((int) length);
        };
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> pieces) {
        for (ByteBuffer piece : pieces) {
            int length = Math.min(piece.remaining(), body.length - count);
            piece.get(body, count, length);
            count += length;
        }
    }

    @Override
    public void onError(Throwable failure) {
        whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        if (count == body.length) {
            whole.complete(body);
        } else {
            whole.completeExceptionally(new IOException("the answer ended early"));
        }
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole;
    }

    /** Takes nothing, and so closes the connection. */
    private static final class Refused implements BodySubscriber<byte[]> {

        private final CompletableFuture<byte[]> failed;

        Refused(IOException why) {
            failed = CompletableFuture.failedFuture(why);
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.cancel();
        }

        @Override
        public void onNext(List<ByteBuffer> pieces) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onComplete() {}

        @Override
        public CompletionStage<byte[]> getBody() {
            return failed;
        }
    }
}

package dev.quorate.client;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** Reads a body into memory, up to a limit; what is longer is not read further. */
final class LimitedBody implements BodySubscriber<byte[]> {

    /** The body has more bytes than the client accepts. */
    static final class TooLargeException extends Exception {
        TooLargeException() {
            super("too large");
        }
    }

    private final long limitBytes;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final List<ByteBuffer> parts = new ArrayList<>();
    private int bytes;
    private @Nullable Subscription subscription;

    LimitedBody(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Subscription newSubscription) {
        subscription = newSubscription;
        newSubscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> more) {
        for (ByteBuffer part : more) {
            if (bytes + (long) part.remaining() > limitBytes) {
                parts.clear();
                if (subscription != null) {
                    subscription.cancel();
                }
                body.completeExceptionally(new TooLargeException());
                return;
            }
            bytes += part.remaining();
            parts.add(part);
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        byte[] whole = new byte[bytes];
        int at = 0;
        for (ByteBuffer part : parts) {
            int length = part.remaining();
            part.get(whole, at, length);
            at += length;
        }
        parts.clear();
        body.complete(whole);
    }
}

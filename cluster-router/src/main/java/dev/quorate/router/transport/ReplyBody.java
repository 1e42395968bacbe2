package dev.quorate.router.transport;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads a reply's body directly into one array of the declared length: joining buffers would need
 * twice the memory of a large value. For the same reason the reply is delivered here, and not
 * through the client's future, which the client retains until the exchange is complete.
 */
final class ReplyBody implements BodySubscriber<@Nullable Void> {

    private static final byte[] NONE = {};

    private final int status;
    private final Consumer<PeerLink.Reply> taker;
    private byte[] body;
    private int count;
    private final CompletableFuture<@Nullable Void> taken = new CompletableFuture<>();

    private ReplyBody(int status, int length, Consumer<PeerLink.Reply> taker) {
        this.status = status;
        this.taker = taker;
        body = new byte[length];
    }

    /**
     * Creates a handler of bodies with a declared length.
     *
     * @param maxBytes maximum length; longer bodies are refused
     * @param reserve reserves memory for a large body; false refuses it with {@link
     *     NoRoomException}
     * @param taker called with a complete body, on a thread of the client
     */
    static BodyHandler<@Nullable Void> handler(
            int maxBytes, LongPredicate reserve, Consumer<PeerLink.Reply> taker) {
        return head -> {
            long length = head.headers().firstValueAsLong("content-length").orElse(-1);
            IOException refused = null;
            if (length < 0 || length > maxBytes) {
                refused = new IOException("an answer of " + length + " bytes");
            } else if (length > PeerLink.LARGE_REPLY_BYTES && !reserve.test(length)) {
                refused = new NoRoomException();
            }
            ReplyBody body =
                    new ReplyBody(head.statusCode(), refused == null ? (int) length : 0, taker);
            if (refused != null) {
                body.taken.completeExceptionally(refused);
            }
            return body;
        };
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        if (taken.isDone()) {
            subscription.cancel(); // Refused: this closes the connection.
        } else {
            subscription.request(Long.MAX_VALUE);
        }
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
        body = NONE;
        taken.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        if (taken.isDone()) {
            return;
        }
        if (count == body.length) {
            PeerLink.Reply reply = new PeerLink.Reply(status, body);
            body = NONE;
            taker.accept(reply);
            taken.complete(null);
        } else {
            body = NONE;
            taken.completeExceptionally(new IOException("the answer ended early"));
        }
    }

    @Override
    public CompletionStage<@Nullable Void> getBody() {
        return taken;
    }
}

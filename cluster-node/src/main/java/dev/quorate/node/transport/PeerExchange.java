package dev.quorate.node.transport;

import dev.quorate.node.memory.ByteBudget;
import dev.quorate.node.message.Lane;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One batch of requests on its way to a peer and back.
 *
 * <p>The HTTP client may complete an exchange before the call that sends it returns: when it is
 * shut down, or the answer is very fast. Going on from there would nest each exchange in the call
 * stack of the one before. So {@link #send} says whether it is complete already, and then the
 * caller goes on; otherwise the completion does.
 */
final class PeerExchange {

    private enum Phase {
        SENDING,
        IN_FLIGHT,
        COMPLETE
    }

    final Lane lane;
    final List<PendingRequest> pending;

    /** When the last of its operations is past its deadline. */
    final long deadlineNanos;

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.SENDING);
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable CompletableFuture<HttpResponse<@Nullable Void>> future;

    /** The seal of what was sent, which the seal of the answer covers. */
    private byte[] requestSeal = {};

    /** Guarded by {@code this}, as is the next. */
    private long reservedBytes;

    private boolean released;

    /** How it ended. Written before {@link #phase} says that it is complete, and read after. */
    private @Nullable Reply reply;

    private @Nullable Throwable error;

    /** What came back. */
    record Reply(int status, byte[] body) {}

    PeerExchange(Lane lane, List<PendingRequest> pending, long deadlineNanos) {
        this.lane = lane;
        this.pending = pending;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Sends it.
     *
     * <p>The future that the client returns runs what depends on it in the common pool, whatever
     * executor the client was given. So an answer is taken where its body is complete, on the
     * client's selector thread, and the future serves to learn of failures and to cancel.
     *
     * @param maxReplyBytes longer answers are refused, and so are those for which {@code reserve}
     *     finds no room
     * @param whenComplete runs when it is complete, on one of the client's threads or that of
     *     {@link #cancel}, unless this returns true
     * @return whether it is complete already
     */
    boolean send(
            HttpClient client,
            HttpRequest request,
            byte[] seal,
            int maxReplyBytes,
            LongPredicate reserve,
            Runnable whenComplete) {
        requestSeal = seal;
        BodyHandler<@Nullable Void> taking =
                ReplyBody.handler(maxReplyBytes, reserve, reply -> end(reply, null, whenComplete));
        CompletableFuture<HttpResponse<@Nullable Void>> sent = client.sendAsync(request, taking);
        future = sent;
        var _ =
                sent.whenComplete(
                        (response, failure) -> {
                            if (failure != null) {
                                end(null, failure, whenComplete);
                            }
                        });
        return !phase.compareAndSet(Phase.SENDING, Phase.IN_FLIGHT);
    }

    private void end(@Nullable Reply got, @Nullable Throwable failure, Runnable whenComplete) {
        if (ended.compareAndSet(false, true)) {
            reply = got;
            error = failure;
            if (phase.getAndSet(Phase.COMPLETE) == Phase.IN_FLIGHT) {
                whenComplete.run();
            }
        }
    }

    /**
     * Takes bytes for a large value from the budget, until {@link #release}; false if there are
     * none, or the exchange is over.
     */
    synchronized boolean reserve(ByteBudget budget, long bytes) {
        if (released || !budget.tryReserve(bytes)) {
            return false;
        }
        reservedBytes += bytes;
        return true;
    }

    /** Gives back what was reserved. */
    synchronized void release(ByteBudget budget) {
        released = true;
        budget.release(reservedBytes);
        reservedBytes = 0;
    }

    /** Ends it without sending: nothing of it reached the peer. */
    void abandon(Throwable why) {
        error = why;
        phase.set(Phase.COMPLETE);
    }

    /** Closes its connection and completes it with an error, unless it is complete. */
    void cancel() {
        CompletableFuture<HttpResponse<@Nullable Void>> sent = future;
        if (sent != null) {
            sent.cancel(true);
        }
    }

    byte[] requestSeal() {
        return requestSeal;
    }

    /**
     * What came back; null if it failed. Only once it is complete, and only once: a large value is
     * not to stay here beside the copy that is made of it.
     */
    @Nullable Reply takeReply() {
        Reply taken = reply;
        reply = null;
        return taken;
    }

    /** Why it failed; null if something came back. Only once it is complete. */
    @Nullable Throwable error() {
        return error;
    }
}

package dev.quorate.router.transport;

import dev.quorate.router.message.Lane;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.transport.PeerLink.Receiver;
import dev.quorate.router.transport.PeerLink.Reply;
import dev.quorate.router.transport.PeerLink.Sent;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One batch of requests to a peer, and the reply.
 *
 * <p>A link may complete an exchange before the call that sends it returns: when it is shut down,
 * or the answer is very fast. Continuing from there would nest each exchange in the call stack of
 * the previous one. So {@link #send} returns whether the exchange is complete already. If it is,
 * the caller continues; otherwise the completion does.
 */
final class PeerExchange implements Receiver {

    private enum Phase {
        SENDING,
        IN_FLIGHT,
        COMPLETE
    }

    final Lane lane;

    /** The requests; empty once {@linkplain #forget forgotten}. */
    volatile List<PendingRequest> pending;

    /** The latest deadline of its operations. */
    final long deadlineNanos;

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.SENDING);
    private volatile @Nullable Sent sent;

    /** Whether a result was reported: a link may report both a reply and a cancellation. */
    private final AtomicBoolean hasEnded = new AtomicBoolean();

    /** Written before the exchange is passed to the link. */
    private Runnable whenComplete = () -> {};

    /** The seal of the request, which the seal of the answer covers. */
    private byte[] requestSeal = {};

    /** The seal of the last pass of this exchange; empty for none. */
    private volatile byte[] passSeal = {};

    /** The peer's life that the frames were encoded for. */
    private volatile long life;

    /** The memory budget of a large reply; null before the send and after the release. */
    private @Nullable ByteBudget budget;

    /** Guarded by {@code this}, like the budget. */
    private long reservedBytes;

    /** Used only by the thread that completes the exchange. */
    private boolean leavesAgain;

    /** The result. Written before {@link #phase} becomes complete, and read after. */
    private @Nullable Reply reply;

    private @Nullable Throwable error;

    PeerExchange(Lane lane, List<PendingRequest> pending, long deadlineNanos) {
        this.lane = lane;
        this.pending = pending;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Sends the exchange.
     *
     * @param seal the seal of the frame
     * @param largeReplies the memory budget of large replies
     * @param whenComplete runs on completion, on any thread, unless this method returns true
     * @return whether the exchange is complete already
     */
    boolean send(
            PeerLink link,
            PeerLink.Message message,
            byte[] seal,
            ByteBudget largeReplies,
            Runnable whenComplete) {
        requestSeal = seal;
        budget = largeReplies;
        this.whenComplete = whenComplete;
        sent = link.send(message, this);
        return !phase.compareAndSet(Phase.SENDING, Phase.IN_FLIGHT);
    }

    @Override
    public void received(Reply got) {
        end(got, null);
    }

    @Override
    public void failed(Throwable why) {
        end(null, why);
    }

    private void end(@Nullable Reply got, @Nullable Throwable failure) {
        if (!hasEnded.compareAndSet(false, true)) {
            return;
        }
        reply = got;
        error = failure;
        if (phase.getAndSet(Phase.COMPLETE) == Phase.IN_FLIGHT) {
            whenComplete.run();
        }
    }

    @Override
    public synchronized boolean reserve(long bytes) {
        if (budget == null || !budget.tryReserve(bytes)) {
            return false;
        }
        reservedBytes += bytes;
        return true;
    }

    /** Releases the memory of the reply; no more is reserved. */
    synchronized void release() {
        if (budget != null) {
            budget.release(reservedBytes);
            budget = null;
        }
    }

    /** Closes the connection and fails the exchange, unless it is complete. */
    void cancel() {
        Sent underWay = sent;
        if (underWay != null) {
            underWay.cancel();
        }
    }

    /** Frees the answered operations: the JDK's connections keep the exchange reachable. */
    void forget() {
        pending = List.of();
    }

    byte[] requestSeal() {
        return requestSeal;
    }

    void passedWith(byte[] seal) {
        passSeal = seal;
    }

    /** The seal of the pass, to which a refusal may be bound instead; empty for none. */
    byte[] passSeal() {
        return passSeal;
    }

    void meantFor(long recipientLife) {
        life = recipientLife;
    }

    long life() {
        return life;
    }

    /**
     * Notes that the peer executed nothing, because the frame was for another life: it is resent.
     */
    void refusedUndone() {
        leavesAgain = true;
    }

    boolean leavesAgain() {
        return leavesAgain;
    }

    /**
     * Removes and returns the reply; null on failure. Call it once, after completion: a large value
     * must not be in memory twice.
     */
    @Nullable Reply takeReply() {
        Reply taken = reply;
        reply = null;
        return taken;
    }

    /** The failure; null if there is a reply. Call it after completion. */
    @Nullable Throwable error() {
        return error;
    }
}

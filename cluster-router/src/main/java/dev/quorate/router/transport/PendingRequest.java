package dev.quorate.router.transport;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.topology.Topology;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operation, queued for a peer or in flight. The first answer completes it, or the deadline.
 */
final class PendingRequest {

    private static final Logger LOG = LoggerFactory.getLogger(PendingRequest.class);

    final ReplicaRequest request;

    /** The trace of the client's operation; null for none. */
    final @Nullable TraceParent trace;

    final int bytes;
    final long deadlineNanos;

    /** When it was queued, in {@code Ticker.nanos} time. */
    final long queuedNanos;

    /** Whether it is sent even to a peer that is considered down because of late answers. */
    final boolean insists;

    /**
     * Whether it is sent at once, and not only with others; see {@link AnswerCallback#isNeeded}.
     */
    final boolean isNeeded;

    /** The topology in which it was planned, and in which alone it is sent; null for any. */
    private final @Nullable Topology topology;

    private final AnswerCallback callback;
    private final AtomicBoolean complete = new AtomicBoolean();

    PendingRequest(
            ReplicaRequest request,
            long queuedNanos,
            long deadlineNanos,
            boolean insists,
            AnswerCallback callback) {
        this.request = request;
        this.trace = callback.trace();
        this.isNeeded = callback.isNeeded();
        this.topology = callback.topology();
        this.bytes = PeerCodec.requestBytes(inMessage());
        this.queuedNanos = queuedNanos;
        this.deadlineNanos = deadlineNanos;
        this.insists = insists;
        this.callback = callback;
    }

    /** The request to encode, with its trace if it has one. */
    ReplicaRequest inMessage() {
        return trace == null ? request : new ReplicaRequest.Traced(trace, request);
    }

    boolean mayBeSentIn(Topology current) {
        return topology == null || topology.fingerprint() == current.fingerprint();
    }

    void onSent(long nowNanos) {
        callback.onSent(nowNanos);
    }

    void complete(ReplicaAnswer answer) {
        if (complete.compareAndSet(false, true)) {
            try {
                callback.answered(answer);
            } catch (RuntimeException e) {
                // A bug in one operation must not affect the others of its batch.
                LOG.atError()
                        .setCause(e)
                        .addKeyValue("trace", trace == null ? "none" : trace.id())
                        .log("An operation failed while its answer was processed");
            }
        }
    }

    void fail(Failure reason, String detail) {
        complete(new Failed(reason, detail));
    }

    boolean isComplete() {
        return complete.get();
    }

    boolean isPast(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }
}

package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.TraceParent;
import org.jspecify.annotations.Nullable;

/** One request of an operation to one replica: its trace, and when it left this node. */
public abstract class AskedReplica implements AnswerCallback {

    /** The request has not left this node, or is for this node's own replica. */
    public static final long NOT_LEFT = 0;

    private final @Nullable TraceParent trace;
    private volatile long leftNanos = NOT_LEFT;

    /**
     * @param trace the trace of the client's request; null if it has none
     */
    protected AskedReplica(@Nullable TraceParent trace) {
        this.trace = trace;
    }

    @Override
    public final @Nullable TraceParent trace() {
        return trace;
    }

    /** If the request is resent, the later time is kept. */
    @Override
    public final void onSent(long nowNanos) {
        leftNanos = nowNanos;
    }

    /** When the request left this node, in {@code Ticker.nanos} time. */
    public final long leftNanos() {
        return leftNanos;
    }
}

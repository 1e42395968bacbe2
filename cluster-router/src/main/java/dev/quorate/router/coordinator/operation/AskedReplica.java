package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.TraceParent;
import org.jspecify.annotations.Nullable;

/** One question of an operation to one replica: what it sends along, and when it left. */
public abstract class AskedReplica implements AnswerCallback {

    /** It has not left, or there was nothing to wait for. */
    public static final long NOT_LEFT = 0;

    private final @Nullable TraceParent trace;
    private volatile long leftNanos = NOT_LEFT;

    /**
     * @param trace of the client's request; null without one
     */
    protected AskedReplica(@Nullable TraceParent trace) {
        this.trace = trace;
    }

    @Override
    public final @Nullable TraceParent trace() {
        return trace;
    }

    /** Of what is sent twice, the second time counts. */
    @Override
    public final void leaves(long nowNanos) {
        leftNanos = nowNanos;
    }

    /** When it left this node, in {@code Ticker.nanos} time. */
    public final long leftNanos() {
        return leftNanos;
    }
}

package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.topology.Topology;
import org.jspecify.annotations.Nullable;

/** One request of an operation to one replica: its view, and when it left this node. */
public abstract class AskedReplica implements AnswerCallback {

    /** The request has not left this node, or is for this node's own replica. */
    public static final long NOT_LEFT = 0;

    private final View view;
    private final @Nullable TraceParent trace;
    private volatile long leftNanos = NOT_LEFT;

    /**
     * @param view the view in which the operation was planned
     */
    protected AskedReplica(View view, @Nullable TraceParent trace) {
        this.view = view;
        this.trace = trace;
    }

    @Override
    public final Topology topology() {
        return view.topology();
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

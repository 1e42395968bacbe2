package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.topology.Topology;

/** One request of an operation to one replica: its view, and when it left this node. */
public abstract class AskedReplica implements AnswerCallback {

    /** The request has not left this node, or is for this node's own replica. */
    public static final long NOT_LEFT = 0;

    private volatile long leftNanos = NOT_LEFT;

    /** The view in which the operation was planned. */
    protected abstract View view();

    @Override
    public final Topology topology() {
        return view().topology();
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

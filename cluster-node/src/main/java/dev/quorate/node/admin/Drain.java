package dev.quorate.node.admin;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node tells load balancers and the other members to do without it: until an operator
 * ends the drain, or because it stops. It answers requests meanwhile. Thread-safe.
 */
public final class Drain {

    /** Announces to the other members whether this one is about to stop. */
    private final Consumer<Boolean> announcement;

    private volatile boolean isDrained;
    private volatile boolean isStopping;

    public Drain(Consumer<Boolean> announcement) {
        this.announcement = announcement;
    }

    /** Begins or ends the drain by an operator. A node that stops does so in any case. */
    public synchronized void set(boolean drained) {
        isDrained = drained;
        announcement.accept(drained || isStopping);
    }

    /** The node stops, which cannot be taken back. */
    public synchronized void stop() {
        isStopping = true;
        announcement.accept(true);
    }

    public boolean isDrained() {
        return isDrained;
    }

    public boolean isStopping() {
        return isStopping;
    }

    /** Why clients should use another node; null if they need not. */
    public @Nullable String reason() {
        if (isStopping) {
            return "the node is stopping";
        }
        return isDrained ? "the node is drained until DELETE /admin/drain" : null;
    }
}

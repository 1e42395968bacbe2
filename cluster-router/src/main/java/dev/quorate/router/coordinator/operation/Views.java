package dev.quorate.router.coordinator.operation;

import dev.quorate.router.ring.Placement;

/** The view of the epoch that this node uses now. */
public final class Views {

    private volatile View current;

    /**
     * @param lateReads decides which replicas are slow
     */
    public Views(ClusterReplicas members, LateReads lateReads) {
        Placement first = Placement.of(members.topology().current(), members.ring());
        this.current = new View(members, first, lateReads);
        members.topology().whenInstalled(next -> current = current.in(next));
    }

    public View current() {
        return current;
    }
}

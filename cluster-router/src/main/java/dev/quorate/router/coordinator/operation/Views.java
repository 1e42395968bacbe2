package dev.quorate.router.coordinator.operation;

/** The view of the epoch that this node uses now. */
public final class Views {

    private volatile View current;

    /**
     * @param lateReads decides which replicas are slow
     */
    public Views(ClusterReplicas members, LateReads lateReads) {
        this.current = View.of(members, lateReads);
        members.topology().whenInstalled(next -> current = current.in(next));
    }

    public View current() {
        return current;
    }
}

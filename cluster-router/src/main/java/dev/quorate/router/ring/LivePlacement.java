package dev.quorate.router.ring;

import dev.quorate.router.topology.LiveTopology;

/** The placement of the epoch that this node uses now. */
public final class LivePlacement {

    private volatile Placement current;

    /**
     * @param ring a ring for the current members, or for other ones
     */
    public LivePlacement(LiveTopology topology, Ring ring) {
        this.current = Placement.of(topology.current(), ring);
        topology.whenInstalled(next -> current = current.in(next));
    }

    public Placement current() {
        return current;
    }
}

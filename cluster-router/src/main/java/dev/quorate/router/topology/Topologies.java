package dev.quorate.router.topology;

import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The topology that this node uses now: that of its options, and later with the cluster's id. */
public final class Topologies {

    private volatile Topology current;
    private volatile Consumer<UUID> whenTold = id -> {};
    private final CopyOnWriteArrayList<Runnable> listeners = new CopyOnWriteArrayList<>();

    public Topologies(Topology first) {
        this.current = first;
    }

    public Topology current() {
        return current;
    }

    /** Uses the cluster id from now on. The caller has recorded it durably. */
    public void install(UUID cluster) {
        current = current.in(cluster);
        listeners.forEach(Runnable::run);
    }

    /** Adds a listener, called after each installation. */
    public void whenInstalled(Runnable listener) {
        listeners.add(listener);
    }

    /** Sets the receiver of a cluster id that a peer has and this node lacks. */
    public void whenTold(Consumer<UUID> receiver) {
        whenTold = receiver;
    }

    /** Notes the topology of a peer that has refused this node's. */
    public void toldOf(Topology theirs) {
        UUID cluster = theirs.cluster();
        Topology ours = current;
        if (cluster != null && ours.cluster() == null && ours.differsOnlyInMissingId(theirs)) {
            whenTold.accept(cluster);
        }
    }
}

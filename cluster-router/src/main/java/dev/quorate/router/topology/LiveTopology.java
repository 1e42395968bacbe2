package dev.quorate.router.topology;

import java.util.UUID;
import java.util.function.Consumer;

/** The topology that this node uses now: that of its options, and later with the cluster's id. */
public final class LiveTopology {

    private volatile Topology current;
    private volatile Consumer<UUID> whenTold = id -> {};
    private volatile Runnable whenInstalled = () -> {};

    public LiveTopology(Topology first) {
        this.current = first;
    }

    public Topology current() {
        return current;
    }

    /** Uses the cluster id from now on. The caller has recorded it durably. */
    public void install(UUID cluster) {
        current = current.in(cluster);
        whenInstalled.run();
    }

    /** Adds a listener, called after each installation. */
    public synchronized void whenInstalled(Runnable listener) {
        Runnable before = whenInstalled;
        whenInstalled =
                () -> {
                    before.run();
                    listener.run();
                };
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

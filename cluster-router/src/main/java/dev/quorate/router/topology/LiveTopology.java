package dev.quorate.router.topology;

import java.util.function.Consumer;

/** The topology that this node uses now. Its epoch never decreases. */
public final class LiveTopology {

    private volatile Topology current;
    private volatile Consumer<Topology> whenTold = next -> {};
    private volatile Consumer<Topology> beforeInstalled = next -> {};
    private volatile Consumer<Topology> whenInstalled = next -> {};

    public LiveTopology(Topology first) {
        this.current = first;
    }

    public Topology current() {
        return current;
    }

    /** Uses a later topology from now on. The caller has recorded it durably. */
    public void install(Topology next) {
        beforeInstalled.accept(next);
        current = next;
        whenInstalled.accept(next);
    }

    /**
     * Adds a listener, called before a topology is used: no request of its epoch is answered yet.
     */
    public synchronized void beforeInstalled(Consumer<Topology> listener) {
        beforeInstalled = beforeInstalled.andThen(listener);
    }

    /** Adds a listener, called after each installation. */
    public synchronized void whenInstalled(Consumer<Topology> listener) {
        whenInstalled = whenInstalled.andThen(listener);
    }

    /** Sets the receiver of a chosen topology that succeeds this node's. */
    public void whenTold(Consumer<Topology> receiver) {
        whenTold = receiver;
    }

    /** Notes the topology of a peer that has refused this node's. */
    public void toldOf(Topology theirs) {
        if (theirs.succeeds(current)) {
            whenTold.accept(theirs);
        }
    }
}

package dev.quorate.node;

/** A node that is up, as the command line sees it. */
public interface RunningNode {

    /** What the node is, where it listens, on what sockets, and what it recovered, in one line. */
    String description();

    /**
     * Stops: takes no more requests, lets those in flight end for as long as the drain timeout
     * allows, and closes the store. Returns when that is done. A second call does nothing.
     */
    void stop();
}

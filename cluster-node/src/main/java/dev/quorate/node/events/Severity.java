package dev.quorate.node.events;

/** How much an event matters to whoever runs the node. */
public enum Severity {
    /** The normal course of things. */
    INFO,
    /** Something is worse than it should be, and the cluster handles it. */
    WARNING,
    /** Somebody should act. */
    ERROR
}

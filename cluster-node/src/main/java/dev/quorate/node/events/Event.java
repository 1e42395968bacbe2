package dev.quorate.node.events;

/**
 * An event of this node.
 *
 * @param sequence grows with each event, also across restarts unless the clock was set back
 */
public record Event(long sequence, Happening happening) {}

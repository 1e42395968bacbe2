package dev.quorate.node.health;

/** What this node thinks of a peer. */
public enum PeerStanding {
    /** Nothing has been heard of it since this node started. */
    UNKNOWN,
    /** Its last exchange was answered. */
    UP,
    /** It does not answer. */
    DOWN,
    /** It answers, but refuses this node or is refused: another topology, secret or clock. */
    REFUSED
}

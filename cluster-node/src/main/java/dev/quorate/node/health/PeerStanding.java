package dev.quorate.node.health;

/** The state of a peer, as this node sees it. */
public enum PeerStanding {
    /** Nothing has come from it since this node started. */
    UNKNOWN,
    /** Its last exchange was answered. */
    UP,
    /** It does not answer. */
    DOWN,
    /** It answers, but refuses this node or is refused: another topology, secret or clock. */
    REFUSED
}

package dev.quorate.router.message;

/** The state of a peer, as this node sees it. The code is part of the protocol: never renumber. */
public enum PeerStanding {
    /** Nothing has arrived from it since this node started. */
    UNKNOWN(0),
    /** Its last exchange was answered. */
    UP(1),
    /** It does not answer. */
    DOWN(2),
    /** It answers, but one node refuses the other: its topology, secret or clock differs. */
    REFUSED(3);

    private final int code;

    PeerStanding(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}

package dev.quorate.router.message;

/**
 * Why an authentic exchange was refused as a whole. The code is part of the protocol: never
 * renumber.
 */
public enum RefusalReason {
    /** The topologies differ; the text is the canonical text of the refusing node's topology. */
    TOPOLOGY(1),
    /** The recipient is another member; the text is the refusing node's name. */
    RECIPIENT(2),
    /** The sender's clock is too far ahead. */
    CLOCK(3),
    /** An exchange with this number, or a much later one, was received before. */
    REPLAY(4),
    /** The exchange is for another life of the refusing node; the header has the current life. */
    LIFE(5);

    private final int code;

    RefusalReason(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}

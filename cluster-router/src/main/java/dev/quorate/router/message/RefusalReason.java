package dev.quorate.router.message;

import dev.quorate.storage.format.MalformedException;

/**
 * Why an authentic exchange was refused as a whole. The code is part of the protocol: never
 * renumber.
 */
public enum RefusalReason {
    /** The topologies differ; the text is the refusing node's canonical one. */
    TOPOLOGY(1),
    /** It was meant for another member; the text is the refusing node's name. */
    RECIPIENT(2),
    /** The sender's clock is too far ahead. */
    CLOCK(3),
    /** An exchange with this number, or a much later one, was received before. */
    REPLAY(4),
    /** It was sent to another life of the refusing node, whose current one is in the header. */
    LIFE(5);

    private final int code;

    RefusalReason(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static RefusalReason ofCode(int code) {
        return switch (code) {
            case 1 -> TOPOLOGY;
            case 2 -> RECIPIENT;
            case 3 -> CLOCK;
            case 4 -> REPLAY;
            case 5 -> LIFE;
            default -> throw new MalformedException("refusal reason " + code);
        };
    }
}

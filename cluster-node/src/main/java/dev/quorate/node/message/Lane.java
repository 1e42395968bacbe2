package dev.quorate.node.message;

import dev.quorate.storage.format.MalformedException;

/**
 * Kinds of traffic that do not wait for each other: each peer has one exchange in flight for each.
 * The wire carries the code: never renumber.
 */
public enum Lane {
    /** Reads of single keys: answered from memory as a rule. */
    READ(0),
    /** Writes of small values: answered when the peer's log is forced. */
    WRITE(1),
    /** Large values and pages of scans: they take long to send. */
    BULK(2),
    /** What replicas that differ send each other: it can wait, and clients do not wait for it. */
    REPAIR(3);

    private final int code;

    Lane(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** Whether large requests and answers travel in it. */
    public boolean takesLarge() {
        return switch (this) {
            case READ, WRITE -> false;
            case BULK, REPAIR -> true;
        };
    }

    static Lane ofCode(int code) {
        return switch (code) {
            case 0 -> READ;
            case 1 -> WRITE;
            case 2 -> BULK;
            case 3 -> REPAIR;
            default -> throw new MalformedException("lane " + code);
        };
    }
}

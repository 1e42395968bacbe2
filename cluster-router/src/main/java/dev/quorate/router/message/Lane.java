package dev.quorate.router.message;

/**
 * Kinds of traffic that do not wait for each other: each peer has one exchange in flight in each
 * lane. The code is part of the protocol: never renumber.
 */
public enum Lane {
    /** Reads of single keys, usually answered from memory. */
    READ(0),
    /** Writes of small values, answered after the peer's fsync. */
    WRITE(1),
    /** Large values and pages of scans, which take long to send. */
    BULK(2),
    /** Background traffic between replicas, which no client waits for. */
    REPAIR(3),
    /**
     * Announcements and topologies. Nothing in it is a vote on data, so members of different epochs
     * take its frames from each other.
     */
    CONTROL(4);

    private final int code;

    Lane(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** Whether the lane carries large requests and answers. */
    public boolean takesLarge() {
        return switch (this) {
            case READ, WRITE -> false;
            case BULK, REPAIR, CONTROL -> true;
        };
    }

    /** Whether clients wait for its answers. */
    public boolean isForClients() {
        return switch (this) {
            case READ, WRITE, BULK -> true;
            case REPAIR, CONTROL -> false;
        };
    }
}

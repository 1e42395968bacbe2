package dev.quorate.router.coordinator;

import dev.quorate.router.quorum.QuorumSpec;

/**
 * The HTTP status that the contract requires when each replica is either up or down. The oracle of
 * cluster tests.
 */
final class ExpectedStatus {

    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int ACCEPTED = 202;
    private static final int NOT_FOUND = 404;
    private static final int GATEWAY_TIMEOUT = 504;

    private ExpectedStatus() {}

    /**
     * The status of a PUT.
     *
     * @param liveReplicas how many of the first {@code from} replicas answer
     */
    static int ofPut(QuorumSpec spec, int liveReplicas) {
        return liveReplicas >= spec.ack() ? CREATED : GATEWAY_TIMEOUT;
    }

    /**
     * The status of a DELETE, whether or not the key exists.
     *
     * @param liveReplicas how many of the first {@code from} replicas answer
     */
    static int ofDelete(QuorumSpec spec, int liveReplicas) {
        return liveReplicas >= spec.ack() ? ACCEPTED : GATEWAY_TIMEOUT;
    }

    /**
     * The status of a GET.
     *
     * @param liveReplicas how many of the first {@code from} replicas answer
     * @param present whether the newest version among the answers is a value
     */
    static int ofGet(QuorumSpec spec, int liveReplicas, boolean present) {
        if (liveReplicas < spec.ack()) {
            return GATEWAY_TIMEOUT;
        }
        return present ? OK : NOT_FOUND;
    }
}

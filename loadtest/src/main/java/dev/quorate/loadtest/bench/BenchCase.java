package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.load.Load;
import java.util.Set;

/**
 * One figure of one cluster.
 *
 * @param name with that of its cluster; no two cases of a plan have the same
 * @param replicas {@code ack/from}
 * @param connections how many requests are under way at any time
 * @param valueBytes the size of a value, or of the static answer
 */
public record BenchCase(
        String name,
        Load.Operation operation,
        String replicas,
        int connections,
        int valueBytes,
        Rate rate) {

    /** The longest static answer: larger values are compared to that. */
    static final int MAX_STATIC_BYTES = 65_536;

    /** What a node answers that has no memory for a request now. */
    private static final int UNAVAILABLE = 503;

    /**
     * Statuses that are counted and shown. Values of which those of all connections do not fit into
     * a node may be refused.
     */
    Set<Integer> toleratedStatuses() {
        return valueBytes > MAX_STATIC_BYTES ? Set.of(UNAVAILABLE) : Set.of();
    }

    boolean isStatic() {
        return operation == Load.Operation.STATIC;
    }

    /** Whether keys have to be there. */
    boolean needsKeys() {
        return !isStatic();
    }

    /** Whether this is what the other is compared to: itself, if that is a static answer. */
    boolean isReferenceOf(BenchCase other) {
        return isStatic()
                && connections == other.connections
                && (valueBytes == other.valueBytes
                        || valueBytes == Math.min(other.valueBytes, MAX_STATIC_BYTES))
                && rate == other.rate;
    }

    /** Whether this determines half of the other's rate. */
    boolean isHighestOf(BenchCase other) {
        return rate == Rate.HIGHEST
                && other.rate == Rate.HALF
                && operation == other.operation
                && replicas.equals(other.replicas)
                && connections == other.connections
                && valueBytes == other.valueBytes;
    }
}

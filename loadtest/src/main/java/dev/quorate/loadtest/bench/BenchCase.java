package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.load.Load;

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
                && valueBytes == other.valueBytes
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

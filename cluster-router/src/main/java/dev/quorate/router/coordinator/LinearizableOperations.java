package dev.quorate.router.coordinator;

import dev.quorate.router.conditional.Request.Condition;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * A coordinator's operations, with each key as an atomic register.
 *
 * <p>A write first asks a majority for the newest timestamp, and is stamped above it. So it is
 * newer than everything that was acknowledged or returned before it began, and is never restamped.
 * A read stores what it returns at a majority, as every read at a majority does. This is the
 * register of Attiya, Bar-Noy and Dolev, <i>Sharing Memory Robustly in Message-Passing Systems</i>
 * (1995), for several writers, with the clock's node as the tie-break; it has no leader.
 *
 * <p>A write costs one more round to the replicas, a read nothing more.
 */
final class LinearizableOperations implements Operations {

    private final Operations operations;
    private final Writes writes;

    /**
     * @param operations for reads and for writes with a given version
     */
    LinearizableOperations(Operations operations, Writes writes) {
        this.operations = operations;
        this.writes = writes;
    }

    @Override
    public void read(byte[] key, QuorumSpec spec, OutcomeCallback callback) {
        requireMajority(spec);
        operations.read(key, spec, callback);
    }

    /**
     * A version given by the client is that of an earlier attempt, which has asked the majority.
     */
    @Override
    public void write(
            byte[] key,
            @Nullable NewValue value,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        requireMajority(spec);
        if (version == null) {
            writes.writeAboveAll(key, value, spec, callback);
        } else {
            operations.write(key, value, version, spec, callback);
        }
    }

    @Override
    public void writeIf(
            byte[] key,
            @Nullable NewValue value,
            Condition condition,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        operations.writeIf(key, value, condition, version, spec, callback);
    }

    @Override
    public ScanStream scan(
            Range range, QuorumSpec spec, ScanScope scope, @Nullable TraceParent trace) {
        throw new IllegalArgumentException("a range is no register");
    }

    @Override
    public void whenRoom(boolean isWrite, Runnable work) {
        operations.whenRoom(isWrite, work);
    }

    @Override
    public Operations linearizable() {
        return this;
    }

    private static void requireMajority(QuorumSpec spec) {
        if (!spec.isMajority()) {
            throw new IllegalArgumentException(spec + " is less than a majority");
        }
    }
}

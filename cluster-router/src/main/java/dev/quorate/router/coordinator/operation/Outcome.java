package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a client's operation ended. */
public sealed interface Outcome {

    /** A read found this live entry. */
    record Found(Entry entry) implements Outcome {}

    /**
     * A read found no live entry; {@code deletedAt} is the tombstone's timestamp if there is one.
     */
    record Missing(@Nullable Timestamp deletedAt) implements Outcome {}

    /** A write is durable on as many replicas as were asked for. */
    record Written(Timestamp timestamp) implements Outcome {}

    /**
     * Fewer replicas answered than were asked for. For a write this is indeterminate: {@code
     * accepted} replicas have it, and others may.
     *
     * @param timestamp the write's timestamp, with which it can be sent again; null for a read
     * @param explanation why: a failure is always explained
     */
    record QuorumFailed(
            @Nullable Timestamp timestamp,
            List<String> accepted,
            List<ReplicaFailure> failures,
            Explanation explanation)
            implements Outcome {
        public QuorumFailed {
            accepted = List.copyOf(accepted);
            failures = List.copyOf(failures);
        }

        /** Whether a replica was in a later epoch, so that the operation may succeed in it. */
        public boolean isStale() {
            return failures.stream().anyMatch(each -> each.reason() == Failure.STALE);
        }
    }

    /**
     * Nothing was written, and a retry is pointless: the version given by the client is so old that
     * tombstones newer than it may have been dropped. An earlier attempt under the same version may
     * have been stored; a read shows it.
     */
    record TooOld(Timestamp timestamp, Explanation explanation) implements Outcome {}

    /**
     * Another write, of another value or a delete, has the version given by the client. That write
     * is unchanged.
     */
    record VersionTaken(Timestamp timestamp, Explanation explanation) implements Outcome {}

    /**
     * A conditional write was not made, and never will be: its condition does not hold.
     *
     * @param current the version of the value that the key has instead; null if it has none, or if
     *     an earlier attempt of the same write was refused, and the version is unknown
     */
    record Unmet(@Nullable Timestamp current) implements Outcome {}

    /** A conditional write was not made, and never will be: the value is longer than it may be. */
    record TooLong(int valueBytes) implements Outcome {}

    /**
     * It is unknown whether a conditional write was made, and it may still be made. A retry with
     * {@code origin} as its version finishes the write and returns its outcome.
     */
    record Undecided(Timestamp origin, List<ReplicaFailure> failures, Explanation explanation)
            implements Outcome {
        public Undecided {
            failures = List.copyOf(failures);
        }
    }

    /**
     * Nothing was attempted: the version given by the client is further ahead than any clock of the
     * cluster may be.
     */
    record TooFarAhead(Timestamp timestamp, long aheadMillis) implements Outcome {}

    /** Nothing was changed: no majority of the owners has shown whether the condition holds. */
    record NotJudged(List<ReplicaFailure> failures, Explanation explanation) implements Outcome {}

    /** Nothing was attempted: the node is overloaded, stopping, or its disk is full. */
    record Refused(String reason, int retryAfterSeconds) implements Outcome {

        public static final Refused OVERLOAD = forNow("more is under way than can be done in time");

        /** Whether the only reason is that too many other operations are in progress. */
        public boolean isOverload() {
            return equals(OVERLOAD);
        }

        /** A refusal after which a retry in a second is worthwhile. */
        public static Refused forNow(String reason) {
            return new Refused(reason, 1);
        }
    }

    /** A replica that failed or refused. */
    record ReplicaFailure(String member, Failure reason, String detail) {}
}

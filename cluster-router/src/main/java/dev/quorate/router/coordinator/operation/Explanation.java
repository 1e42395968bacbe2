package dev.quorate.router.coordinator.operation;

import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why an operation had its outcome, as known when the client was answered: later answers are not
 * included.
 *
 * @param reasons sentences without a full stop: which rule decided, which entry won, what followed
 * @param rounds in the order in which they were begun; none if no replica was asked
 */
public record Explanation(List<String> reasons, List<Round> rounds) {

    /** The explanation of an operation about which nothing is known. */
    public static final Explanation NONE = new Explanation(List.of(), List.of());

    /** Explains the refusal of a version whose digest is that of another request. */
    public static final Explanation ANOTHER_REQUEST =
            new Explanation(
                    List.of("the version is that of a conditional write, and this is another"),
                    List.of());

    public Explanation {
        reasons = List.copyOf(reasons);
        rounds = List.copyOf(rounds);
    }

    /** What the replicas were asked for. */
    public enum Purpose {
        /** For their entry of the key. */
        READ,
        WRITE,
        /** To store what a read found elsewhere, before the client sees it. */
        REPAIR,
        /** For their entries of a range. */
        RANGE,
        /** For a promise, and their entry, before a conditional write. */
        PREPARE,
        /** To accept a conditional write, or that it is never made. */
        ACCEPT
    }

    /**
     * One request to several replicas.
     *
     * @param version the version of the write that was sent; null for reads
     * @param replies one for each of the replicas
     */
    public record Round(Purpose purpose, @Nullable Timestamp version, List<Reply> replies) {
        public Round {
            replies = List.copyOf(replies);
        }
    }

    /**
     * One replica's reply in a round.
     *
     * @param micros time from the beginning of the round to the answer, in microseconds; {@link
     *     #NO_TIME} without an answer
     * @param queuedMicros the part of {@code micros} for which the request waited on this node
     */
    public record Reply(String member, Result result, int micros, int queuedMicros) {

        /** A reply to a request that did not wait. */
        public Reply(String member, Result result, int micros) {
            this(member, result, micros, 0);
        }

        public static final int NO_TIME = -1;
    }

    /** The result of asking one replica. */
    public sealed interface Result {

        /**
         * The replica returned an entry.
         *
         * @param valueBytes the length of the value; 0 for a tombstone
         * @param expiresAtMillis in milliseconds since 1970, or {@link
         *     dev.quorate.storage.Entry#NEVER}
         */
        record Found(
                Timestamp version,
                boolean tombstone,
                int from,
                int valueBytes,
                long expiresAtMillis)
                implements Result {}

        /** It stored the write; {@code newest} is a later timestamp if it has a newer entry. */
        record Stored(Timestamp newest) implements Result {}

        /** It declined because another conditional write of the key came first. */
        record Declined(String detail) implements Result {}

        /** It has accepted a conditional write. */
        enum Accepted implements Result {
            ACCEPTED
        }

        /** It returned this number of entries of a range. */
        record Listed(int entries) implements Result {}

        record Failed(Failure reason, String detail) implements Result {}

        /** It was asked, and its answer was not awaited. */
        enum NotAwaited implements Result {
            NOT_AWAITED
        }

        /** It has no entry of the key. */
        enum Absent implements Result {
            ABSENT
        }

        /** It was not asked: the others had decided the outcome. */
        enum NotAsked implements Result {
            NOT_ASKED
        }
    }
}

package dev.quorate.node.coordinator;

import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an operation came to its outcome, as was known when its client was answered: what comes later
 * is not in it.
 *
 * @param reasons sentences without a full stop: which rule decided, what won by it, what followed
 * @param rounds in the order in which they were begun; none if no replica was asked
 */
public record Explanation(List<String> reasons, List<Round> rounds) {

    /** Where nothing is known of how it came about. */
    public static final Explanation NONE = new Explanation(List.of(), List.of());

    public Explanation {
        reasons = List.copyOf(reasons);
        rounds = List.copyOf(rounds);
    }

    /** What the replicas were asked for. */
    public enum Purpose {
        /** What they hold of the key. */
        READ,
        /** To keep a write. */
        WRITE,
        /** To keep what a read has found elsewhere, before it is shown. */
        REPAIR,
        /** What they hold of a range. */
        RANGE
    }

    /**
     * One question to several replicas at once.
     *
     * @param version what was sent to them; null if they were only asked
     * @param replies one for each of them
     */
    public record Round(Purpose purpose, @Nullable Timestamp version, List<Reply> replies) {
        public Round {
            replies = List.copyOf(replies);
        }
    }

    /**
     * One replica's part of a round.
     *
     * @param micros from the beginning of the round to its answer, in microseconds; {@link
     *     #NO_TIME} where there is none
     */
    public record Reply(String member, Told told, int micros) {

        public static final int NO_TIME = -1;
    }

    /** What a replica has said. */
    public sealed interface Told {

        /**
         * It holds an entry.
         *
         * @param valueBytes of the value; 0 for a tombstone
         * @param expiresAtMillis in milliseconds since 1970; {@link
         *     dev.quorate.storage.Entry#NEVER}
         */
        record Holds(
                Timestamp version,
                boolean tombstone,
                int from,
                int valueBytes,
                long expiresAtMillis)
                implements Told {}

        /** It keeps what it was sent; {@code newest} is later if it holds something newer. */
        record Keeps(Timestamp newest) implements Told {}

        /** It gave so many entries of a range. */
        record Listed(int entries) implements Told {}

        /** It did not do what it was asked. */
        record Failed(Failure reason, String detail) implements Told {}

        /** It was asked, and what it says was not waited for. */
        enum Awaited implements Told {
            AWAITED
        }

        /** It holds nothing of the key. */
        enum Nothing implements Told {
            NOTHING
        }

        /** It was not asked: the others had decided. */
        enum NotAsked implements Told {
            NOT_ASKED
        }
    }
}

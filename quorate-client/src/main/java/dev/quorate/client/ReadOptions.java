package dev.quorate.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a read. Immutable.
 *
 * @param replicas null for the cluster's default, a majority of three
 * @param isLinearizable whether the key is an atomic register; needs a majority
 * @param deadline of the whole operation; null for the client's default
 * @param hedgeAfter asks a second node if the first has not answered after this time; null for
 *     never
 * @param isExplained whether the entry contains each replica's answer, {@link Entry#explanation}
 */
public record ReadOptions(
        @Nullable Replicas replicas,
        boolean isLinearizable,
        @Nullable Duration deadline,
        @Nullable Duration hedgeAfter,
        boolean isExplained) {

    /** Default replicas and deadline, and no second request. */
    public static final ReadOptions DEFAULT = new ReadOptions(null, false, null, null, false);

    /**
     * @throws IllegalArgumentException if a time is not positive
     */
    public ReadOptions {
        requirePositive("deadline", deadline);
        requirePositive("hedgeAfter", hedgeAfter);
    }

    public ReadOptions replicas(int ack, int from) {
        var asked = new Replicas(ack, from);
        return new ReadOptions(asked, isLinearizable, deadline, hedgeAfter, isExplained);
    }

    public ReadOptions linearizable() {
        return new ReadOptions(replicas, true, deadline, hedgeAfter, isExplained);
    }

    public ReadOptions deadline(Duration newDeadline) {
        return new ReadOptions(replicas, isLinearizable, newDeadline, hedgeAfter, isExplained);
    }

    public ReadOptions hedgeAfter(Duration delay) {
        return new ReadOptions(replicas, isLinearizable, deadline, delay, isExplained);
    }

    /** Asks for each replica's answer, which takes the nodes more time. Only for {@code get}. */
    public ReadOptions explained() {
        return new ReadOptions(replicas, isLinearizable, deadline, hedgeAfter, true);
    }

    /** Throws if a time is not positive; null is permitted. */
    static void requirePositive(String name, @Nullable Duration time) {
        if (time != null && (time.isNegative() || time.isZero())) {
            throw new IllegalArgumentException(
                    "'" + name + "' must be more than no time, but is " + time + ".");
        }
    }

    /**
     * The number of replicas of a key, and the number of them that must agree.
     *
     * @param ack 1 to {@code from}
     * @param from 1 to the number of nodes, at most 32
     */
    public record Replicas(int ack, int from) {

        private static final int MAX_FROM = 32;

        /**
         * @throws IllegalArgumentException unless 1 ≤ ack ≤ from ≤ 32
         */
        public Replicas {
            if (from < 1 || from > MAX_FROM || ack < 1 || ack > from) {
                throw new IllegalArgumentException(
                        "It must be 1 <= ack <= from <= 32, and is " + ack + "/" + from + ".");
            }
        }

        /** {@code ack/from}. */
        @Override
        public String toString() {
            return ack + "/" + from;
        }
    }
}

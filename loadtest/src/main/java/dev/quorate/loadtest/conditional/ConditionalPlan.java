package dev.quorate.loadtest.conditional;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * Loads of three nodes, at {@code 2/3}.
 *
 * @param valueBytes of values that are no numbers
 */
public record ConditionalPlan(List<Case> cases, int valueBytes, Pace pace) {

    /** Of a cluster. */
    private static final int START_SECONDS = 15;

    private static final int MANY = 64;

    public ConditionalPlan {
        cases = List.copyOf(cases);
    }

    /** What each client does, again and again. */
    public enum Kind {
        /** Puts its own key. */
        PUT(""),
        /** The same with {@code consistency=linearizable}. */
        LINEARIZABLE_PUT("&consistency=linearizable"),
        /** The same with {@code If-Match}, and the tag of its last answer. */
        CONDITIONAL_PUT(""),
        /** Reads a number that all clients have in common, and puts the next with its tag. */
        INCREMENT("");

        private final String parameters;

        Kind(String parameters) {
            this.parameters = parameters;
        }

        String parameters() {
            return parameters;
        }
    }

    /**
     * One load.
     *
     * @param clients each with one connection and one request under way
     * @param nodes of ours that they use, by turns; 0 for the other store
     */
    public record Case(String name, Kind kind, int clients, int nodes) {

        boolean isElsewhere() {
            return nodes == 0;
        }
    }

    /**
     * How long and how often.
     *
     * @param warmUpSeconds of each case
     * @param seconds of each turn
     * @param turns of each case; all cases take turns
     */
    public record Pace(int warmUpSeconds, int seconds, int turns) {}

    /** Our cases. The first is what the others are compared to. */
    public static List<Case> ours() {
        return List.of(
                new Case("PUT 2/3", Kind.PUT, MANY, 1),
                new Case("PUT 2/3 linearizable", Kind.LINEARIZABLE_PUT, MANY, 1),
                new Case("PUT 2/3 If-Match", Kind.CONDITIONAL_PUT, MANY, 1),
                increment(1, 1),
                increment(2, 3),
                increment(16, 3),
                increment(64, 3),
                increment(64, 1));
    }

    /** The same of an etcd. Its reads and writes are linearizable. */
    public static List<Case> etcd() {
        return List.of(
                new Case("etcd put", Kind.PUT, MANY, 0),
                new Case("etcd put if version", Kind.CONDITIONAL_PUT, MANY, 0),
                new Case("etcd increments, 1 client", Kind.INCREMENT, 1, 0),
                new Case("etcd increments, 64 clients", Kind.INCREMENT, MANY, 0));
    }

    private static Case increment(int clients, int nodes) {
        String name =
                "increments, %d client%s%s"
                        .formatted(
                                clients,
                                clients == 1 ? "" : "s",
                                nodes == 1 ? "" : " of " + nodes + " nodes");
        return new Case(name, Kind.INCREMENT, clients, nodes);
    }

    /** The same with the cases that are wanted. */
    public ConditionalPlan only(Predicate<Case> wanted) {
        return new ConditionalPlan(cases.stream().filter(wanted).toList(), valueBytes, pace);
    }

    /** How long it takes where the cluster starts without delay. */
    public Duration expected() {
        int each = pace.warmUpSeconds() + pace.turns() * pace.seconds();
        return Duration.ofSeconds(START_SECONDS + (long) cases.size() * each);
    }
}

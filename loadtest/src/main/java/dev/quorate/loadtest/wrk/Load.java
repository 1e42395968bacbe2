package dev.quorate.loadtest.wrk;

import java.util.Set;

/**
 * What the load generator is to send, and how.
 *
 * @param url {@code http://host:port} of a node
 * @param seconds how long; at a fixed rate, how long what counts takes
 * @param rate requests a second, or 0 for as many as the answers allow
 */
public record Load(String url, Requests requests, Manner manner, int seconds, int rate) {

    /** As many requests as the answers allow. */
    public static Load unbounded(String url, Requests requests, Manner manner, int seconds) {
        return new Load(url, requests, manner, seconds, 0);
    }

    /** Which keys are taken, and what is looked at. */
    public enum Manner {
        /** All keys in order, round and round; answers are looked at, which slows things down. */
        EVERY_KEY,
        /** Keys at random; each answer's status and body are looked at. */
        CHECKED,
        /** Keys at random, and as little work for the load generator as can be. */
        TIMED;

        /** Whether the answers are counted by status, and bodies compared. */
        public boolean checks() {
            return this != TIMED;
        }
    }

    /**
     * The requests.
     *
     * @param replicas {@code ack/from}
     * @param keys how many keys there are
     * @param valueBytes the size of a value, and of the static answer
     * @param connections how many requests are under way at any time
     */
    public record Requests(
            Operation operation, String replicas, int keys, int valueBytes, int connections) {}

    /** What a request is, and how it is to be answered. */
    public enum Operation {
        /** A page that the node can answer without doing anything. */
        STATIC("static"),
        /** A GET of a key that is there. */
        GET("get"),
        /** A GET of a key that is not there, among those that are. */
        GET_ABSENT("get-absent"),
        /** A PUT of a key that is there already, and of the value that it has. */
        PUT("put"),
        /** A DELETE of any of the keys, which may be gone already. */
        DELETE("delete"),
        /** GET and PUT by turns. */
        MIXED("mixed");

        private final String word;

        Operation(String word) {
            this.word = word;
        }

        /** The statuses of all answers, if all is well. */
        public Set<Integer> expectedStatuses() {
            return switch (this) {
                case STATIC, GET -> Set.of(200);
                case GET_ABSENT -> Set.of(404);
                case PUT -> Set.of(201);
                case DELETE -> Set.of(202);
                case MIXED -> Set.of(200, 201);
            };
        }

        String word() {
            return word;
        }
    }
}

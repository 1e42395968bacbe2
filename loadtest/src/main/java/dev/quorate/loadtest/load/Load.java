package dev.quorate.loadtest.load;

import java.util.Set;

/**
 * A load for a load generator.
 *
 * @param url {@code http://host:port} of a node
 */
public record Load(String url, Requests requests, Clients clients, Manner manner, Timing timing) {

    /** A load without a fixed rate and without a warm-up. */
    public static Load unbounded(
            String url, Requests requests, Clients clients, Manner manner, int seconds) {
        return new Load(url, requests, clients, manner, new Timing(0, seconds, 0));
    }

    /** Whether the keys are requested in order instead of at random. */
    public boolean inOrder() {
        return manner == Manner.EVERY_KEY || requests.operation() == Operation.GET_ONCE;
    }

    /** The order of keys, and the checks of answers. */
    public enum Manner {
        /** All keys in order, with checks of all answers. Ends after the last key. */
        EVERY_KEY,
        /** Random keys, with checks of all answers. */
        CHECKED,
        /** Random keys, with checks of a sample of the answers. */
        TIMED;

        /** Whether the bodies of all answers are compared. */
        public boolean checks() {
            return this != TIMED;
        }
    }

    /**
     * The requests of a load.
     *
     * @param valueBytes the size of a value, and of the static answer
     * @param series distinguishes the keys of {@link Operation#PUT_NEW} from those of other loads
     */
    public record Requests(
            Operation operation, String replicas, Api api, int keys, int valueBytes, int series) {

        public static Requests of(Operation operation, String replicas, int keys, int valueBytes) {
            return new Requests(operation, replicas, Api.REPLICAS, keys, valueBytes, 0);
        }

        /** The statuses of correct answers. */
        public Set<Integer> expectedStatuses() {
            return operation.expectedStatuses();
        }

        /** The quorum as a part of a query string. */
        public String query() {
            return api.query(replicas);
        }
    }

    /**
     * The clients of a load.
     *
     * @param threads the threads of the load generator, which share the connections
     * @param connections each has one outstanding request at a time
     */
    public record Clients(int threads, int connections) {

        /** Leaves the nodes enough of a machine with two processors. */
        private static final int USUAL_THREADS = 2;

        public Clients {
            if (threads < 1 || connections < threads) {
                throw new IllegalArgumentException(
                        threads + " threads with " + connections + " connections");
            }
        }

        /** A number of connections with two threads. */
        public static Clients of(int connections) {
            return new Clients(Math.clamp(connections, 1, USUAL_THREADS), connections);
        }
    }

    /**
     * The duration and the rate of a load.
     *
     * @param warmUpSeconds the time before the measurement
     * @param seconds the time of the measurement
     * @param rate requests a second; 0 sends each request after the answer to the previous one
     */
    public record Timing(int warmUpSeconds, int seconds, int rate) {}

    public enum Api {
        /** {@code replicas=2/3}. */
        REPLICAS,
        /** {@code ack=2&from=3}. */
        ACK_FROM;

        private String query(String replicas) {
            return switch (this) {
                case REPLICAS -> "replicas=" + replicas;
                case ACK_FROM -> "ack=" + replicas.replace("/", "&from=");
            };
        }
    }

    public enum Operation {
        /** A page that the node answers without any work. */
        STATIC,
        /** A GET of a random stored key. */
        GET,
        /** A GET of the stored keys in order. */
        GET_ONCE,
        /** A GET of an absent key between the stored keys. */
        GET_ABSENT,
        /** A PUT of a random stored key with its current value. */
        PUT,
        PUT_NEW,
        /**
         * A PUT with {@code If-Match} and the tag of the connection's last answer; the first is
         * unconditional. Each connection has its own key.
         */
        PUT_IF_MATCH,
        /** A DELETE of a random key, which may already be deleted. */
        DELETE,
        MIXED,
        /** A read of all stored keys as a range. */
        RANGE;

        /** The statuses of correct answers. */
        public Set<Integer> expectedStatuses() {
            return switch (this) {
                case STATIC, GET, GET_ONCE, RANGE -> Set.of(200);
                case GET_ABSENT -> Set.of(404);
                case PUT, PUT_NEW, PUT_IF_MATCH -> Set.of(201);
                case DELETE -> Set.of(202);
                case MIXED -> Set.of(200, 201);
            };
        }
    }
}

package dev.quorate.loadtest.load;

import java.util.Set;

/**
 * What a load generator is to send, and how.
 *
 * @param url {@code http://host:port} of a node
 */
public record Load(String url, Requests requests, Clients clients, Manner manner, Timing timing) {

    /** As many requests as the answers allow, and all of them count. */
    public static Load unbounded(
            String url, Requests requests, Clients clients, Manner manner, int seconds) {
        return new Load(url, requests, clients, manner, new Timing(0, seconds, 0));
    }

    /** Whether the keys come in order, rather than at random. */
    public boolean inOrder() {
        return manner == Manner.EVERY_KEY || requests.operation() == Operation.GET_ONCE;
    }

    /** Which keys are taken, and what is looked at. */
    public enum Manner {
        /**
         * All keys in order; answers are looked at, which slows things down. A load generator may
         * end as soon as every key was answered, or go on with the first.
         */
        EVERY_KEY,
        /** Each answer's status and body are looked at. */
        CHECKED,
        /** As little work for the load generator as can be. */
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
     * @param series sets the keys of {@link Operation#PUT_NEW} apart from those of other loads: two
     *     loads with the same number write the same keys
     */
    public record Requests(
            Operation operation, String replicas, Api api, int keys, int valueBytes, int series) {

        /** Requests to our own server, none of which puts new keys. */
        public static Requests of(Operation operation, String replicas, int keys, int valueBytes) {
            return new Requests(operation, replicas, Api.REPLICAS, keys, valueBytes, 0);
        }

        /** The statuses of all answers, if all is well. */
        public Set<Integer> expectedStatuses() {
            return api == Api.ETCD ? Set.of(200) : operation.expectedStatuses();
        }

        /** How many replicas have to answer, as a part of a query string. */
        public String query() {
            return api.query(replicas);
        }
    }

    /**
     * Who sends them.
     *
     * @param threads of the load generator, which share the connections
     * @param connections each with one request under way at a time
     */
    public record Clients(int threads, int connections) {

        /** As many as leave a machine of two processors something for the nodes. */
        private static final int USUAL_THREADS = 2;

        public Clients {
            if (threads < 1 || connections < threads) {
                throw new IllegalArgumentException(
                        threads + " threads with " + connections + " connections");
            }
        }

        /** So many connections, and two threads. */
        public static Clients of(int connections) {
            return new Clients(Math.clamp(connections, 1, USUAL_THREADS), connections);
        }
    }

    /**
     * How long and how fast.
     *
     * @param warmUpSeconds before anything counts; a load generator may need more
     * @param seconds that count
     * @param rate requests a second, or 0 for as many as the answers allow
     */
    public record Timing(int warmUpSeconds, int seconds, int rate) {}

    /** What a server understands: a form of the quorum, or requests of another kind. */
    public enum Api {
        /** {@code replicas=2/3}. */
        REPLICAS,
        /** {@code ack=2&from=3}. */
        ACK_FROM,
        /** The JSON gateway of etcd, for GET and PUT: reads are linearizable. */
        ETCD,
        /** RESP, for GET and SET. An answer has the status that ours would have. */
        REDIS;

        /** Whether a server has our paths. */
        public boolean isOurs() {
            return this == REPLICAS || this == ACK_FROM;
        }

        private String query(String replicas) {
            return switch (this) {
                case REPLICAS -> "replicas=" + replicas;
                case ACK_FROM -> "ack=" + replicas.replace("/", "&from=");
                case ETCD, REDIS -> "";
            };
        }
    }

    /** What a request is, and how it is to be answered. */
    public enum Operation {
        /** A page that the node can answer without doing anything. */
        STATIC,
        /** A GET of a key that is there, at random. */
        GET,
        /** A GET of a key that is there; none comes again before all came. */
        GET_ONCE,
        /** A GET of a key that is not there, among those that are. */
        GET_ABSENT,
        /** A PUT of a key that is there already, and of the value that it has. */
        PUT,
        /** A PUT of a key that was never there; each has another one. */
        PUT_NEW,
        /**
         * A PUT with {@code If-Match} and the tag of the connection's last answer; the first is
         * unconditional. Each connection has a key of its own.
         */
        PUT_IF_MATCH,
        /** A DELETE of any of the keys, which may be gone already. */
        DELETE,
        /** GET and PUT by turns. */
        MIXED,
        /** A range of all keys that are there. */
        RANGE;

        /** Whether etcd and Redis have it too. */
        public boolean isCommon() {
            return switch (this) {
                case GET, GET_ONCE, PUT, MIXED -> true;
                case STATIC, GET_ABSENT, PUT_NEW, PUT_IF_MATCH, DELETE, RANGE -> false;
            };
        }

        /** The statuses of all answers, if all is well. */
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

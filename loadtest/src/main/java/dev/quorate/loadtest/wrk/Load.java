package dev.quorate.loadtest.wrk;

/**
 * What wrk is to send.
 *
 * @param url {@code http://host:port} of a node
 * @param operation what every request is
 * @param replicas {@code ack/from}
 * @param keys how many keys there are
 * @param valueBytes the size of a value that is put
 * @param connections how many requests are under way at any time
 * @param seconds how long
 * @param inOrder whether all keys are sent in order, round and round, rather than keys at random
 * @param checked whether to count the answers by status, which slows wrk down; needed to know how
 *     far a load in order got
 */
public record Load(
        String url,
        Operation operation,
        String replicas,
        int keys,
        int valueBytes,
        int connections,
        int seconds,
        boolean inOrder,
        boolean checked) {

    /** What a request is, and how it is to be answered. */
    public enum Operation {
        /** {@code GET /v0/status}: what the node can answer without doing anything. */
        STATIC("static", 200),
        /** A GET of a key that is there. */
        GET("get", 200),
        /** A PUT of a key that is there already. */
        PUT("put", 201);

        private final String word;
        private final int expectedStatus;

        Operation(String word, int expectedStatus) {
            this.word = word;
            this.expectedStatus = expectedStatus;
        }

        /** The status of every answer, if all is well. */
        public int expectedStatus() {
            return expectedStatus;
        }

        String word() {
            return word;
        }
    }
}

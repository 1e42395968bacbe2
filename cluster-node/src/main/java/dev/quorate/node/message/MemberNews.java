package dev.quorate.node.message;

/**
 * What members tell each other of themselves.
 *
 * @param life drawn when the process started: another one is another process
 * @param condition of its data
 * @param bytes about how many it has on disk
 * @param wallMillis its wall clock, in milliseconds since 1970
 * @param completeMillis it has every entry that it is to have and that was written before, in
 *     milliseconds since 1970; 0 if that is not known
 * @param settledMillis every member has every entry that it is to have and that was written before,
 *     in milliseconds since 1970; 0 if that is not known
 */
public record MemberNews(
        long life,
        Condition condition,
        long bytes,
        long wallMillis,
        long completeMillis,
        long settledMillis) {

    /** How much a member's data is worth. The wire carries the code: never renumber. */
    public enum Condition {
        /** It began with an empty directory, and does not know yet whether the cluster did. */
        EMPTY(1),
        /** It began with an empty directory a moment ago, together with a majority. */
        FOUNDING(2),
        /** It began with an empty directory, and fetches from the others what it has to have. */
        REBUILDING(3),
        /** Whatever it acknowledged it has. */
        WHOLE(4);

        private final int code;

        Condition(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        /**
         * Whether what it does not have was never acknowledged by it, so that its answers count.
         */
        public boolean votes() {
            return this == FOUNDING || this == WHOLE;
        }
    }
}

package dev.quorate.node.message;

import java.util.List;

/**
 * What members tell each other of themselves.
 *
 * @param life drawn when the process started: another one is another process
 * @param condition of its data
 * @param bytes about how many it has on disk
 * @param wallMillis its wall clock, in milliseconds since 1970
 * @param completeMillis it has every entry that it is to have and that was written before, in
 *     milliseconds since 1970; 0 if that is not known
 * @param gcWatermarkMillis every member has every entry that it is to have and that was written
 *     before, in milliseconds since 1970; 0 if that is not known
 * @param begunAt the generation that it found on its disk
 * @param generation how far it has come, durably: grows with each start, and while it votes
 * @param known how far others have come, as it has on its disk; at most {@link #MAX_KNOWN}
 */
public record MemberState(
        long life,
        Condition condition,
        long bytes,
        long wallMillis,
        long completeMillis,
        long gcWatermarkMillis,
        long begunAt,
        long generation,
        List<KnownLife> known) {

    /** As many as a topology may have members. */
    public static final int MAX_KNOWN = 64;

    public MemberState {
        known = List.copyOf(known);
        if (known.size() > MAX_KNOWN) {
            throw new IllegalArgumentException(known.size() + " lives");
        }
    }

    /** The state of a member that knows of no lives. */
    public MemberState(
            long life,
            Condition condition,
            long bytes,
            long wallMillis,
            long completeMillis,
            long gcWatermarkMillis) {
        this(
                life,
                condition,
                bytes,
                wallMillis,
                completeMillis,
                gcWatermarkMillis,
                0,
                0,
                List.of());
    }

    /** How much a member's data is worth. The wire carries the code: never renumber. */
    public enum Condition {
        /** It began with an empty directory, and does not know yet whether the cluster did. */
        EMPTY(1),
        /** It began with an empty directory a moment ago, together with a majority. */
        FOUNDING(2),
        /** It lost what it had, in whole or in part, and fetches it from the others. */
        REBUILDING(3),
        /** Whatever it acknowledged it has. */
        WHOLE(4),
        /** It has a past, and has not heard yet whether its directory is an old copy. */
        RETURNING(5);

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

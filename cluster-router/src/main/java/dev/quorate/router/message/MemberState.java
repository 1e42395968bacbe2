package dev.quorate.router.message;

import java.util.List;

/**
 * The state that a member announces to the others.
 *
 * @param life random, drawn when the process started
 * @param condition of its data
 * @param bytes about the bytes that it has on disk
 * @param wallMillis its wall clock, in milliseconds since 1970
 * @param completeMillis it has every entry that it owns and that was written before, in
 *     milliseconds since 1970; 0 if unknown
 * @param gcWatermarkMillis every member has every entry that it owns and that was written before,
 *     in milliseconds since 1970; 0 if unknown
 * @param begunAt the generation that it found on its disk
 * @param generation its generation, durably: grows with each start, and while it votes
 * @param known the others' generations, as on its disk; at most {@link #MAX_KNOWN}
 * @param sees the others, as it sees them; at most {@link #MAX_KNOWN}
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
        List<KnownLife> known,
        List<PeerView> sees) {

    /** The most members of a topology. */
    public static final int MAX_KNOWN = 64;

    public MemberState {
        known = List.copyOf(known);
        sees = List.copyOf(sees);
        if (known.size() > MAX_KNOWN || sees.size() > MAX_KNOWN) {
            throw new IllegalArgumentException(known.size() + " lives, " + sees.size() + " peers");
        }
    }

    /** The condition of a member's data. The code is part of the protocol: never renumber. */
    public enum Condition {
        /** It began with an empty directory, and does not know yet whether the cluster did. */
        EMPTY(1),
        /** It began with an empty directory a moment ago, together with a majority. */
        FOUNDING(2),
        /** It lost data, in whole or in part, and fetches it from the others. */
        REBUILDING(3),
        /** It has whatever it acknowledged. */
        WHOLE(4),
        /** It has data, and does not know yet whether its directory is an old copy. */
        RETURNING(5),
        /** As {@link #WHOLE}; it is about to stop. Only announced: no member is in it itself. */
        STOPPING(6);

        private final int code;

        Condition(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        /** Whether it has whatever it acknowledged, so that its answers count. */
        public boolean votes() {
            return this == FOUNDING || this == WHOLE || this == STOPPING;
        }
    }

    /**
     * Another member, as the one sees it that announces its state.
     *
     * @param member the other's number
     */
    public record PeerView(int member, PeerStanding standing) {}
}

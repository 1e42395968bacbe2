package dev.quorate.router.message;

import java.util.List;

/**
 * The state that a member announces to the others.
 *
 * @param life a random number drawn when the process started
 * @param epoch of the topology that it uses
 * @param clean the epoch up to which it has deleted the entries of keys that it lost
 * @param proved the epoch in which it has shown that it has the keys that it gains; 0 for none
 * @param condition the condition of its data
 * @param bytes the approximate number of bytes on its disk
 * @param freeBytes how many more bytes its disk has room for
 * @param gainedBytes the bytes of entries that it has copied of the keys that it gains
 * @param toGainBytes about as many it will have copied in the end; 0 if unknown, or for none
 * @param wallMillis its wall clock, in milliseconds since 1970
 * @param completeMillis it has all its entries from before this (ms since 1970; 0 if unknown)
 * @param gcWatermarkMillis every member has all its entries written before this time, in
 *     milliseconds since 1970; 0 if unknown
 * @param begunAt the generation found on its disk at the start
 * @param generation its durable generation, which grows with each start and while it votes
 * @param known the other members' generations, as on its disk; at most {@link #MAX_KNOWN}
 * @param sees its views of the other members; at most {@link #MAX_KNOWN}
 * @param load its version and load, for display
 */
public record MemberState(
        long life,
        int epoch,
        int clean,
        int proved,
        Condition condition,
        long bytes,
        long freeBytes,
        long gainedBytes,
        long toGainBytes,
        long wallMillis,
        long completeMillis,
        long gcWatermarkMillis,
        long begunAt,
        long generation,
        List<KnownLife> known,
        List<PeerView> sees,
        Load load) {

    /** Maximum number of members of a topology. */
    public static final int MAX_KNOWN = 128;

    public MemberState {
        known = List.copyOf(known);
        sees = List.copyOf(sees);
        if (known.size() > MAX_KNOWN || sees.size() > MAX_KNOWN) {
            throw new IllegalArgumentException(known.size() + " lives, " + sees.size() + " peers");
        }
    }

    /** The condition of a member's data. The code is part of the protocol: never renumber. */
    public enum Condition {
        /** It began with an empty directory, and does not know yet whether the cluster is new. */
        EMPTY(1),
        /** It began with an empty directory a moment ago, together with a majority. */
        FOUNDING(2),
        /** It lost some or all of its data, and fetches it from the other members. */
        REBUILDING(3),
        /** It has everything that it acknowledged. */
        WHOLE(4),
        /** It has data, and does not know yet whether its directory is an old copy. */
        RETURNING(5),
        /** Like {@link #WHOLE}, but about to stop. Announced; never a member's own condition. */
        STOPPING(6),
        /** The cluster has a later topology without it. */
        REMOVED(7);

        private final int code;

        Condition(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        /** Whether the member has everything that it acknowledged, so that its answers count. */
        public boolean votes() {
            return this == FOUNDING || this == WHOLE || this == STOPPING;
        }
    }

    /**
     * The announcing member's view of another member.
     *
     * @param member the other member's number
     */
    public record PeerView(int member, PeerStanding standing) {}

    /**
     * The version of a member, and its load in the last seconds.
     *
     * @param version of the program, in printable ASCII; at most {@link #MAX_VERSION} characters
     * @param operations of clients a second
     * @param getMicros the 99th percentile of GETs, in microseconds; 0 without any
     * @param putMicros the 99th percentile of PUTs, in microseconds; 0 without any
     */
    public record Load(String version, int operations, int getMicros, int putMicros) {

        public static final int MAX_VERSION = 32;

        public static final Load NONE = new Load("", 0, 0, 0);

        public Load {
            if (version.length() > MAX_VERSION || (operations | getMicros | putMicros) < 0) {
                throw new IllegalArgumentException(
                        version.length() + ", " + operations + ", " + getMicros + ", " + putMicros);
            }
        }
    }
}

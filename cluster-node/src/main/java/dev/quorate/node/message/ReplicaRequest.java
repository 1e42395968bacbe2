package dev.quorate.node.message;

import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/** What one replica can be asked. */
public sealed interface ReplicaRequest {

    /** The newest entry of a key. */
    record Read(byte[] key) implements ReplicaRequest {}

    /**
     * As {@link Read}, but of a live entry whose value is longer than {@link
     * Digest#SHORT_VALUE_BYTES} only the digest: for an asker that gets the value elsewhere.
     */
    record ReadDigest(byte[] key) implements ReplicaRequest {}

    /**
     * Keep this entry, durably, unless a newer one is held. Idempotent.
     *
     * @param origin where its timestamp comes from
     */
    record Write(Entry entry, Origin origin) implements ReplicaRequest {

        /** A client's write, stamped for it. */
        public Write(Entry entry) {
            this(entry, Origin.STAMPED);
        }

        /** An entry that another replica has. */
        public static Write copyOf(Entry entry) {
            return new Write(entry, Origin.COPY);
        }
    }

    /** Where the timestamp of a write comes from. */
    enum Origin {
        /** The coordinator's clock gave it to this write alone. */
        STAMPED,

        /** A client sent it, and may have sent it with another value before. */
        GIVEN,

        /** The entry is another replica's: it may be as old as it likes. */
        COPY
    }

    /**
     * What the asker says of itself; the answer says the same of the one that was asked.
     *
     * @param member the asker's number
     */
    record Announce(int member, MemberState state) implements ReplicaRequest {}

    /**
     * The next entries, tombstones included, from {@code start} (included) to {@code end} (not
     * included; null for no end), at most about {@code maxBytes} of keys and values, and at least
     * one entry if there is any.
     */
    record ScanPage(byte[] start, byte @Nullable [] end, int maxBytes) implements ReplicaRequest {}

    /**
     * As {@link ScanPage}, but passes over what this replica cannot read, since it is damaged: what
     * comes of a key need not be the newest, and what does not come may have been there. Not a vote
     * for anything. For another member that has lost the same.
     */
    record ScanReadable(byte[] start, byte @Nullable [] end, int maxBytes)
            implements ReplicaRequest {}

    /**
     * Whether the entries of a range that this replica and another member both are to hold are the
     * same there. Changes nothing, and nothing is kept for the asker between two of these.
     *
     * @param member the other member's number
     * @param salt goes into the hash of each entry, so that no two repairs are wrong alike
     * @param gcWatermarkMillis tombstones from before this are as good as nothing; in milliseconds
     *     since 1970, 0 if there are none such
     * @param sum of the hashes of the entries that the asker has in the range
     * @param start the first key of the range
     * @param end the first key behind it; null for no end
     * @param listUpTo up to so many entries, 1 to {@link ComparedRange#MAX_LISTED}, are listed
     *     rather than divided into parts
     */
    record Compare(
            int member,
            int salt,
            long gcWatermarkMillis,
            long sum,
            byte[] start,
            byte @Nullable [] end,
            int listUpTo)
            implements ReplicaRequest {
        public Compare {
            if (listUpTo < 1 || listUpTo > ComparedRange.MAX_LISTED) {
                throw new IllegalArgumentException("listUpTo is " + listUpTo);
            }
        }
    }

    /**
     * The next entries, tombstones included, from {@code start} (included) on, that another member
     * is to hold as well as this one: for a member that has lost its disk. Of the members that
     * could give an entry it is the first in the entry's own ring order that does, so that each is
     * given once.
     *
     * @param member the other member's number
     * @param sources who may give: bit i for the i-th member of the topology
     * @param maxBytes about the most bytes of keys and values
     */
    record StreamPage(int member, long sources, byte[] start, int maxBytes)
            implements ReplicaRequest {}

    /** All that is held of a key, wherever it lies, newest or not, but for the values. */
    record Inquire(byte[] key) implements ReplicaRequest {}
}

package dev.quorate.router.message;

import dev.quorate.router.conditional.Question;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import org.jspecify.annotations.Nullable;

/** A request to one replica. */
public sealed interface ReplicaRequest {

    /** What is asked, without the trace of whoever asks. */
    default ReplicaRequest plain() {
        return this;
    }

    /**
     * A request of a client that has identified it. Exists in messages alone: from version 5 on.
     *
     * @param request a read or a write, or a question about a conditional write
     */
    record Traced(TraceParent trace, ReplicaRequest request) implements ReplicaRequest {
        public Traced {
            if (request instanceof Traced) {
                throw new IllegalArgumentException("traced twice");
            }
        }

        @Override
        public ReplicaRequest plain() {
            return request;
        }
    }

    /** The newest entry of a key. */
    record Read(byte[] key) implements ReplicaRequest {}

    /**
     * As {@link Read}, but of a live entry whose value is longer than {@link
     * Digest#SHORT_VALUE_BYTES} only the digest: for a coordinator that gets the value from another
     * replica.
     */
    record ReadDigest(byte[] key) implements ReplicaRequest {}

    /**
     * Store this entry durably, unless there is a newer one. Idempotent.
     *
     * @param origin the origin of its timestamp
     */
    record Write(Entry entry, Origin origin) implements ReplicaRequest {

        /** A client's write, stamped for it. */
        public Write(Entry entry) {
            this(entry, Origin.STAMPED);
        }

        /** A copy of another replica's entry. */
        public static Write copyOf(Entry entry) {
            return new Write(entry, Origin.COPY);
        }
    }

    /** The origin of a write's timestamp. */
    enum Origin {
        /** The coordinator's clock, for this write alone. */
        STAMPED,

        /** A client, which may have sent it with another value before. */
        GIVEN,

        /** Another replica's entry, of any age. */
        COPY
    }

    /**
     * The sender's state; the answer contains the recipient's.
     *
     * @param member the sender's number
     */
    record Announce(int member, MemberState state) implements ReplicaRequest {}

    /**
     * The first entries, in an order of their keys and tombstones included, from {@code start}
     * (included) to {@code end} (not included; null for no end), at most about {@code maxBytes} of
     * keys and values, and at least one entry if there is any.
     */
    record ScanPage(byte[] start, byte @Nullable [] end, int maxBytes, KeyOrder order)
            implements ReplicaRequest {

        /** A page in ascending order. */
        public ScanPage(byte[] start, byte @Nullable [] end, int maxBytes) {
            this(start, end, maxBytes, KeyOrder.ASCENDING);
        }
    }

    /**
     * Like {@link ScanPage}, but skips what this replica cannot read because of damage: an entry
     * need not be the newest of its key, and missing entries may exist. Not a vote. For another
     * member that has lost the same.
     */
    record ScanReadable(byte[] start, byte @Nullable [] end, int maxBytes)
            implements ReplicaRequest {}

    /**
     * Compares the entries of a range that this replica and another member both own. Changes
     * nothing; stateless.
     *
     * @param member the other member's number
     * @param salt part of the hash of each entry, so that a collision does not repeat in the next
     *     repair
     * @param gcWatermarkMillis older tombstones are ignored; in milliseconds since 1970, 0 for none
     * @param sum of the hashes of the sender's entries in the range
     * @param start the first key of the range
     * @param end the end of the range, not included; null for no end
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
        // Not the compact form, in which javac leaves out what may be null.
        public Compare(
                int member,
                int salt,
                long gcWatermarkMillis,
                long sum,
                byte[] start,
                byte @Nullable [] end,
                int listUpTo) {
            if (listUpTo < 1 || listUpTo > ComparedRange.MAX_LISTED) {
                throw new IllegalArgumentException("listUpTo is " + listUpTo);
            }
            this.member = member;
            this.salt = salt;
            this.gcWatermarkMillis = gcWatermarkMillis;
            this.sum = sum;
            this.start = start;
            this.end = end;
            this.listUpTo = listUpTo;
        }
    }

    /**
     * The next entries, tombstones included, from {@code start} (included), that another member
     * owns as well as this one: for a member that has lost its disk. Of the sources that own an
     * entry, the first in the entry's ring order sends it, so that each is sent once.
     *
     * @param member the other member's number
     * @param sources the members that send: bit i for the i-th member of the topology
     * @param maxBytes about the most bytes of keys and values
     */
    record StreamPage(int member, long sources, byte[] start, int maxBytes)
            implements ReplicaRequest {}

    /**
     * Everything that the replica has of a key, in all places, newest or not, without the values.
     */
    record Inquire(byte[] key) implements ReplicaRequest {}

    /**
     * A question of a coordinator that decides a conditional write of a key.
     *
     * @param from how many members own the key
     */
    record ToAcceptor(byte[] key, int from, Question question) implements ReplicaRequest {}

    /**
     * The next records of conditional writes, from {@code start} (included), of keys that another
     * member owns as well: for a member that has lost its disk. Every other member sends all.
     *
     * @param member the other member's number
     * @param maxBytes about the most bytes of keys and values
     */
    record StreamRecords(int member, byte[] start, int maxBytes) implements ReplicaRequest {}
}

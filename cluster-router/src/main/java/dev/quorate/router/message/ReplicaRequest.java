package dev.quorate.router.message;

import dev.quorate.router.conditional.Question;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to one replica. */
public sealed interface ReplicaRequest {

    /** This request without its trace. */
    default ReplicaRequest plain() {
        return this;
    }

    /**
     * A request with the trace of a client's operation. Exists only in messages, since version 5.
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

    /** Reads the newest entry of a key. */
    record Read(byte[] key) implements ReplicaRequest {}

    /**
     * Like {@link Read}, but returns only the digest of a live entry whose value is longer than
     * {@link Digest#SHORT_VALUE_BYTES}, for a coordinator that gets the value from another replica.
     */
    record ReadDigest(byte[] key) implements ReplicaRequest {}

    /**
     * Stores an entry durably, unless a newer one exists. Idempotent.
     *
     * @param origin the origin of its timestamp
     */
    record Write(Entry entry, Origin origin) implements ReplicaRequest {

        /** Creates a client's write that the coordinator has stamped. */
        public Write(Entry entry) {
            this(entry, Origin.STAMPED);
        }

        /** Creates a write of another replica's entry. */
        public static Write copyOf(Entry entry) {
            return new Write(entry, Origin.COPY);
        }
    }

    enum Origin {
        /** The coordinator's clock, for this write alone. */
        STAMPED,

        /** A client, which may have used it for another value before. */
        GIVEN,

        /** Another replica's entry, of any age. */
        COPY
    }

    /**
     * Announces the sender's state; the answer contains the recipient's.
     *
     * @param member the sender's number
     */
    record Announce(int member, MemberState state) implements ReplicaRequest {}

    /**
     * Reads the first entries in key order, including tombstones, from {@code start} (included) to
     * {@code end} (not included; null for no end): at most about {@code maxBytes} of keys and
     * values, but at least one entry if there is any.
     *
     * @param keysOnly whether the entries are sent without their values
     */
    record ScanPage(
            byte[] start, byte @Nullable [] end, int maxBytes, KeyOrder order, boolean keysOnly)
            implements ReplicaRequest {

        /** Creates a request for a page in ascending order, with values. */
        public ScanPage(byte[] start, byte @Nullable [] end, int maxBytes) {
            this(start, end, maxBytes, KeyOrder.ASCENDING, false);
        }
    }

    /**
     * Like {@link ScanPage}, but skips damaged data: an entry may not be the newest of its key, and
     * entries may be missing. Not a vote. For another member that has lost the same range.
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
     * @param sum the sum of the hashes of the sender's entries in the range
     * @param start the first key of the range
     * @param end the end of the range, not included; null for no end
     * @param listUpTo maximum number of entries that are listed rather than divided into parts, 1
     *     to {@link ComparedRange#MAX_LISTED}
     */
    record Compare(
            int member,
            int salt,
            long gcWatermarkMillis,
            long sum,
            byte[] start,
            byte @Nullable [] end,
            int listUpTo)
            implements ReplicaRequest {}

    /**
     * Reads the next entries, including tombstones, from {@code start} (included), that another
     * member owns too: for a member that has lost its disk, or gains keys. Of the sources that own
     * an entry, the first in the entry's ring order sends it, so that each entry is sent once.
     *
     * @param member the other member's number
     * @param gainsOnly whether to send only keys that the other member gains in the change in
     *     progress, from those that owned them before
     * @param sources the numbers of the members that send, at most {@link MemberState#MAX_KNOWN}
     * @param maxBytes the approximate maximum of bytes of keys and values
     */
    record StreamPage(
            int member, boolean gainsOnly, List<Integer> sources, byte[] start, int maxBytes)
            implements ReplicaRequest {
        public StreamPage {
            sources = List.copyOf(sources);
        }
    }

    /**
     * Reads all that the replica stores for a key, in all places, newest or not, without values.
     */
    record Inquire(byte[] key) implements ReplicaRequest {}

    /**
     * A question from a coordinator that decides a conditional write of a key.
     *
     * @param from the number of members that own the key
     */
    record ToAcceptor(byte[] key, int from, Question question) implements ReplicaRequest {}

    /**
     * Reads the next records of conditional writes, from {@code start} (included), of keys that
     * another member owns too: for a member that has lost its disk, or gains keys. Every owner
     * sends all.
     *
     * @param member the other member's number
     * @param gainsOnly see {@link StreamPage}
     * @param maxBytes the approximate maximum of bytes of keys and values
     */
    record StreamRecords(int member, boolean gainsOnly, byte[] start, int maxBytes)
            implements ReplicaRequest {}

    /**
     * Asks an acceptor of a decree.
     *
     * @param epoch of the topology that the decree chooses the successor of
     * @param ballot never used for another value
     * @param value the canonical text of the proposed topology, at most 65,535 characters; empty in
     *     the first phase
     * @param needed acceptors for whose answers the proposer waits
     */
    record Propose(int epoch, Timestamp ballot, String value, int needed)
            implements ReplicaRequest {}

    /**
     * Registers a wait for a change of a key, and then reads the key as {@link ReadDigest} does.
     * The replica sends one {@link Changed}, and forgets the registration.
     *
     * @param member the number of the waiting member
     * @param id of the wait at that member; a later registration replaces one with the same id
     * @param millis how long the registration lasts; 0 ends it, and no key is read
     * @param isPrefix whether the wait is for a change of any key that begins with {@code key}. The
     *     replica counts such changes, and answers with {@link ReplicaAnswer.Counted}
     */
    record Watch(int member, long id, int millis, byte[] key, boolean isPrefix)
            implements ReplicaRequest {

        /** Maximum of {@link #millis}. */
        public static final int MAX_MILLIS = 120_000;

        /** Creates a wait for a change of one key. */
        public Watch(int member, long id, int millis, byte[] key) {
            this(member, id, millis, key, false);
        }
    }

    /**
     * Tells a member that the keys of some of its waits have been written.
     *
     * @param ids of {@link Watch}; at most {@link #MAX_IDS}
     */
    record Changed(List<Long> ids) implements ReplicaRequest {

        public static final int MAX_IDS = 512;

        public Changed {
            ids = List.copyOf(ids);
        }
    }

    /**
     * Tells a member that a topology was chosen. It answers with its state once it uses that
     * topology, or a later one.
     *
     * @param topology the canonical text, at most 65,535 characters
     */
    record Tell(String topology) implements ReplicaRequest {}
}

package dev.quorate.router.message;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.decree.Decree;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A replica's answer, or its failure. */
public sealed interface ReplicaAnswer {

    /**
     * This answer as a failure: itself if the replica failed, otherwise a failure that names the
     * kind of answer. So a caller handles expected answers, and treats all others as failures.
     */
    default Failed failure() {
        return this instanceof Failed failed
                ? failed
                : new Failed(Failure.FAILED, "answered with " + getClass().getSimpleName());
    }

    /** Answer to a read: the newest entry, perhaps a tombstone. */
    record Found(Entry entry) implements ReplicaAnswer {}

    /** Answer to {@link ReplicaRequest.ReadDigest}: the digest of the newest, live entry. */
    record Digested(Digest digest) implements ReplicaAnswer {}

    /** Answer to a read: the replica has no entry of the key. */
    enum Absent implements ReplicaAnswer {
        ABSENT
    }

    /**
     * Answer to a write: it is durable on this replica.
     *
     * @param newest the newest timestamp of the key; later than the written one if superseded
     */
    record Stored(Timestamp newest) implements ReplicaAnswer {}

    /**
     * Answer to a scan: entries in the order of the request.
     *
     * @param last whether the range ends with this page; otherwise the next page starts after the
     *     last entry's key
     * @param isCut whether the last entry's value is omitted because it is longer than a page may
     *     be: the reader reads that key separately
     */
    record Page(List<Entry> entries, boolean last, boolean isCut) implements ReplicaAnswer {
        public Page {
            entries = List.copyOf(entries);
        }

        public Page(List<Entry> entries, boolean last) {
            this(entries, last, false);
        }
    }

    /**
     * Answer to a stream request: entries in ascending key order, perhaps none.
     *
     * @param next the start of the next page; null if nothing follows
     */
    record StreamedPage(List<Entry> entries, byte @Nullable [] next) implements ReplicaAnswer {}

    /** Answer to {@link ReplicaRequest.Compare}. */
    record Compared(ComparedRange range) implements ReplicaAnswer {}

    /** Answer to {@link ReplicaRequest.Inquire}. */
    record Inquired(HeldKey held) implements ReplicaAnswer {}

    /** Answer to {@link ReplicaRequest.Announce}. */
    record Announced(MemberState state) implements ReplicaAnswer {}

    /**
     * Answer to {@link ReplicaRequest.ToAcceptor}.
     *
     * @param key the key of the question
     */
    record FromAcceptor(byte[] key, AcceptorAnswer answer) implements ReplicaAnswer {}

    /** Answer to {@link ReplicaRequest.Propose}: the acceptor's durable state. */
    record Accepting(Decree state) implements ReplicaAnswer {}

    /**
     * Answer to {@link ReplicaRequest.Watch} of a prefix: a number that grows by 1 with each
     * change, and jumps when the replica has forgotten the prefix.
     */
    record Counted(long position) implements ReplicaAnswer {}

    /** The replica failed or refused. Not a vote. */
    record Failed(Failure reason, String detail) implements ReplicaAnswer {}

    /** Why a replica failed. The code is part of the protocol: never renumber. */
    enum Failure {
        /** The deadline passed first; a write may still have happened. */
        TIMEOUT(1, true, "no answer in time"),
        /** The connection failed; a write may still have happened. */
        UNREACHABLE(2, true, "unreachable"),
        /** Not attempted: the breaker to this peer is open. */
        BREAKER_OPEN(3, false, "down"),
        /** Not attempted: too much is queued. */
        OVERLOADED(4, false, "overloaded"),
        /** Bytes on the replica's disk failed their checksum. */
        CORRUPT(5, false, "damaged"),
        DISK_FULL(6, false, "disk full"),
        /** The replica failed in another way; a write may still have happened. */
        FAILED(7, true, "failed"),
        /** The replica refused the request, or its node the exchange. */
        REFUSED(8, false, "refused"),
        STOPPING(9, false, "stopping"),
        /** Not attempted: the quorum was out of reach already. */
        NOT_ASKED(10, false, "not asked"),
        /** The replica is rebuilding; it stored a write, but does not vote. */
        REBUILDING(11, true, "rebuilding"),
        /** Not attempted: the write is older than replicas accept. */
        TOO_OLD(12, false, "too old"),
        /** Not attempted: another value, or a delete, has the given version. */
        VERSION_TAKEN(13, false, "version taken"),
        /** Not done in the epoch of the operation; a write may have happened in another one. */
        STALE(14, true, "of another epoch");

        private final int code;
        private final boolean indeterminate;
        private final String text;

        Failure(int code, boolean indeterminate, String text) {
            this.code = code;
            this.indeterminate = indeterminate;
            this.text = text;
        }

        public int code() {
            return code;
        }

        /** The text for people; programs get the name. */
        @Override
        public String toString() {
            return text;
        }

        /** Whether the sender reports this, because it sent nothing to the replica. */
        public boolean isNotSent() {
            return this == BREAKER_OPEN || this == NOT_ASKED;
        }

        /** Whether a write with this failure may have been stored. */
        public boolean isIndeterminate() {
            return indeterminate;
        }
    }
}

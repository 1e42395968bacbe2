package dev.quorate.router.conditional;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of proposals and fates, in records and in peer messages. Numbers are big-endian.
 *
 * <pre>
 * version:   hybrid (8), node (4), step (8)
 * proposal:  flags (1): 1 named, 2 in the lead, 4 a result, 8 an entry, 16 a droppable base
 *            origin (8 + 4), digest (8)
 *            base, a version
 *            result, a version     only with 4
 *            entry                 only with 8, see {@link EntryCodec}; its version is the result
 * accepted:  3 if it is a copy of another replica's, else 2 (1)
 *            proposal
 * fate:      3 if it was proposed, else 2 (1); digest (8); with 3, the version to succeed
 * </pre>
 */
public final class ProposalCodec {

    public static final int VERSION_BYTES = 2 * Long.BYTES + Integer.BYTES;

    /** Bytes of an encoded origin or ballot, which has no step. */
    public static final int STAMP_BYTES = Long.BYTES + Integer.BYTES;

    /**
     * The first byte of format 2, in which each record has a digest. Format 1 had 0 or 1 there, and
     * is not read.
     */
    private static final byte ACCEPTED = 2;

    public static final byte COPY = 3;
    private static final byte DENIED = 2;
    private static final byte PROPOSED = 3;

    private static final int NAMED = 1;
    private static final int IN_LEAD = 2;
    private static final int RESULT = 4;
    private static final int ENTRY = 8;
    private static final int DROPPABLE = 16;

    private ProposalCodec() {}

    public static void putVersion(Timestamp version, FieldWriter to) {
        to.u64(version.hybrid()).u32(version.node()).u64(version.step());
    }

    public static Timestamp version(ByteBuffer from) {
        require(from, VERSION_BYTES);
        long hybrid = from.getLong();
        int node = from.getInt();
        long step = from.getLong();
        if (step != 0 && !Timestamp.isStep(hybrid, step)) {
            throw new MalformedException("step " + step + " of root " + hybrid);
        }
        return new Timestamp(hybrid, node, step);
    }

    /** Writes a timestamp without a step. */
    public static void putStamp(Timestamp stamp, FieldWriter to) {
        to.u64(stamp.hybrid()).u32(stamp.node());
    }

    /** Reads a timestamp without a step. */
    public static Timestamp stamp(ByteBuffer from) {
        require(from, STAMP_BYTES);
        return new Timestamp(from.getLong(), from.getInt());
    }

    public static void encode(byte[] key, Proposal proposal, FieldWriter to) {
        Timestamp result = proposal.result();
        Current entry = proposal.entry();
        int flags =
                (proposal.isNamed() ? NAMED : 0)
                        | (proposal.isInLead() ? IN_LEAD : 0)
                        | (result == null ? 0 : RESULT)
                        | (entry == null ? 0 : ENTRY)
                        | (proposal.isBaseDroppable() ? DROPPABLE : 0);
        to.u8(flags);
        putStamp(proposal.origin(), to);
        to.u64(proposal.digest());
        putVersion(proposal.base(), to);
        if (result != null) {
            putVersion(result, to);
        }
        if (entry != null) {
            to.entry(KeyEntry.entry(key, entry));
        }
    }

    /**
     * Reads a proposal for {@code key}.
     *
     * @throws MalformedException if the bytes are not a proposal, or are for another key
     */
    public static Proposal decode(byte[] key, ByteBuffer from) {
        require(from, Byte.BYTES);
        int flags = from.get();
        if ((flags & ~(NAMED | IN_LEAD | RESULT | ENTRY | DROPPABLE)) != 0) {
            throw new MalformedException("proposal flags " + flags);
        }
        Timestamp origin = stamp(from);
        long digest = digest(from);
        Timestamp base = version(from);
        Timestamp result = (flags & RESULT) == 0 ? null : version(from);
        Current entry = (flags & ENTRY) == 0 ? null : entry(key, result, from);
        return new Proposal(
                origin,
                (flags & NAMED) != 0,
                base,
                (flags & DROPPABLE) != 0,
                (flags & IN_LEAD) != 0,
                result,
                entry,
                digest);
    }

    /** Reads the digest of a request. */
    public static long digest(ByteBuffer from) {
        require(from, Long.BYTES);
        return from.getLong();
    }

    private static Current entry(byte[] key, @Nullable Timestamp result, ByteBuffer from) {
        Entry entry = EntryCodec.decode(from);
        if (!entry.timestamp().equals(result) || !Arrays.equals(entry.key(), key)) {
            throw new MalformedException("a proposal with the entry of another one");
        }
        return KeyEntry.current(entry);
    }

    /** Writes what was accepted for {@code key}, without its ballot. */
    public static void encode(byte[] key, Accepted accepted, FieldWriter to) {
        to.u8(accepted.isCopy() ? COPY : ACCEPTED);
        encode(key, accepted.proposal(), to);
    }

    /**
     * An accepted proposal without its new value.
     *
     * @return null if it has none, if its base may be dropped, since then the value may be needed,
     *     or if it is malformed
     */
    public static byte @Nullable [] withoutValue(UnreadValue accepted) {
        byte[] head = new byte[2 + STAMP_BYTES + Long.BYTES + 2 * VERSION_BYTES];
        if (accepted.bytes() <= head.length) {
            return null;
        }
        accepted.copy(0, head, head.length);
        boolean isFirm = (head[1] & (RESULT | ENTRY | DROPPABLE)) == (RESULT | ENTRY);
        head[1] &= ~ENTRY;
        return isFirm ? head : null;
    }

    /** Whether an accepted proposal is a copy of another replica's. */
    public static boolean isCopy(byte[] accepted) {
        return accepted[0] != ACCEPTED;
    }

    /** Reads what was accepted for {@code key} under {@code ballot}. */
    public static Accepted decodeAccepted(byte[] key, Timestamp ballot, ByteBuffer from) {
        require(from, Byte.BYTES);
        byte copy = from.get();
        if (copy != ACCEPTED && copy != COPY) {
            throw new MalformedException("copy flag " + copy);
        }
        return new Accepted(ballot, decode(key, from), copy == COPY);
    }

    /** Writes a fate, without its ballot. */
    public static void encode(Fate fate, FieldWriter to) {
        Timestamp base = fate.base();
        to.u8(base == null ? DENIED : PROPOSED).u64(fate.digest());
        if (base != null) {
            putVersion(base, to);
        }
    }

    /** Reads a fate, which was accepted under {@code ballot}. */
    public static Fate decodeFate(Timestamp ballot, ByteBuffer from) {
        require(from, Byte.BYTES);
        byte proposed = from.get();
        if (proposed != DENIED && proposed != PROPOSED) {
            throw new MalformedException("fate " + proposed);
        }
        long digest = digest(from);
        return new Fate(ballot, proposed == PROPOSED ? version(from) : null, digest);
    }

    private static void require(ByteBuffer from, int bytes) {
        if (from.remaining() < bytes) {
            throw new MalformedException(
                    "cut off: " + bytes + " bytes expected, " + from.remaining() + " left");
        }
    }
}

package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A client's conditional write.
 *
 * <p>A retry must repeat the request. If the client gave the version, records store a digest of the
 * request. If a node gave it, the client learns it from an answer that leaves the write undecided,
 * and that version contains the digest: no record is needed ({@link #version}).
 *
 * @param origin identifies the write, also in a retry
 * @param isRetry whether it may have been sent before
 * @param value null deletes
 * @param expiresAtMillis when the value expires, the same for each attempt
 * @param from how many replicas own the entry, as stored: 0 for the replication factor
 * @param contentType the content type of the value; null for none
 * @param digest the digest of all that a retry must repeat; 0 if the client's version has it
 */
public record ConditionalRequest(
        Timestamp origin,
        boolean isRetry,
        Condition condition,
        byte @Nullable [] value,
        long expiresAtMillis,
        int from,
        @Nullable String contentType,
        long digest) {

    /**
     * Longest value: it is stored twice, and an answer between nodes must fit it and the largest
     * other value.
     */
    public static final int MAX_VALUE_BYTES = 1 << 20;

    /** The kind, {@code from}, the expiry, the length of the content type, and the condition. */
    private static final int HEAD_BYTES = Byte.BYTES + 3 * Integer.BYTES + 3 * Long.BYTES;

    /** Marks a digest. No clock reads that late, so no entry has such a step. */
    private static final long DIGEST_BIT = Long.MIN_VALUE;

    /** Creates a request without a digest. */
    public ConditionalRequest(
            Timestamp origin,
            boolean isRetry,
            Condition condition,
            byte @Nullable [] value,
            long expiresAtMillis,
            int from,
            @Nullable String contentType) {
        this(origin, isRetry, condition, value, expiresAtMillis, from, contentType, 0);
    }

    /** What the key must have for the write to be made. */
    public sealed interface Condition {

        /** A live value of this version. */
        record Is(Timestamp version) implements Condition {}

        /** Any live value. */
        enum Present implements Condition {
            PRESENT
        }

        /** No live value. */
        enum Absent implements Condition {
            ABSENT
        }

        /** Never holds: the write is a read, which decides an undecided write that it finds. */
        enum Never implements Condition {
            NEVER
        }
    }

    /** A read, which writes nothing of its own. */
    public static ConditionalRequest read() {
        return new ConditionalRequest(
                Timestamp.ZERO, false, Condition.Never.NEVER, null, 0, 0, null);
    }

    /** Whether it writes nothing of its own, and only decides what it finds. */
    public boolean isRead() {
        return condition == Condition.Never.NEVER;
    }

    /** Whether the condition holds for an entry, taken {@linkplain Current#asOf as of a moment}. */
    public boolean holds(Current current) {
        boolean isLive = current.value() != null;
        return switch (condition) {
            case Condition.Is(Timestamp version) -> isLive && current.version().equals(version);
            case Condition.Present present -> isLive;
            case Condition.Absent absent -> !isLive;
            case Condition.Never never -> false;
        };
    }

    /** The same with its digest. */
    public ConditionalRequest withDigest() {
        return new ConditionalRequest(
                origin,
                isRetry,
                condition,
                value,
                expiresAtMillis,
                from,
                contentType,
                computedDigest());
    }

    /**
     * The version for a retry by the client: the origin, with the digest as its step unless records
     * store the digest.
     */
    public Timestamp version() {
        return digest == 0 && !isRead() ? origin.withStep(computedDigest()) : origin;
    }

    /** Whether a version has the digest of a conditional write as its step. */
    public static boolean hasDigest(Timestamp version) {
        return (version.step() & DIGEST_BIT) != 0;
    }

    private long computedDigest() {
        byte[] type =
                contentType == null ? new byte[0] : contentType.getBytes(StandardCharsets.UTF_8);
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES + type.length);
        head.put((byte) (value == null ? 0 : 1)).putInt(from).putLong(expiresAtMillis);
        head.putInt(contentType == null ? -1 : type.length);
        switch (condition) {
            case Condition.Is(Timestamp version) ->
                    head.putLong(version.hybrid()).putInt(version.node()).putLong(version.step());
            case Condition.Present present -> head.put((byte) 1);
            case Condition.Absent absent -> head.put((byte) 2);
            case Condition.Never never -> head.put((byte) 3);
        }
        head.put(type);
        CRC32C high = new CRC32C();
        CRC32 low = new CRC32();
        for (byte[] part : new byte[][] {head.array(), value == null ? new byte[0] : value}) {
            high.update(part);
            low.update(part);
        }
        return high.getValue() << 32 | low.getValue() | DIGEST_BIT;
    }

    /** The key's entry under this version once the write is made. */
    public Current entry(Timestamp version) {
        return new Current(version, value, expiresAtMillis, from, contentType);
    }

    /** The only version that it can succeed; null if the condition names none. */
    @Nullable Timestamp named() {
        return condition instanceof Condition.Is(Timestamp version) ? version : null;
    }
}

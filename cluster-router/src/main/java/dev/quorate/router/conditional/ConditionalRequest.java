package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A conditional write of a client.
 *
 * <p>A client that sends it again must send the same. Where the client gave the version, records
 * keep a digest of the request. Where a node gave it, the client learns it by an answer that leaves
 * the write undecided, and that version has the digest: no record is needed ({@link #version}).
 *
 * @param origin names it, also when it is sent again
 * @param isRetry whether it may have been sent before
 * @param value null deletes
 * @param expiresAtMillis of the value, the same for each attempt
 * @param from how many replicas own the entry, as stored: 0 for the replication factor
 * @param contentType of the value; null for none
 * @param digest of all that a retry must repeat; 0 if the version that the client knows has it
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

    /** The kind, {@code from}, the expiry, the length of the content type, and the condition. */
    private static final int HEAD_BYTES = Byte.BYTES + 3 * Integer.BYTES + 3 * Long.BYTES;

    /** Marks a digest. No clock reads as late, so no entry has such a step. */
    private static final long DIGEST_BIT = Long.MIN_VALUE;

    /** Without a digest. */
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

    /** What must be there. */
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

        /** Nothing will do: the write is a read, which decides what it finds undecided. */
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

    /** Whether the condition holds for what the key has, {@linkplain Current#asOf at a moment}. */
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
     * The version with which the client sends it again: its origin, with the digest as step unless
     * records have the digest.
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

    /** What the key has under this version once the write is made. */
    public Current entry(Timestamp version) {
        return new Current(version, value, expiresAtMillis, from, contentType);
    }

    /** The version that it can succeed alone; null if the condition names none. */
    @Nullable Timestamp named() {
        return condition instanceof Condition.Is(Timestamp version) ? version : null;
    }
}

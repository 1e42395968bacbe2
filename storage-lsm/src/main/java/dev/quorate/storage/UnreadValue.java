package dev.quorate.storage;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A long value in its table or memtable, for callers that copy or compare it piece by piece,
 * without an array of its length. Valid until the cursor moves.
 *
 * @param bytes the length of the value
 * @param from as {@link Entry#from}
 * @param expiresAtMillis as {@link Entry#expiresAtMillis}
 * @param contentType as {@link Entry#contentType}
 */
public record UnreadValue(
        int bytes, int from, long expiresAtMillis, @Nullable String contentType, Pieces pieces) {

    /** Shorter values are read with their entries. */
    public static final int MIN_BYTES = 32 << 10;

    /** The recommended length of a piece, in bytes. */
    public static final int PIECE_BYTES = 64 << 10;

    @FunctionalInterface
    public interface Pieces {

        /**
         * Copies {@code count} bytes of the value, from {@code at} on, to the start of an array.
         *
         * @throws StorageException if they cannot be read
         */
        void copy(int at, byte[] into, int count);
    }

    /** A value that is in memory. */
    public static UnreadValue of(Entry entry) {
        byte[] value = entry.value();
        return new UnreadValue(
                value.length,
                entry.from(),
                entry.expiresAtMillis(),
                entry.contentType(),
                (at, into, count) -> System.arraycopy(value, at, into, 0, count));
    }

    /** The same value, read in another way. */
    public UnreadValue readBy(Pieces other) {
        return new UnreadValue(bytes, from, expiresAtMillis, contentType, other);
    }

    /** See {@link Pieces#copy}. */
    public void copy(int at, byte[] into, int count) {
        pieces.copy(at, into, count);
    }

    /** Compares two values of a key with the same timestamp, like {@link Entry#compareAge}. */
    public int compareAge(UnreadValue other) {
        byte[] ours = new byte[PIECE_BYTES];
        byte[] theirs = new byte[PIECE_BYTES];
        int common = Math.min(bytes, other.bytes);
        for (int at = 0; at < common; at += PIECE_BYTES) {
            int count = Math.min(PIECE_BYTES, common - at);
            copy(at, ours, count);
            other.copy(at, theirs, count);
            int byBytes = Arrays.compareUnsigned(ours, 0, count, theirs, 0, count);
            if (byBytes != 0) {
                return byBytes;
            }
        }
        if (bytes != other.bytes) {
            return Integer.compare(bytes, other.bytes);
        }
        int byExpiry = Entry.compareExpiry(expiresAtMillis, other.expiresAtMillis);
        return byExpiry != 0 ? byExpiry : Entry.compareType(contentType, other.contentType);
    }
}

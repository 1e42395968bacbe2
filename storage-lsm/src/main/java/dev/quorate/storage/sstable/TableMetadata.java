package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FieldWriter;
import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a sorted table, available without opening it. A table contains at least one
 * entry.
 *
 * <p>The summary in the table's file contains it too, but the manifest determines the level, which
 * may change after the table is written.
 *
 * @param number names the file; never reused
 * @param level 0 for a flushed memtable, whose keys may overlap other tables; tables of a deeper
 *     level do not overlap
 * @param fileBytes the file's exact size
 * @param entries the number of entries, including tombstones
 * @param tombstones the number of tombstones
 * @param smallestKey the first key
 * @param largestKey the last key
 * @param oldest the smallest {@linkplain Timestamp#root root} of any entry: no entry is before it,
 *     in the order or by age
 * @param newest the largest {@linkplain Timestamp#ceiling ceiling} of any entry: no entry is after
 *     it, in the order or by age
 */
public record TableMetadata(
        long number,
        int level,
        long fileBytes,
        long entries,
        long tombstones,
        byte[] smallestKey,
        byte[] largestKey,
        Timestamp oldest,
        Timestamp newest) {

    public static final int MAX_LEVEL = 6;

    public TableMetadata {
        require(number >= 0, "number", number);
        require(level >= 0 && level <= MAX_LEVEL, "level", level);
        require(fileBytes > 0, "fileBytes", fileBytes);
        require(entries > 0, "entries", entries);
        require(tombstones >= 0 && tombstones <= entries, "tombstones", tombstones);
        requireKey(smallestKey, "smallestKey");
        requireKey(largestKey, "largestKey");
        if (Arrays.compareUnsigned(smallestKey, largestKey) > 0) {
            throw new IllegalArgumentException("smallestKey is after largestKey");
        }
        if (oldest.hasStep() || newest.hasStep()) {
            throw new IllegalArgumentException("oldest or newest with a step");
        }
        if (oldest.isAfter(newest)) {
            throw new IllegalArgumentException("oldest is after newest");
        }
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " out of range: " + value);
        }
    }

    private static void requireKey(byte[] key, String name) {
        require(key.length >= 1 && key.length <= Entry.MAX_KEY_BYTES, name + " length", key.length);
    }

    /** The same table at another level. */
    public TableMetadata atLevel(int otherLevel) {
        return new TableMetadata(
                number,
                otherLevel,
                fileBytes,
                entries,
                tombstones,
                smallestKey,
                largestKey,
                oldest,
                newest);
    }

    /** Whether {@code key} is between the smallest and the largest key. */
    public boolean mayContain(byte[] key) {
        return Arrays.compareUnsigned(key, smallestKey) >= 0
                && Arrays.compareUnsigned(key, largestKey) <= 0;
    }

    /**
     * Whether the key range overlaps {@code start} (inclusive) to {@code end} (exclusive; null if
     * unbounded).
     */
    public boolean overlaps(byte[] start, byte @Nullable [] end) {
        return Arrays.compareUnsigned(largestKey, start) >= 0
                && (end == null || Arrays.compareUnsigned(smallestKey, end) < 0);
    }

    /** Whether the key ranges of the two tables overlap. */
    public boolean overlaps(TableMetadata other) {
        return Arrays.compareUnsigned(largestKey, other.smallestKey) >= 0
                && Arrays.compareUnsigned(smallestKey, other.largestKey) <= 0;
    }

    /**
     * Writes the encoded form, all numbers big-endian:
     *
     * <pre>
     *   number u64 | level u8 | fileBytes u64 | entries u64 | tombstones u64
     *   oldest  clock u64, node u32
     *   newest  clock u64, node u32
     *   smallestKey length u16, bytes
     *   largestKey  length u16, bytes
     * </pre>
     */
    public void writeTo(FieldWriter out) {
        out.u64(number).u8(level).u64(fileBytes).u64(entries).u64(tombstones);
        out.u64(oldest.hybrid()).u32(oldest.node());
        out.u64(newest.hybrid()).u32(newest.node());
        out.bytes(smallestKey).bytes(largestKey);
    }

    /**
     * Reads the output of {@link #writeTo}.
     *
     * @throws IOException if the input ends early or is invalid
     */
    public static TableMetadata readFrom(DataInput in) throws IOException {
        long number = in.readLong();
        int level = in.readUnsignedByte();
        long fileBytes = in.readLong();
        long entries = in.readLong();
        long tombstones = in.readLong();
        Timestamp oldest = readTimestamp(in);
        Timestamp newest = readTimestamp(in);
        byte[] smallestKey = readKey(in);
        byte[] largestKey = readKey(in);
        try {
            return new TableMetadata(
                    number,
                    level,
                    fileBytes,
                    entries,
                    tombstones,
                    smallestKey,
                    largestKey,
                    oldest,
                    newest);
        } catch (IllegalArgumentException impossible) {
            throw new IOException("not a table: " + impossible.getMessage(), impossible);
        }
    }

    private static Timestamp readTimestamp(DataInput in) throws IOException {
        long hybrid = in.readLong();
        return new Timestamp(hybrid, in.readInt());
    }

    private static byte[] readKey(DataInput in) throws IOException {
        byte[] key = new byte[in.readUnsignedShort()];
        in.readFully(key);
        return key;
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof TableMetadata other
                && number == other.number
                && level == other.level
                && fileBytes == other.fileBytes
                && entries == other.entries
                && tombstones == other.tombstones
                && Arrays.equals(smallestKey, other.smallestKey)
                && Arrays.equals(largestKey, other.largestKey)
                && oldest.equals(other.oldest)
                && newest.equals(other.newest);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return "table %d (level %d, %d bytes, %d entries, %d tombstones)"
                .formatted(number, level, fileBytes, entries, tombstones);
    }
}

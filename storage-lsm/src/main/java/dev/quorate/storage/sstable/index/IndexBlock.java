package dev.quorate.storage.sstable.index;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.file.TableFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A block of the index, the root or a part, searched in place. The adjacent heads of the fences
 * decide nearly every step of a search, so it reads few cache lines.
 *
 * <p>A part is not verified before it is used: data blocks have checksums of their own, so a
 * damaged index can lead to a wrong block but not to a wrong entry. It is verified before a
 * negative result. Until then its numbers are only checked against their bounds.
 */
public final class IndexBlock {

    private static final int SLOT_BYTES = TableFormat.SLOT_BYTES;

    private final TableFile file;
    private final long offset;
    private final int length;
    private final MemorySegment bytes;
    private final long headsAt;
    private final long slotsAt;
    private final long prefixAt;
    private final long fencesAt;
    private final int fencesLimit;
    private final int count;
    private final int prefixBytes;
    private final long targetsFrom;
    private final long targetsTo;

    /**
     * @param offset the offset of the block in the file
     * @param bytes memory with the block at {@code at}: the mapped file, or a verified copy
     * @param targetsFrom offset in the file of the first block that this one refers to
     * @param targetsTo maximum end of the last block that it refers to
     */
    private IndexBlock(
            TableFile file,
            long offset,
            int length,
            MemorySegment bytes,
            long at,
            long targetsFrom,
            long targetsTo) {
        this.file = file;
        this.offset = offset;
        this.length = length;
        this.bytes = bytes;
        this.targetsFrom = targetsFrom;
        this.targetsTo = targetsTo;
        int least = TableFormat.INDEX_HEADER_BYTES + Long.BYTES + SLOT_BYTES;
        if (length < least + TableFormat.TRAILER_BYTES) {
            throw damaged("an index of " + length + " bytes");
        }
        int limit = length - TableFormat.INDEX_HEADER_BYTES - TableFormat.TRAILER_BYTES;
        this.count = bytes.get(TableFormat.INT, at);
        this.prefixBytes = bytes.get(TableFormat.INT, at + Integer.BYTES);
        if (count < 1 || count > limit / (Long.BYTES + SLOT_BYTES)) {
            throw damaged("slot count " + count);
        }
        int fencesAndPrefix = limit - count * (Long.BYTES + SLOT_BYTES);
        if (prefixBytes < 0 || prefixBytes > fencesAndPrefix) {
            throw damaged("prefix of " + prefixBytes + " bytes");
        }
        this.fencesLimit = fencesAndPrefix - prefixBytes;
        this.headsAt = at + TableFormat.INDEX_HEADER_BYTES;
        this.slotsAt = headsAt + (long) count * Long.BYTES;
        this.prefixAt = slotsAt + (long) count * SLOT_BYTES;
        this.fencesAt = prefixAt + prefixBytes;
    }

    /** The part that {@code slot} of {@code root} refers to, in the mapped file and unverified. */
    public static IndexBlock part(TableFile file, IndexBlock root, int slot, long dataEnd) {
        long offset = root.targetOffset(slot);
        return new IndexBlock(
                file, offset, root.targetLength(slot), file.bytes(), offset, 0, dataEnd);
    }

    /**
     * The root, copied to the heap and verified: about 30 bytes for each hundred data blocks.
     *
     * @param indexOffset the offset of the first part
     * @param offset the offset of the root
     * @param end the end of the root
     * @throws CorruptionException if it is damaged
     */
    public static IndexBlock root(TableFile file, long indexOffset, long offset, long end) {
        int length = (int) (end - offset);
        if (length < TableFormat.TRAILER_BYTES) {
            throw file.corrupt(offset, "an index of " + length + " bytes");
        }
        byte[] block = new byte[length];
        file.read(offset, length, block);
        IndexBlock root =
                new IndexBlock(
                        file, offset, length, MemorySegment.ofArray(block), 0, indexOffset, offset);
        root.check();
        long expected = indexOffset;
        for (int slot = 0; slot < root.count; slot++) {
            if (root.targetOffset(slot) != expected) {
                throw file.corrupt(offset, "slot " + slot + " does not point to the next part");
            }
            expected += root.targetLength(slot);
        }
        if (expected != offset) {
            throw file.corrupt(offset, "the last part does not end where the root begins");
        }
        return root;
    }

    public int count() {
        return count;
    }

    public long offset() {
        return offset;
    }

    /** The only slot that can lead to {@code key}: the last with a fence at or before it. */
    public int find(byte[] key) {
        int toPrefix = comparePrefix(key);
        if (toPrefix != 0) {
            return toPrefix > 0 ? 0 : count - 1;
        }
        long head = TableFormat.head(key, prefixBytes);
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            long ours = bytes.get(TableFormat.LONG, headsAt + (long) middle * Long.BYTES);
            int order =
                    ours == head
                            ? compareRest(middle, key, prefixBytes)
                            : Long.compareUnsigned(ours, head);
            if (order <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Compares a slot's fence with {@code key}. */
    public int compareFence(int slot, byte[] key) {
        if (slot == 0) {
            return compareRest(0, key, 0);
        }
        int toPrefix = comparePrefix(key);
        return toPrefix != 0 ? toPrefix : compareRest(slot, key, prefixBytes);
    }

    /** The complete fence of a slot: a lower bound of all keys of the slot's block. */
    public byte[] fence(int slot) {
        int from = slot == 0 ? 0 : fenceEnd(slot - 1);
        int to = fenceEnd(slot);
        if (to < from) {
            throw damaged("fence " + slot);
        }
        int prefix = slot == 0 ? 0 : prefixBytes;
        byte[] fence = new byte[prefix + to - from];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, prefixAt, fence, 0, prefix);
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, fencesAt + from, fence, prefix, to - from);
        return fence;
    }

    /**
     * Zero if {@code key} has the prefix; otherwise the order of any key with the prefix and {@code
     * key}.
     */
    private int comparePrefix(byte[] key) {
        return compare(prefixAt, prefixBytes, key, 0, Math.min(key.length, prefixBytes));
    }

    private int compareRest(int slot, byte[] key, int keyFrom) {
        int from = slot == 0 ? 0 : fenceEnd(slot - 1);
        int to = fenceEnd(slot);
        if (to < from) {
            throw damaged("fence " + slot);
        }
        return compare(fencesAt + from, to - from, key, keyFrom, key.length);
    }

    /** Compares a range of this block with a range of {@code key}. */
    private int compare(long from, int length, byte[] key, int keyFrom, int keyTo) {
        int common = Math.min(length, keyTo - keyFrom);
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long ours = bytes.get(TableFormat.LONG, from + i);
            long theirs = (long) TableFormat.ARRAY_LONG.get(key, keyFrom + i);
            if (ours != theirs) {
                return Long.compareUnsigned(ours, theirs);
            }
        }
        for (; i < common; i++) {
            byte ours = bytes.get(ValueLayout.JAVA_BYTE, from + i);
            if (ours != key[keyFrom + i]) {
                return Byte.compareUnsigned(ours, key[keyFrom + i]);
            }
        }
        return Integer.compare(length, keyTo - keyFrom);
    }

    private int fenceEnd(int slot) {
        int end = bytes.get(TableFormat.INT, slotsAt + (long) slot * SLOT_BYTES);
        if (end < 0 || end > fencesLimit) {
            throw damaged("fence " + slot);
        }
        return end;
    }

    public int targetLength(int slot) {
        int target = bytes.get(TableFormat.INT, slotsAt + (long) slot * SLOT_BYTES + 4);
        if (target <= 0 || target > targetsTo - targetOffset(slot)) {
            throw damaged("slot " + slot);
        }
        return target;
    }

    public long targetOffset(int slot) {
        long target = bytes.get(TableFormat.LONG, slotsAt + (long) slot * SLOT_BYTES + 8);
        if (target < targetsFrom || target >= targetsTo) {
            throw damaged("slot " + slot);
        }
        return target;
    }

    /**
     * Verifies the block in the file.
     *
     * @throws CorruptionException if it is damaged
     */
    public void check() {
        file.check(offset, length);
        byte kind =
                file.bytes()
                        .get(ValueLayout.JAVA_BYTE, offset + length - TableFormat.TRAILER_BYTES);
        if (kind != TableFormat.KIND_INDEX) {
            throw file.corrupt(offset, "kind %02x where an index should be".formatted(kind));
        }
    }

    /** Reports a number out of bounds: as a checksum failure, unless the checksum matches. */
    public CorruptionException damaged(String what) {
        if (length >= TableFormat.TRAILER_BYTES) {
            check();
        }
        return file.corrupt(offset, what);
    }
}

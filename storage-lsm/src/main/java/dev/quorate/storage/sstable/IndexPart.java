package dev.quorate.storage.sstable;

import dev.quorate.storage.CorruptionException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A part of a table's index, searched where it lies in the mapped file.
 *
 * <p>It is not checked before it is used: what it leads to is a data block that proves itself, so
 * that a damaged index can lead to a wrong block but never to a wrong entry. It is checked when the
 * answer would be that there is no entry. Until then its numbers are only kept within bounds.
 */
final class IndexPart {

    private static final int SLOT_BYTES = TableFormat.SLOT_BYTES;

    private final TableFile file;
    private final MemorySegment bytes;
    private final long offset;
    private final int length;
    private final long dataEnd;
    private final int count;

    /**
     * @param dataEnd where the data blocks end
     */
    IndexPart(TableFile file, long offset, int length, long dataEnd) {
        this.file = file;
        this.bytes = file.bytes();
        this.offset = offset;
        this.length = length;
        this.dataEnd = dataEnd;
        if (length < Integer.BYTES + SLOT_BYTES + TableFormat.TRAILER_BYTES) {
            throw damaged("an index part of " + length + " bytes");
        }
        this.count = bytes.get(TableFormat.INT, offset);
        if (count < 1 || count > fencesLimit() / SLOT_BYTES) {
            throw damaged("slot count " + count);
        }
    }

    private int fencesLimit() {
        return length - Integer.BYTES - TableFormat.TRAILER_BYTES;
    }

    int count() {
        return count;
    }

    long offset() {
        return offset;
    }

    /** The only block that can have {@code key}: the last whose fence is not after it. */
    int find(byte[] key) {
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (compareFence(middle, key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** The order of a slot's fence to {@code key}. */
    int compareFence(int slot, byte[] key) {
        int from = slot == 0 ? 0 : fenceEnd(slot - 1);
        int to = fenceEnd(slot);
        if (to < from) {
            throw damaged("fence " + slot);
        }
        long fence = offset + Integer.BYTES + (long) count * SLOT_BYTES + from;
        int fenceBytes = to - from;
        int common = Math.min(fenceBytes, key.length);
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long ours = bytes.get(TableFormat.LONG, fence + i);
            long theirs = (long) TableFormat.ARRAY_LONG.get(key, i);
            if (ours != theirs) {
                return Long.compareUnsigned(ours, theirs);
            }
        }
        for (; i < common; i++) {
            int order = Byte.compareUnsigned(bytes.get(ValueLayout.JAVA_BYTE, fence + i), key[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(fenceBytes, key.length);
    }

    private int fenceEnd(int slot) {
        int end = bytes.get(TableFormat.INT, slotAt(slot));
        if (end < 0 || end > fencesLimit() - count * SLOT_BYTES) {
            throw damaged("fence " + slot);
        }
        return end;
    }

    private long slotAt(int slot) {
        return offset + Integer.BYTES + (long) slot * SLOT_BYTES;
    }

    int blockLength(int slot) {
        int blockLength = bytes.get(TableFormat.INT, slotAt(slot) + 4);
        if (blockLength <= 0 || blockLength > dataEnd - blockOffset(slot)) {
            throw damaged("slot " + slot);
        }
        return blockLength;
    }

    long blockOffset(int slot) {
        long blockOffset = bytes.get(TableFormat.LONG, slotAt(slot) + 8);
        if (blockOffset < 0 || blockOffset >= dataEnd) {
            throw damaged("slot " + slot);
        }
        return blockOffset;
    }

    /**
     * Checks the part.
     *
     * @throws CorruptionException if it is not as it was written
     */
    void check() {
        file.check(offset, length);
        byte kind = bytes.get(ValueLayout.JAVA_BYTE, offset + length - TableFormat.TRAILER_BYTES);
        if (kind != TableFormat.KIND_INDEX) {
            throw file.corrupt(offset, "kind %02x where an index should be".formatted(kind));
        }
    }

    /** What is out of bounds fails its checksum too, unless it was written so. */
    CorruptionException damaged(String what) {
        check();
        return file.corrupt(offset, what);
    }
}

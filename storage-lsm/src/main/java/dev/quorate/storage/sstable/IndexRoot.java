package dev.quorate.storage.sstable;

import java.util.Arrays;

/**
 * The upper level of a table's index: where its parts are. Read and checked when the table is
 * opened, and held on the heap: about 30 bytes for each hundred data blocks.
 */
final class IndexRoot {

    private static final int SLOT_BYTES = TableFormat.SLOT_BYTES;

    private final byte[] block;
    private final int count;
    private final int fencesAt;

    private IndexRoot(byte[] block, int count) {
        this.block = block;
        this.count = count;
        this.fencesAt = Integer.BYTES + count * SLOT_BYTES;
    }

    /**
     * Reads the root that the footer points to.
     *
     * @throws dev.quorate.storage.CorruptionException if it is not as it was written
     */
    static IndexRoot read(TableFile file, Footer footer) {
        long offset = footer.rootOffset();
        int length = (int) (footer.filterOffset() - offset);
        int least = Integer.BYTES + SLOT_BYTES + TableFormat.TRAILER_BYTES;
        if (length < least) {
            throw file.corrupt(offset, "an index of " + length + " bytes");
        }
        byte[] block = new byte[length];
        file.read(offset, length, block);
        int slotsLimit = length - Integer.BYTES - TableFormat.TRAILER_BYTES;
        byte kind = block[length - TableFormat.TRAILER_BYTES];
        int count = (int) TableFormat.ARRAY_INT.get(block, 0);
        if (kind != TableFormat.KIND_INDEX || count < 1 || count > slotsLimit / SLOT_BYTES) {
            throw file.corrupt(offset, "kind %02x, slot count %d".formatted(kind, count));
        }
        IndexRoot root = new IndexRoot(block, count);
        root.requireWhole(file, footer, length - TableFormat.TRAILER_BYTES);
        return root;
    }

    /** The parts must follow each other without a gap, and the fences must ascend. */
    private void requireWhole(TableFile file, Footer footer, int blockEnd) {
        long expected = footer.indexOffset();
        for (int i = 0; i < count; i++) {
            boolean fenceInside =
                    fenceFrom(i) <= fenceTo(i) && fenceTo(i) <= blockEnd && fenceFrom(i) >= 0;
            boolean partInside =
                    partOffset(i) == expected
                            && partLength(i) > 0
                            && partLength(i) <= footer.rootOffset() - expected;
            if (!fenceInside || !partInside || !ascends(i)) {
                throw file.corrupt(footer.rootOffset(), "index slot " + i);
            }
            expected += partLength(i);
        }
        if (expected != footer.rootOffset() || fenceTo(count - 1) != blockEnd) {
            throw file.corrupt(footer.rootOffset(), "the index has a gap");
        }
    }

    private boolean ascends(int i) {
        return i == 0
                ? fenceTo(0) == fencesAt
                : Arrays.compareUnsigned(
                                block,
                                fenceFrom(i - 1),
                                fenceTo(i - 1),
                                block,
                                fenceFrom(i),
                                fenceTo(i))
                        < 0;
    }

    int parts() {
        return count;
    }

    /** The only part that can lead to {@code key}: the last whose fence is not after it. */
    int find(byte[] key) {
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            int order =
                    Arrays.compareUnsigned(
                            block, fenceFrom(middle), fenceTo(middle), key, 0, key.length);
            if (order <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private int fenceFrom(int slot) {
        return slot == 0 ? fencesAt : fenceTo(slot - 1);
    }

    private int fenceTo(int slot) {
        return fencesAt + (int) TableFormat.ARRAY_INT.get(block, Integer.BYTES + slot * SLOT_BYTES);
    }

    int partLength(int part) {
        return (int) TableFormat.ARRAY_INT.get(block, Integer.BYTES + part * SLOT_BYTES + 4);
    }

    long partOffset(int part) {
        return (long) TableFormat.ARRAY_LONG.get(block, Integer.BYTES + part * SLOT_BYTES + 8);
    }
}

package dev.quorate.storage.sstable.index;

import dev.quorate.storage.sstable.file.TableFormat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Encodes blocks of the index, parts or the root, one at a time. */
public final class IndexBlockWriter {

    private record Slot(byte[] fence, long offset, int length) {}

    private final List<Slot> slots = new ArrayList<>();
    private int fenceBytes;

    public boolean isEmpty() {
        return slots.isEmpty();
    }

    /** An upper bound of the current size of the block, in bytes. */
    public int bytes() {
        int slotBytes = slots.size() * (Long.BYTES + TableFormat.SLOT_BYTES);
        return TableFormat.INDEX_HEADER_BYTES + slotBytes + fenceBytes + TableFormat.TRAILER_BYTES;
    }

    /**
     * Adds a reference to a block.
     *
     * @param fence after every key of the previous block, and at or before every key of this one
     */
    public void add(byte[] fence, long offset, int length) {
        slots.add(new Slot(fence, offset, length));
        fenceBytes += fence.length;
    }

    /** Returns the block without its trailer, and starts an empty one. */
    public byte[] finish() {
        int prefixBytes = commonPrefix();
        ByteBuffer block = ByteBuffer.allocate(bytes());
        block.putInt(slots.size()).putInt(prefixBytes);
        for (int i = 0; i < slots.size(); i++) {
            block.putLong(i == 0 ? 0 : TableFormat.head(slots.get(i).fence, prefixBytes));
        }
        int fenceEnd = 0;
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get(i);
            fenceEnd += slot.fence.length - (i == 0 ? 0 : prefixBytes);
            block.putInt(fenceEnd).putInt(slot.length).putLong(slot.offset);
        }
        if (prefixBytes > 0) {
            block.put(slots.getLast().fence, 0, prefixBytes);
        }
        for (int i = 0; i < slots.size(); i++) {
            byte[] fence = slots.get(i).fence;
            int from = i == 0 ? 0 : prefixBytes;
            block.put(fence, from, fence.length - from);
        }
        slots.clear();
        fenceBytes = 0;
        return Arrays.copyOf(block.array(), block.position());
    }

    /**
     * The common prefix of all fences but the first. Fences ascend, so comparing the outer two
     * suffices.
     */
    private int commonPrefix() {
        if (slots.size() < 2) {
            return 0;
        }
        byte[] first = slots.get(1).fence;
        byte[] last = slots.getLast().fence;
        int common = Arrays.mismatch(first, last);
        return common < 0 ? first.length : common;
    }
}

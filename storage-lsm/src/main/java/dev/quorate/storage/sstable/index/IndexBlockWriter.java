package dev.quorate.storage.sstable.index;

import dev.quorate.storage.sstable.file.TableFormat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lays out one block of the index, a part or the root, at a time. */
public final class IndexBlockWriter {

    private record Slot(byte[] fence, long offset, int length) {}

    private final List<Slot> slots = new ArrayList<>();
    private int fenceBytes;

    public boolean isEmpty() {
        return slots.isEmpty();
    }

    /** The most bytes that the block may take as it is now. */
    public int bytes() {
        int slotBytes = slots.size() * (Long.BYTES + TableFormat.SLOT_BYTES);
        return TableFormat.INDEX_HEADER_BYTES + slotBytes + fenceBytes + TableFormat.TRAILER_BYTES;
    }

    /**
     * Points to a block.
     *
     * @param fence after every key of the block before, and not after any of this one
     */
    public void add(byte[] fence, long offset, int length) {
        slots.add(new Slot(fence, offset, length));
        fenceBytes += fence.length;
    }

    /** The block without its trailer; starts an empty one. */
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

    /** Of all fences but the first; they ascend, so what the outer two share all do. */
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

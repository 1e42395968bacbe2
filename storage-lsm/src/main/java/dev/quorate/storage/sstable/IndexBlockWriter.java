package dev.quorate.storage.sstable;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Lays out one block of the index, a part or the root, at a time. */
final class IndexBlockWriter {

    private final ByteArrayOutputStream slots = new ByteArrayOutputStream();
    private final ByteArrayOutputStream fences = new ByteArrayOutputStream();
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    int bytes() {
        return Integer.BYTES + slots.size() + fences.size() + TableFormat.TRAILER_BYTES;
    }

    /**
     * Points to a block.
     *
     * @param fence after every key of the block before, and not after any of this one
     */
    void add(byte[] fence, long offset, int length) {
        fences.writeBytes(fence);
        slots.writeBytes(
                ByteBuffer.allocate(TableFormat.SLOT_BYTES)
                        .putInt(fences.size())
                        .putInt(length)
                        .putLong(offset)
                        .array());
        count++;
    }

    /** The block without its trailer; starts an empty one. */
    byte[] finish() {
        byte[] block =
                ByteBuffer.allocate(Integer.BYTES + slots.size() + fences.size())
                        .putInt(count)
                        .put(slots.toByteArray())
                        .put(fences.toByteArray())
                        .array();
        slots.reset();
        fences.reset();
        count = 0;
        return block;
    }
}

package dev.quorate.storage.sstable.index;

import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects the positions of the data blocks, and writes the index after them in two levels: parts
 * of about one block each, and a root that refers to the parts. So a look-up reads one page of the
 * index, and a reader needs only the root in memory.
 */
public final class IndexWriter {

    /** A full part and the fence of its first block. */
    private record Part(byte[] fence, byte[] block) {}

    private final int partBytes;
    private final List<Part> parts = new ArrayList<>();
    private final IndexBlockWriter open = new IndexBlockWriter();
    private byte @Nullable [] openFence;
    private long bytes;

    public IndexWriter(int partBytes) {
        this.partBytes = partBytes;
    }

    /** The approximate size of the index, in bytes. */
    public long bytes() {
        return bytes + open.bytes();
    }

    public void add(byte[] fence, long offset, int length) {
        if (openFence == null) {
            openFence = fence;
        }
        open.add(fence, offset, length);
        if (open.bytes() >= partBytes) {
            closePart();
        }
    }

    private void closePart() {
        bytes += open.bytes();
        parts.add(new Part(Objects.requireNonNull(openFence), open.finish()));
        openFence = null;
    }

    /** Writes the parts, then the root; returns the offset of the root. */
    public long writeTo(TableOutput out) throws IOException {
        if (!open.isEmpty()) {
            closePart();
        }
        IndexBlockWriter root = new IndexBlockWriter();
        for (Part part : parts) {
            long offset = out.offset();
            out.write(part.block());
            root.add(part.fence(), offset, out.sealBlock(TableFormat.KIND_INDEX));
        }
        long rootOffset = out.offset();
        out.write(root.finish());
        out.sealBlock(TableFormat.KIND_INDEX);
        return rootOffset;
    }

    /** Encodes blocks of the index, parts or the root, one at a time. */
    private static final class IndexBlockWriter {

        private record Slot(byte[] fence, long offset, int length) {}

        private final List<Slot> slots = new ArrayList<>();
        private int fenceBytes;

        boolean isEmpty() {
            return slots.isEmpty();
        }

        /** An upper bound of the current size of the block, in bytes. */
        int bytes() {
            int slotBytes = slots.size() * (Long.BYTES + TableFormat.SLOT_BYTES);
            return TableFormat.INDEX_HEADER_BYTES
                    + slotBytes
                    + fenceBytes
                    + TableFormat.TRAILER_BYTES;
        }

        /**
         * Adds a reference to a block.
         *
         * @param fence after every key of the previous block, and at or before every key of this
         *     one
         */
        void add(byte[] fence, long offset, int length) {
            slots.add(new Slot(fence, offset, length));
            fenceBytes += fence.length;
        }

        /** Returns the block without its trailer, and starts an empty one. */
        byte[] finish() {
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
}

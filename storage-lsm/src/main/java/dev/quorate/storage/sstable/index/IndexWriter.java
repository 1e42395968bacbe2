package dev.quorate.storage.sstable.index;

import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import java.io.IOException;
import java.util.ArrayList;
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
}

package dev.quorate.storage.sstable;

import dev.quorate.storage.sstable.block.DescendingBlock;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the data blocks of a table in the reverse order of the file, and over each block
 * from its last entry to its first.
 *
 * <p>Detects skipped blocks independently of the index: each block must end where the next one
 * begins, from the end of the data down to offset 0.
 */
final class DescendingTableCursor extends BlockCursor {

    private final byte[] start;
    private final byte @Nullable [] end;
    private final DescendingBlock entries = new DescendingBlock(block);

    private @Nullable IndexBlock index;
    private int part;
    private int slot;

    /** The offset of the block, where the previous one must end. */
    private long offset;

    /** Takes ownership of a reference to the table, which {@link #close} releases. */
    DescendingTableCursor(
            TableReader table, TableOwner owner, byte[] start, byte @Nullable [] end) {
        super(table, owner);
        this.start = start;
        this.end = end;
    }

    @Override
    boolean move() {
        if (index == null) {
            seek();
        }
        while (!entries.next()) {
            if (offset == 0) {
                return false;
            }
            loadPrevious(Objects.requireNonNull(index));
        }
        return block.compareKeyTo(start) >= 0;
    }

    /** Loads the only block that can contain the last key before the end. */
    private void seek() {
        IndexBlock root = table.root();
        part = end == null ? root.count() - 1 : root.find(end);
        IndexBlock last = table.part(part);
        last.check();
        index = last;
        slot = end == null ? last.count() - 1 : last.find(end);
        long blockEnd = last.targetOffset(slot) + last.targetLength(slot);
        boolean isLast = part == root.count() - 1 && slot == last.count() - 1;
        if (isLast && blockEnd != table.dataEnd()) {
            throw last.damaged("the index ends before the data");
        }
        load(last);
        entries.seek(end);
    }

    private void loadPrevious(IndexBlock current) {
        IndexBlock from = current;
        if (slot == 0) {
            if (part == 0) {
                throw current.damaged("the index begins after the data");
            }
            part--;
            from = table.part(part);
            from.check();
            index = from;
            slot = from.count();
        }
        slot--;
        if (from.targetOffset(slot) + from.targetLength(slot) != offset) {
            throw from.damaged("slot " + slot + " does not point to the previous block");
        }
        load(from);
        entries.seek(null);
    }

    private void load(IndexBlock from) {
        offset = from.targetOffset(slot);
        block.load(table.file(), offset, from.targetLength(slot));
    }
}

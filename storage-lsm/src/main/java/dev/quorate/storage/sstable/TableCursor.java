package dev.quorate.storage.sstable;

import dev.quorate.storage.sstable.index.IndexBlock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the data blocks of a table in the order of the file.
 *
 * <p>Detects skipped blocks independently of the index: each block must begin where the previous
 * one ended, up to the end of the data.
 */
final class TableCursor extends BlockCursor {

    private final byte[] start;
    private final byte @Nullable [] end;

    private @Nullable IndexBlock index;
    private int part;
    private int slot;

    /** The required offset of the next block. */
    private long nextOffset;

    /** Takes ownership of a reference to the table, which {@link #close} releases. */
    TableCursor(TableReader table, TableOwner owner, byte[] start, byte @Nullable [] end) {
        super(table, owner);
        this.start = start;
        this.end = end;
    }

    @Override
    boolean move() {
        boolean found = index == null ? seek() : step();
        return found && (end == null || block.compareKeyTo(end) < 0);
    }

    private boolean seek() {
        part = table.root().find(start);
        IndexBlock first = table.part(part);
        first.check();
        index = first;
        slot = first.find(start);
        load(first, first.targetOffset(slot));
        return block.seek(start) || step();
    }

    private boolean step() {
        while (!block.next()) {
            if (nextOffset == table.dataEnd()) {
                return false;
            }
            loadNext(Objects.requireNonNull(index));
        }
        return true;
    }

    private void loadNext(IndexBlock current) {
        IndexBlock from = current;
        slot++;
        if (slot == current.count()) {
            slot = 0;
            part++;
            if (part == table.root().count()) {
                throw current.damaged("the index ends before the data");
            }
            from = table.part(part);
            from.check();
            index = from;
        }
        if (from.targetOffset(slot) != nextOffset) {
            throw from.damaged("slot " + slot + " does not point to the next block");
        }
        load(from, nextOffset);
    }

    private void load(IndexBlock from, long offset) {
        int length = from.targetLength(slot);
        block.load(table.file(), offset, length);
        nextOffset = offset + length;
    }
}

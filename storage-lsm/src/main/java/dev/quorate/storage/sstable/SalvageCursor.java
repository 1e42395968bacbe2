package dev.quorate.storage.sstable;

import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the readable blocks of a table, and records the key ranges of the others. Returns
 * either all entries of a block or none.
 *
 * <p>The key range of an unreadable block follows from the adjacent fences of the index; the range
 * of an unreadable index part follows from the fences of the root.
 */
public final class SalvageCursor extends BlockCursor {

    private final IndexBlock root;
    private final byte[] start;
    private final byte @Nullable [] end;
    private final List<KeyRange> lost = new ArrayList<>();

    private @Nullable IndexBlock index;
    private int part;
    private int slot;
    private boolean begun;
    private boolean inBlock;

    /** Takes ownership of a reference to the table, which {@link #close} releases. */
    SalvageCursor(TableReader table, TableOwner owner, byte[] start, byte @Nullable [] end) {
        super(table, owner);
        this.root = table.root();
        this.start = start;
        this.end = end;
    }

    /** The ranges that could not be read so far, ascending and disjoint. */
    public List<KeyRange> lost() {
        return List.copyOf(lost);
    }

    @Override
    boolean move() {
        while (inBlock || advance()) {
            if (!inBlock) {
                loadBlock();
            }
            while (inBlock && block.next()) {
                if (end != null && block.compareKeyTo(end) >= 0) {
                    return false;
                }
                if (block.compareKeyTo(start) >= 0) {
                    return true;
                }
            }
            inBlock = false;
        }
        return false;
    }

    /** Values are in the block, which was read completely. */
    @Override
    public @Nullable UnreadValue unreadValue() {
        return null;
    }

    /** Advances to the next block, skipping unreadable parts of the index. */
    private boolean advance() {
        IndexBlock current = index;
        if (current != null && slot + 1 < current.count()) {
            slot++;
            return isBeforeEnd(current, slot);
        }
        part = begun ? part + 1 : root.find(start);
        boolean first = !begun;
        begun = true;
        for (; part < root.count() && isBeforeEnd(root, part); part++) {
            try {
                IndexBlock opened = table.part(part);
                opened.check();
                index = opened;
                slot = first ? opened.find(start) : 0;
                return true;
            } catch (StorageException | InternalError unreadable) {
                lose(first(root, part), afterPart());
            }
            first = false;
        }
        index = null;
        return false;
    }

    private boolean isBeforeEnd(IndexBlock fences, int at) {
        return end == null || fences.compareFence(at, end) < 0;
    }

    private void loadBlock() {
        IndexBlock current = index;
        if (current == null) {
            return;
        }
        try {
            load(current);
            while (block.next()) {
                // Read the whole block before returning its first entry.
            }
            load(current);
            inBlock = true;
        } catch (StorageException | InternalError unreadable) {
            byte[] after = slot + 1 < current.count() ? current.fence(slot + 1) : afterPart();
            lose(first(current, slot), after);
        }
    }

    private void load(IndexBlock current) {
        block.load(table.file(), current.targetOffset(slot), current.targetLength(slot));
    }

    /** The smallest key after a part of the index. */
    private byte[] afterPart() {
        return part + 1 < root.count()
                ? root.fence(part + 1)
                : KeyRange.after(table.metadata().largestKey());
    }

    /** The smallest key of a block; the first block of a table has no fence. */
    private byte[] first(IndexBlock fences, int at) {
        byte[] fence = fences.fence(at);
        return fence.length == 0 ? table.metadata().smallestKey() : fence;
    }

    private void lose(byte[] from, byte[] to) {
        KeyRange last = lost.isEmpty() ? null : lost.getLast();
        if (last != null && Arrays.equals(last.end(), from)) {
            lost.removeLast();
            lost.add(new KeyRange(last.start(), to));
        } else {
            lost.add(new KeyRange(from, to));
        }
    }
}

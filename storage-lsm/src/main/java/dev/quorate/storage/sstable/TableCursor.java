package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.sstable.block.BlockReader;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the data blocks of a table in the order of the file, with one block in memory.
 *
 * <p>Detects skipped blocks independently of the index: each block must begin where the previous
 * one ended, up to the end of the data.
 */
final class TableCursor implements EntryCursor {

    private final TableReader table;
    private final TableOwner owner;
    private final byte[] start;
    private final byte @Nullable [] end;
    private final BlockReader block = new BlockReader();

    private @Nullable IndexBlock index;
    private int part;
    private int slot;

    /** The required offset of the next block. */
    private long nextOffset;

    private byte @Nullable [] key;
    private @Nullable Entry entry;
    private @Nullable RuntimeException failure;
    private boolean ended;
    private boolean closed;

    /** Takes over a reference to the table, which {@link #close} releases. */
    TableCursor(TableReader table, TableOwner owner, byte[] start, byte @Nullable [] end) {
        this.table = table;
        this.owner = owner;
        this.start = start;
        this.end = end;
    }

    @Override
    public boolean next() {
        if (failure != null) {
            throw failure;
        }
        entry = null;
        key = null;
        if (ended || closed) {
            return false;
        }
        try {
            boolean found = index == null ? seek() : step();
            if (found && (end == null || block.compareKeyTo(end) < 0)) {
                key = block.key();
                return true;
            }
        } catch (InternalError unreadable) {
            failure = owner.suspect(table.unreadable(unreadable));
            throw failure;
        } catch (StorageException damage) {
            failure = owner.suspect(damage);
            throw failure;
        } catch (RuntimeException cause) {
            failure = cause;
            throw cause;
        }
        ended = true;
        return false;
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

    @Override
    public Entry entry() {
        if (entry == null) {
            entry = reporting(() -> block.entry(key()));
        }
        return entry;
    }

    @Override
    public @Nullable UnreadValue unreadValue() {
        UnreadValue unread = entry == null && key != null ? block.unreadValue() : null;
        return unread == null
                ? null
                : unread.readBy(
                        (at, into, count) ->
                                reporting(
                                        () -> {
                                            unread.copy(at, into, count);
                                            return into;
                                        }));
    }

    /** Notes damage, and that the cursor has failed. */
    private <T> T reporting(Supplier<T> read) {
        try {
            return read.get();
        } catch (InternalError unreadable) {
            failure = owner.suspect(table.unreadable(unreadable));
            throw failure;
        } catch (StorageException damage) {
            failure = owner.suspect(damage);
            throw failure;
        }
    }

    @Override
    public byte[] key() {
        if (key == null || closed) {
            throw new IllegalStateException("not on an entry");
        }
        return key;
    }

    @Override
    public Timestamp timestamp() {
        if (key == null) {
            throw new IllegalStateException("not on an entry");
        }
        return block.timestamp();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            key = null;
            entry = null;
            owner.release();
        }
    }
}

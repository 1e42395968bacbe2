package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.sstable.block.BlockReader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the data blocks of a table, with one block in memory. After a failure every call
 * fails. Subclasses choose the next entry.
 */
abstract class BlockCursor implements EntryCursor {

    final TableReader table;
    final BlockReader block = new BlockReader();
    private final TableOwner owner;

    private byte @Nullable [] key;
    private @Nullable Entry entry;
    private @Nullable RuntimeException failure;
    private boolean ended;
    private boolean closed;

    /** Takes ownership of a reference to the table, which {@link #close} releases. */
    BlockCursor(TableReader table, TableOwner owner) {
        this.table = table;
        this.owner = owner;
    }

    /** Moves {@link #block} to the next entry; false at the end of the range. */
    abstract boolean move();

    @Override
    public final boolean next() {
        if (failure != null) {
            throw failure;
        }
        entry = null;
        key = null;
        if (ended || closed) {
            return false;
        }
        try {
            if (move()) {
                key = block.key();
                return true;
            }
        } catch (StorageException | InternalError unreadable) {
            failure = owner.suspect(unreadable);
            throw failure;
        } catch (RuntimeException cause) {
            failure = cause;
            throw cause;
        }
        ended = true;
        return false;
    }

    @Override
    public final Entry entry() {
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

    /** Runs a read, and records damage as the failure of the cursor. */
    private <T> T reporting(Supplier<T> read) {
        try {
            return read.get();
        } catch (StorageException | InternalError unreadable) {
            failure = owner.suspect(unreadable);
            throw failure;
        }
    }

    @Override
    public final byte[] key() {
        if (key == null || closed) {
            throw new IllegalStateException("not on an entry");
        }
        return key;
    }

    @Override
    public final Timestamp timestamp() {
        if (key == null) {
            throw new IllegalStateException("not on an entry");
        }
        return block.timestamp();
    }

    @Override
    public final void close() {
        if (!closed) {
            closed = true;
            key = null;
            entry = null;
            owner.release();
        }
    }
}

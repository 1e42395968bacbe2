package dev.quorate.storage.compaction;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.sstable.SSTable;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Iterates over one input table; identifies the table in failures, and reports progress. */
final class InputCursor implements EntryCursor {

    private final long table;
    private final EntryCursor entries;
    private final LongConsumer onRead;

    /**
     * @param onRead receives the number of entries read since the last call
     */
    InputCursor(SSTable table, LongConsumer onRead) {
        this.table = table.metadata().number();
        this.entries = table.scan(new byte[0], null);
        this.onRead = onRead;
    }

    @Override
    public boolean next() {
        try {
            boolean found = entries.next();
            if (found) {
                onRead.accept(1);
            }
            return found;
        } catch (StorageException e) {
            throw new UnreadableInputException(table, e);
        }
    }

    @Override
    public Entry entry() {
        try {
            return entries.entry();
        } catch (StorageException e) {
            throw new UnreadableInputException(table, e);
        }
    }

    @Override
    public byte[] key() {
        return entries.key();
    }

    @Override
    public Timestamp timestamp() {
        return entries.timestamp();
    }

    @Override
    public @Nullable UnreadValue unreadValue() {
        UnreadValue value = entries.unreadValue();
        return value == null
                ? null
                : value.readBy((at, into, count) -> copy(value, at, into, count));
    }

    private void copy(UnreadValue value, int at, byte[] into, int count) {
        try {
            value.copy(at, into, count);
        } catch (StorageException e) {
            throw new UnreadableInputException(table, e);
        }
    }

    @Override
    public void close() {
        entries.close();
    }
}

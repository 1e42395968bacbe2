package dev.quorate.router.replica;

import dev.quorate.storage.Entry;
import dev.quorate.storage.WriteCompletion;
import java.util.List;

/** Writes to both keyspaces of a node's store: see {@link dev.quorate.storage.Keyspaces#write}. */
@FunctionalInterface
public interface RecordedWrite {

    /**
     * Writes records and the entry that they describe. If the entry is stored, so are the records.
     *
     * @param entry the entry in the keyspace of data
     */
    void write(List<Entry> records, Entry entry, WriteCompletion completion);
}

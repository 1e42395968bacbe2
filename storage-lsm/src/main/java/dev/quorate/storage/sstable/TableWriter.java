package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.io.StorageFiles;
import java.nio.file.Path;

/**
 * Writes one sorted table. Used by one thread. Ends with either {@link #finish} or {@link
 * #abandon}.
 */
@SuppressWarnings({"DoNotCallSuggester"})
public final class TableWriter {

    /** Creates the table's file in {@code directory}. */
    public TableWriter(
            StorageFiles files,
            Path directory,
            long tableNumber,
            int level,
            StorageOptions options) {}

    /**
     * Appends an entry.
     *
     * @throws IllegalArgumentException if its key is not after the one before
     */
    public void add(Entry entry) {
        throw new UnsupportedOperationException();
    }

    /** About how large the file would be if it were finished now. */
    public long bytesWritten() {
        throw new UnsupportedOperationException();
    }

    /** Completes the file and forces it to disk; the caller syncs the directory. */
    public TableMetadata finish() {
        throw new UnsupportedOperationException();
    }

    /** Closes and deletes the file. Does nothing after {@link #finish}. */
    public void abandon() {
        throw new UnsupportedOperationException();
    }
}

package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.io.StorageFiles;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One sorted table, open for reading by any number of threads.
 *
 * <p>Reference counted: it is born with one reference, which belongs to whoever opened it. The last
 * release unmaps the file, and deletes it if the table was made obsolete. Look-ups and scans must
 * happen within a reference; an open cursor holds one of its own.
 */
@SuppressWarnings({"DoNotCallSuggester", "UnusedMethod"})
public final class SSTable {

    private final TableMetadata metadata;

    private SSTable(TableMetadata metadata) {
        this.metadata = metadata;
    }

    /**
     * Opens the table that {@code metadata} describes.
     *
     * @throws dev.quorate.storage.CorruptionException if the file is not that table
     */
    public static SSTable open(StorageFiles files, Path directory, TableMetadata metadata) {
        throw new UnsupportedOperationException();
    }

    /** The hash that {@link #find} wants, the same for every table. */
    public static long hash(byte[] key) {
        throw new UnsupportedOperationException();
    }

    /**
     * The table's entry of a key, or null.
     *
     * @param keyHash {@link #hash} of the key, computed once for all tables
     */
    public @Nullable Entry find(byte[] key, long keyHash) {
        throw new UnsupportedOperationException();
    }

    /** As {@link #find}, but answers NOT_RESIDENT rather than wait for a page from disk. */
    public Lookup findResident(byte[] key, long keyHash) {
        throw new UnsupportedOperationException();
    }

    /** The entries from {@code start} (included) to {@code end} (not; null: no end). */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        throw new UnsupportedOperationException();
    }

    public TableMetadata metadata() {
        return metadata;
    }

    /**
     * Reads and checks every byte of the file.
     *
     * @throws dev.quorate.storage.CorruptionException at the first that is not as it was written
     */
    public void verify() {
        throw new UnsupportedOperationException();
    }

    /** Takes a reference; false if the last one has been released. */
    public boolean tryRetain() {
        throw new UnsupportedOperationException();
    }

    /** Gives a reference back. */
    public void release() {
        throw new UnsupportedOperationException();
    }

    /** The file is to be deleted with the last release. Call when the manifest no longer has it. */
    public void markObsolete() {
        throw new UnsupportedOperationException();
    }
}

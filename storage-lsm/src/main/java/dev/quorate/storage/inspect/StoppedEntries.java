package dev.quorate.storage.inspect;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Keyspaces;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.cursor.MergingCursor;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.StoreVersion;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.LogRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The merged entries of several checkpoints: the newest of each key, including tombstones.
 * Read-only; has at most one block of each table in memory.
 *
 * <p>Not thread-safe. A damaged block fails the cursor that reads it.
 */
public final class StoppedEntries implements AutoCloseable {

    private final List<StoppedStore> stores = new ArrayList<>();
    private final List<SSTable> tables = new ArrayList<>();

    private StoppedEntries() {}

    /**
     * Opens checkpoints of stores.
     *
     * @throws StorageException.InUse if one is open in a store
     * @throws NoStoreException if one is not a checkpoint, or was opened as a store and written to
     * @throws CorruptionException if a manifest, or a table's end, is damaged or missing
     */
    public static StoppedEntries open(StorageFiles files, List<Path> directories)
            throws IOException {
        StoppedEntries opened = new StoppedEntries();
        try {
            for (Path directory : directories) {
                opened.add(files, directory);
            }
        } catch (IOException | RuntimeException | Error e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    private void add(StorageFiles files, Path directory) throws IOException {
        stores.add(StoppedStore.lock(files, directory));
        VersionSet versions = VersionSet.open(files, directory);
        if (versions.isFresh()) {
            throw new NoStoreException(directory + " holds no store");
        }
        StoreVersion version = versions.version();
        for (long segment : FileNames.numbers(files.list(directory), FileNames.Kind.LOG)) {
            if (segment >= version.oldestSegment()
                    && LogRecovery.containsRecords(files, directory, segment)) {
                String name = FileNames.log(segment);
                throw new NoStoreException(
                        directory + " is not a checkpoint: there are writes in its log, " + name);
            }
        }
        for (TableMetadata table : version.tables()) {
            tables.add(SSTable.open(files, directory, table));
        }
    }

    /**
     * The data of a range, without nodes' own records.
     *
     * @param end exclusive; null if unbounded
     */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        return Keyspaces.data(this::scanAll, start, end);
    }

    private EntryCursor scanAll(byte[] start, byte @Nullable [] end) {
        return new MergingCursor(tables.stream().map(table -> table.scan(start, end)).toList());
    }

    @Override
    public void close() throws IOException {
        tables.forEach(SSTable::release);
        tables.clear();
        for (StoppedStore store : stores) {
            store.close();
        }
        stores.clear();
    }
}

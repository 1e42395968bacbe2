package dev.quorate.storage.compaction;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Kept;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whole compactions for tests, which drop no tombstones. */
public final class Compactions {

    private Compactions() {}

    /** A compactor that ignores expiry. */
    public static Compactor compactor(
            StorageFiles files, Path directory, StorageOptions options, long tableBytes) {
        return new Compactor(files, directory, options, tableBytes, () -> 0);
    }

    /** Rules that shorten nothing. */
    static Merge.Rules rules(Predicate<Entry> droppable, @Nullable Kept keep) {
        return new Merge.Rules(droppable, keep, (key, value) -> null);
    }

    /** Runs a merge to its end; a failure leaves no new file. */
    public static List<TableMetadata> compact(
            Compactor compactor,
            CompactionDecision decision,
            List<SSTable> inputs,
            LongSupplier nextTableNumber,
            BooleanSupplier cancelled) {
        Merge merge =
                compactor.begin(
                        decision,
                        inputs,
                        nextTableNumber,
                        rules(tombstone -> false, null),
                        cancelled);
        try {
            while (merge.advance(Long.MAX_VALUE / 2)) {
                // One step suffices for any size that fits a disk.
            }
            return merge.finish();
        } catch (UnreadableInputException e) {
            merge.abandon();
            throw e.reason();
        } catch (RuntimeException | Error failure) {
            merge.abandon();
            throw failure;
        }
    }
}

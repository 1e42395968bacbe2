package dev.quorate.storage.compaction;

import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.SalvageCursor;
import dev.quorate.storage.sstable.TableMetadata;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Merges tables as a {@link CompactionPicker} decided: of each key the newest entry stays.
 *
 * <p>A tombstone is dropped only where the caller says so, not for having come to the last level.
 * Timestamps come from outside, so a value older than the tombstone may lie on any level, or still
 * arrive, by a hint or a repair, and would live again. Only the cluster can tell when that is over.
 *
 * <p>For the same reason an entry that has expired becomes a tombstone with its timestamp, and not
 * nothing. Its value is what takes the space. It is taken {@link #EXPIRY_GRACE_MILLIS} after the
 * moment, since that cannot be taken back: a clock that was set wrong for a while may hide a value,
 * but must not destroy it.
 */
public final class Compactor {

    /** Size at which an output is finished and the next begun, in bytes. */
    public static final long TABLE_BYTES = 16L << 20;

    /** How long after its expiry a value is kept at least, in milliseconds. */
    public static final long EXPIRY_GRACE_MILLIS = 10 * 60 * 1000;

    private final StorageFiles files;
    private final Path directory;
    private final StorageOptions options;
    private final long tableBytes;
    private final LongSupplier expiredMillis;

    /** One that never sees anything expire. */
    public Compactor(StorageFiles files, Path directory, StorageOptions options) {
        this(files, directory, options, TABLE_BYTES);
    }

    /** One that never sees anything expire, with tables of another size. */
    public Compactor(StorageFiles files, Path directory, StorageOptions options, long tableBytes) {
        this(files, directory, options, tableBytes, () -> 0);
    }

    /**
     * @param tableBytes size at which an output is finished and the next begun; exceeded by at most
     *     one entry
     * @param expiredMillis what expires at or before this moment has expired for certain;
     *     milliseconds since 1970
     */
    public Compactor(
            StorageFiles files,
            Path directory,
            StorageOptions options,
            long tableBytes,
            LongSupplier expiredMillis) {
        this.files = files;
        this.directory = directory;
        this.options = options;
        this.tableBytes = tableBytes;
        this.expiredMillis = expiredMillis;
    }

    /**
     * Merges the inputs into new tables with all their tombstones, forced to disk; the caller syncs
     * the directory, commits them to the manifest, and only then makes the inputs obsolete. Holds
     * one value, and a block of each input of level 0 and of each deeper level.
     *
     * @param inputs the open tables of the decision, held by the caller until this returns
     * @param nextTableNumber asked for a number never used before, once for each output
     * @param cancelled asked before each entry
     * @return the new tables, in key order, none overlapping another
     * @throws CancellationException if {@code cancelled} said so; like any failure, it leaves no
     *     new file
     * @throws dev.quorate.storage.StorageException if an input cannot be read or an output written
     */
    public List<TableMetadata> compact(
            CompactionDecision.Compact decision,
            List<SSTable> inputs,
            LongSupplier nextTableNumber,
            BooleanSupplier cancelled) {
        Merge merge = begin(decision, inputs, nextTableNumber, tombstone -> false, cancelled);
        try {
            while (merge.advance(Long.MAX_VALUE / 2)) {
                // Once is enough for anything that fits a disk.
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

    /**
     * As {@link #compact}, but leaves it to the caller to go on with it, and may drop tombstones.
     *
     * @param droppable asked, for each tombstone that is the newest entry of its key in the inputs,
     *     and for each expired value as a tombstone, whether it may go; what it says must hold
     *     until the outputs have taken the place of the inputs
     */
    public Merge begin(
            CompactionDecision.Compact decision,
            List<SSTable> inputs,
            LongSupplier nextTableNumber,
            Predicate<Entry> droppable,
            BooleanSupplier cancelled) {
        requireInputs(decision, inputs);
        CompactionOutput output =
                new CompactionOutput(
                        files,
                        directory,
                        options,
                        tableBytes,
                        decision.outputLevel(),
                        nextTableNumber);
        long expired = expiredMillis.getAsLong() - EXPIRY_GRACE_MILLIS;
        return new Merge(decision, inputs, output, expired, droppable, cancelled);
    }

    /**
     * What was written of a damaged table.
     *
     * @param outputs of the table's own level; none if nothing can be read
     * @param lost the ranges of keys that could not be read
     */
    public record Salvaged(List<TableMetadata> outputs, List<KeyRange> lost) {}

    /**
     * Writes what can be read of a table to new ones, forced to disk, as {@link #compact} does.
     *
     * @param wanted whether the outputs are, given the ranges that could not be read; else they are
     *     removed, and none are given
     * @throws UnreadableInputException if a block cannot be read that could be a moment before;
     *     like any failure, it leaves no new file
     */
    public Salvaged salvage(
            SSTable table,
            LongSupplier nextTableNumber,
            Predicate<List<KeyRange>> wanted,
            BooleanSupplier cancelled) {
        TableMetadata metadata = table.metadata();
        CompactionOutput output =
                new CompactionOutput(
                        files, directory, options, tableBytes, metadata.level(), nextTableNumber);
        try (SalvageCursor readable = table.salvage(new byte[0], null)) {
            while (readable.next()) {
                if (cancelled.getAsBoolean()) {
                    throw new CancellationException("salvaging cancelled");
                }
                output.add(salvaged(metadata.number(), readable));
            }
            if (wanted.test(readable.lost())) {
                return new Salvaged(output.finish(), readable.lost());
            }
            output.abandon();
            return new Salvaged(List.of(), readable.lost());
        } catch (RuntimeException | Error failure) {
            output.abandon();
            throw failure;
        }
    }

    private static Entry salvaged(long table, SalvageCursor readable) {
        try {
            return readable.entry();
        } catch (StorageException e) {
            throw new UnreadableInputException(table, e);
        }
    }

    private static void requireInputs(CompactionDecision.Compact decision, List<SSTable> inputs) {
        long[] wanted = decision.inputs().stream().mapToLong(TableMetadata::number).toArray();
        long[] given = inputs.stream().mapToLong(table -> table.metadata().number()).toArray();
        if (!Arrays.equals(wanted, given)) {
            throw new IllegalArgumentException(
                    "decided on " + Arrays.toString(wanted) + ", given " + Arrays.toString(given));
        }
    }
}

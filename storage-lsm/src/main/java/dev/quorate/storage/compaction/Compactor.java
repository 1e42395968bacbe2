package dev.quorate.storage.compaction;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Kept;
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
import org.jspecify.annotations.Nullable;

/**
 * Merges tables as a {@link CompactionPicker} decided, and retains the newest entry of each key.
 *
 * <p>A tombstone is dropped only where the caller allows it, not because it reached the deepest
 * level. Timestamps are assigned outside the store, so a value older than the tombstone may be on
 * any level, or still arrive by a hint or a repair, and would be resurrected. Only the cluster can
 * determine when that is no longer possible.
 *
 * <p>For the same reason an expired entry becomes a tombstone with its timestamp, which frees the
 * space of its value. This happens {@link #EXPIRY_GRACE_MILLIS} after the expiry because it is
 * irreversible: a clock that is wrong for a while may hide a value, but must not destroy it.
 *
 * @param tableBytes size at which an output is finished and the next begun; exceeded by at most one
 *     entry
 * @param expiredMillis entries that expire at or before this time have certainly expired;
 *     milliseconds since 1970
 */
public record Compactor(
        StorageFiles files,
        Path directory,
        StorageOptions options,
        long tableBytes,
        LongSupplier expiredMillis) {

    /** Size at which an output is finished and the next begun, in bytes. */
    public static final long TABLE_BYTES = 16L << 20;

    /** Minimum time that a value is retained after its expiry, in milliseconds. */
    public static final long EXPIRY_GRACE_MILLIS = 10 * 60 * 1000;

    /**
     * Begins a merge of the inputs into new tables, which it forces to disk; the caller syncs the
     * directory, commits the tables to the manifest, and only then marks the inputs obsolete. Needs
     * memory for one value, one block of each input of level 0, and one of each deeper level.
     *
     * @param inputs the open tables of the decision, retained by the caller until the merge ends
     * @param nextTableNumber returns an unused number; called once for each output
     * @param cancelled checked before each entry
     */
    public Merge begin(
            CompactionDecision decision,
            List<SSTable> inputs,
            LongSupplier nextTableNumber,
            Merge.Rules rules,
            BooleanSupplier cancelled) {
        requireInputs(decision, inputs);
        CompactionOutput output = output(decision.outputLevel(), nextTableNumber);
        long expired = expiredMillis.getAsLong() - EXPIRY_GRACE_MILLIS;
        return new Merge(decision, inputs, output, expired, rules, cancelled);
    }

    private CompactionOutput output(int level, LongSupplier nextTableNumber) {
        return new CompactionOutput(files, directory, options, tableBytes, level, nextTableNumber);
    }

    /**
     * The readable part of a damaged table, rewritten.
     *
     * @param outputs tables of the same level; empty if nothing is readable
     * @param lost the ranges of keys that could not be read
     */
    public record Salvaged(List<TableMetadata> outputs, List<KeyRange> lost) {}

    /**
     * Writes the readable entries of a table to new tables, and forces them to disk.
     *
     * @param keep entries that are not kept are dropped; null to keep all
     * @param wanted whether to retain the outputs, given the ranges that could not be read; if
     *     false they are deleted and the result contains none
     * @throws UnreadableInputException if a block has become unreadable since it was read; like any
     *     failure, it leaves no new file
     */
    public Salvaged salvage(
            SSTable table,
            LongSupplier nextTableNumber,
            @Nullable Kept keep,
            Predicate<List<KeyRange>> wanted,
            BooleanSupplier cancelled) {
        CompactionOutput output = output(table.metadata().level(), nextTableNumber);
        try (SalvageCursor readable = table.salvage(new byte[0], null)) {
            while (readable.next()) {
                if (cancelled.getAsBoolean()) {
                    throw new CancellationException("salvaging cancelled");
                }
                Entry entry = readEntry(readable);
                if (keep == null || keep.keeps(entry.key(), entry.from())) {
                    output.add(entry);
                }
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

    private static Entry readEntry(SalvageCursor readable) {
        try {
            return readable.entry();
        } catch (StorageException e) {
            throw new UnreadableInputException(e);
        }
    }

    private static void requireInputs(CompactionDecision decision, List<SSTable> inputs) {
        long[] decided = decision.inputs().stream().mapToLong(TableMetadata::number).toArray();
        long[] actual = inputs.stream().mapToLong(table -> table.metadata().number()).toArray();
        if (!Arrays.equals(decided, actual)) {
            throw new IllegalArgumentException(
                    "inputs "
                            + Arrays.toString(actual)
                            + ", decided on "
                            + Arrays.toString(decided));
        }
    }
}

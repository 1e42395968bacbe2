package dev.quorate.storage.compaction;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.cursor.ConcatenatingCursor;
import dev.quorate.storage.cursor.MergingCursor;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A compaction under way, which goes on a part at a time: so it can be held to a rate, or given up,
 * without a thread that waits. Used by one thread at a time. Ends with {@link #finish} or {@link
 * #abandon}; after an exception from any method, only {@code abandon} is left.
 */
public final class Merge {

    /** What a dropped entry counts for beside its key, as if it had been written. */
    private static final int DROPPED_BYTES = 32;

    private final CompactionOutput output;
    private final Predicate<Entry> droppable;
    private final BooleanSupplier cancelled;
    private final long expiredMillis;
    private final long inputEntries;
    private final MergingCursor merged;

    /** Read by whoever wants to know how far this is. */
    private volatile long passed;

    private long dropped;

    /**
     * @param inputs open, in the order of the decision; held by the caller until this has ended
     * @param expiredMillis what expires before this moment becomes a tombstone
     * @param droppable which tombstones need not be written
     */
    Merge(
            CompactionDecision.Compact decision,
            List<SSTable> inputs,
            CompactionOutput output,
            long expiredMillis,
            Predicate<Entry> droppable,
            BooleanSupplier cancelled) {
        this.output = output;
        this.expiredMillis = expiredMillis;
        this.droppable = droppable;
        this.cancelled = cancelled;
        this.inputEntries = decision.inputs().stream().mapToLong(TableMetadata::entries).sum();
        this.merged = new MergingCursor(cursors(decision, inputs));
    }

    /**
     * Goes on until at least so many more bytes are written or dropped, or there is nothing left.
     *
     * @return whether there is more to do
     * @throws CancellationException if it is not wanted any more
     * @throws UnreadableInputException if an input cannot be read
     * @throws dev.quorate.storage.StorageException if an output cannot be written
     */
    public boolean advance(long bytes) {
        long until = output.bytesWritten() + bytes;
        long droppedBytes = 0;
        while (output.bytesWritten() + droppedBytes < until) {
            if (cancelled.getAsBoolean()) {
                throw new CancellationException("compaction cancelled");
            }
            if (!merged.next()) {
                return false;
            }
            Entry entry = merged.entry().asOf(expiredMillis);
            if (entry.isTombstone() && droppable.test(entry)) {
                dropped++;
                droppedBytes += entry.key().length + DROPPED_BYTES;
            } else {
                output.add(entry);
            }
        }
        return true;
    }

    /**
     * Completes the last table and forces it.
     *
     * @return the new tables, in key order, none overlapping another; none at all if every entry
     *     was dropped
     */
    public List<TableMetadata> finish() {
        merged.close();
        return output.finish();
    }

    /** Leaves no new file. */
    public void abandon() {
        try {
            merged.close();
        } finally {
            output.abandon();
        }
    }

    /** Bytes of the new tables so far. */
    public long bytesWritten() {
        return output.bytesWritten();
    }

    /** How many tombstones were dropped so far. */
    public long dropped() {
        return dropped;
    }

    /** How much of the input was read, 0 to 1. By any thread. */
    public double progress() {
        return Math.min(1, (double) passed / inputEntries);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread at a time.
    private void passed(long entries) {
        passed += entries;
    }

    /** A cursor for each table of level 0, and one for the others of each level together. */
    private List<EntryCursor> cursors(CompactionDecision.Compact decision, List<SSTable> inputs) {
        List<EntryCursor> cursors = new ArrayList<>();
        SortedMap<Integer, List<SSTable>> deeper = new TreeMap<>();
        for (int i = 0; i < inputs.size(); i++) {
            int level = decision.inputs().get(i).level();
            if (level == 0) {
                cursors.add(new InputCursor(inputs.get(i), this::passed));
            } else {
                deeper.computeIfAbsent(level, none -> new ArrayList<>()).add(inputs.get(i));
            }
        }
        for (List<SSTable> level : deeper.values()) {
            level.sort(
                    Comparator.comparing(
                            table -> table.metadata().smallestKey(), Arrays::compareUnsigned));
            List<Supplier<EntryCursor>> inOrder = new ArrayList<>();
            for (SSTable table : level) {
                inOrder.add(() -> new InputCursor(table, this::passed));
            }
            cursors.add(new ConcatenatingCursor(inOrder));
        }
        return cursors;
    }
}

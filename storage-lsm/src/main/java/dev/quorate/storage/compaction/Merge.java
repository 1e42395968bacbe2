package dev.quorate.storage.compaction;

import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.Kept;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.ValueShortener;
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
import org.jspecify.annotations.Nullable;

/**
 * A running compaction, advanced in steps so that it can be throttled or cancelled without blocking
 * a thread. Used by one thread at a time. Ends with {@link #finish} or {@link #abandon}; after an
 * exception from any method, only {@code abandon} may be called.
 */
public final class Merge {

    /**
     * What becomes of the newest entry of each key in the inputs.
     *
     * @param droppable whether a tombstone, or an expired value passed as a tombstone, may be
     *     dropped. The result must remain valid until the outputs have replaced the inputs
     * @param keep an entry that is not kept is dropped; null to keep all
     */
    public record Rules(Predicate<Entry> droppable, @Nullable Kept keep, ValueShortener shortener) {

        private boolean isKept(byte[] key, int from) {
            return keep == null || keep.keeps(key, from);
        }
    }

    /**
     * The cost of a dropped entry in addition to what was read of it, in bytes, as if it had been
     * written.
     */
    private static final int DROPPED_BYTES = 32;

    private final CompactionOutput output;
    private final Rules rules;
    private final BooleanSupplier cancelled;
    private final long expiredMillis;
    private final long inputEntries;
    private final MergingCursor merged;

    /** Entries read; any thread may read it. */
    private volatile long passed;

    private long dropped;

    /**
     * @param inputs the open tables, in the order of the decision; retained by the caller until the
     *     merge ends
     * @param expiredMillis entries that expire at or before this time become tombstones
     */
    Merge(
            CompactionDecision decision,
            List<SSTable> inputs,
            CompactionOutput output,
            long expiredMillis,
            Rules rules,
            BooleanSupplier cancelled) {
        this.output = output;
        this.expiredMillis = expiredMillis;
        this.rules = rules;
        this.cancelled = cancelled;
        this.inputEntries = decision.inputs().stream().mapToLong(TableMetadata::entries).sum();
        this.merged = new MergingCursor(cursors(decision, inputs));
    }

    /**
     * Merges until at least {@code bytes} more are written or dropped, or the inputs end.
     *
     * @return whether any input remains
     * @throws CancellationException if the compaction is cancelled
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
            UnreadValue unread = merged.unreadValue();
            if (unread != null && !Entry.isExpired(unread.expiresAtMillis(), expiredMillis)) {
                if (!rules.isKept(merged.key(), unread.from())) {
                    droppedBytes += merged.key().length + DROPPED_BYTES;
                    continue;
                }
                Entry shorter = shortened(merged.key(), merged.timestamp(), unread);
                if (shorter == null) {
                    output.add(merged.key(), merged.timestamp(), unread);
                } else {
                    output.add(shorter);
                    droppedBytes += unread.bytes();
                }
                continue;
            }
            Entry entry = merged.entry().asOf(expiredMillis);
            if (!rules.isKept(entry.key(), entry.from())) {
                droppedBytes += entry.dataBytes() + DROPPED_BYTES;
            } else if (!entry.isTombstone()) {
                Entry shorter = shortened(entry.key(), entry.timestamp(), UnreadValue.of(entry));
                output.add(shorter == null ? entry : shorter);
                droppedBytes += shorter == null ? 0 : entry.valueBytes();
            } else if (rules.droppable().test(entry)) {
                dropped++;
                droppedBytes += entry.key().length + DROPPED_BYTES;
            } else {
                output.add(entry);
            }
        }
        return true;
    }

    /** The entry with a shorter value; null if it keeps its value. */
    private @Nullable Entry shortened(byte[] key, Timestamp timestamp, UnreadValue value) {
        byte[] shorter = rules.shortener().shortened(key, value);
        return shorter == null
                ? null
                : new Entry(
                        key,
                        timestamp,
                        shorter,
                        value.from(),
                        value.expiresAtMillis(),
                        value.contentType());
    }

    /**
     * Completes the last table and forces it.
     *
     * @return the new tables, in key order, none overlapping another; empty if every entry was
     *     dropped
     */
    public List<TableMetadata> finish() {
        merged.close();
        return output.finish();
    }

    /** Deletes all outputs. */
    public void abandon() {
        try {
            merged.close();
        } finally {
            output.abandon();
        }
    }

    /** Bytes written to the new tables so far. */
    public long bytesWritten() {
        return output.bytesWritten();
    }

    /** Tombstones dropped so far. */
    public long dropped() {
        return dropped;
    }

    /** The share of the input that has been read, 0 to 1. Callable from any thread. */
    public double progress() {
        return Math.min(1, (double) passed / inputEntries);
    }

    /** One cursor for each table of level 0, and one for each deeper level. */
    private List<EntryCursor> cursors(CompactionDecision decision, List<SSTable> inputs) {
        List<EntryCursor> cursors = new ArrayList<>();
        SortedMap<Integer, List<SSTable>> deeper = new TreeMap<>();
        for (int i = 0; i < inputs.size(); i++) {
            int level = decision.inputs().get(i).level();
            if (level == 0) {
                cursors.add(new InputCursor(inputs.get(i)));
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
                inOrder.add(() -> new InputCursor(table));
            }
            cursors.add(new ConcatenatingCursor(inOrder));
        }
        return cursors;
    }

    /** Iterates over one input table, and reports failures and progress. */
    private final class InputCursor implements EntryCursor {

        private final EntryCursor entries;

        InputCursor(SSTable table) {
            this.entries = table.scan(new byte[0], null);
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One thread at a time.
        public boolean next() {
            try {
                boolean found = entries.next();
                if (found) {
                    passed++;
                }
                return found;
            } catch (StorageException e) {
                throw new UnreadableInputException(e);
            }
        }

        @Override
        public Entry entry() {
            try {
                return entries.entry();
            } catch (StorageException e) {
                throw new UnreadableInputException(e);
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
                throw new UnreadableInputException(e);
            }
        }

        @Override
        public void close() {
            entries.close();
        }
    }
}

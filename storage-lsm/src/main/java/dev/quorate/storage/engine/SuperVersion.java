package dev.quorate.storage.engine;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A reader's view of the store: the active memtable, the sealed ones, the tables. Immutable except
 * that the active memtable grows. Retains each memtable and table until it is retired and its last
 * reader is done.
 */
final class SuperVersion {

    private final SegmentMemtable active;
    private final List<SegmentMemtable> sealed;
    private final List<SegmentMemtable> memtables;
    private final SSTable[] overlapping;
    private final SSTable[][] levels;
    private final List<SSTable> tables;
    private final Timestamp newestInTables;
    private final Timestamp newestBelowActive;
    private final References references;

    /**
     * @param active retained
     * @param sealed oldest first; each is retained
     * @param tables open; each is retained
     */
    SuperVersion(SegmentMemtable active, List<SegmentMemtable> sealed, List<SSTable> tables) {
        this.active = active;
        this.sealed = List.copyOf(sealed.reversed());
        this.memtables = Stream.concat(Stream.of(active), this.sealed.stream()).toList();
        this.tables = List.copyOf(tables);
        memtables.forEach(SegmentMemtable::retain);
        List<SSTable> flushedTables = new ArrayList<>();
        List<List<SSTable>> byLevel = new ArrayList<>();
        for (int level = 0; level <= TableMetadata.MAX_LEVEL; level++) {
            byLevel.add(new ArrayList<>());
        }
        Timestamp newest = Timestamp.ZERO;
        for (SSTable table : this.tables) {
            if (!table.tryRetain()) {
                throw new IllegalStateException(table.metadata() + " is closed");
            }
            int level = table.metadata().level();
            (level == 0 ? flushedTables : byLevel.get(level)).add(table);
            newest = later(newest, table.metadata().newest());
        }
        newestInTables = newest;
        for (SegmentMemtable memtable : sealed) {
            newest = later(newest, memtable.newest());
        }
        newestBelowActive = newest;
        // Newest first: a search ends at the first table that is older than the best entry.
        flushedTables.sort(
                Comparator.comparing((SSTable table) -> table.metadata().newest()).reversed());
        overlapping = flushedTables.toArray(SSTable[]::new);
        levels = new SSTable[byLevel.size()][];
        for (int level = 0; level < levels.length; level++) {
            levels[level] = byKey(byLevel.get(level));
        }
        references = new References(this::release);
    }

    private static Timestamp later(Timestamp one, Timestamp other) {
        return other.isAfter(one) ? other : one;
    }

    private static SSTable[] byKey(List<SSTable> level) {
        level.sort(
                (one, other) ->
                        Arrays.compareUnsigned(
                                one.metadata().smallestKey(), other.metadata().smallestKey()));
        return level.toArray(SSTable[]::new);
    }

    private void release() {
        memtables.forEach(SegmentMemtable::release);
        tables.forEach(SSTable::release);
    }

    References references() {
        return references;
    }

    SegmentMemtable active() {
        return active;
    }

    /** Newest first. */
    List<SegmentMemtable> sealed() {
        return sealed;
    }

    /** The active memtable, then the {@link #sealed} ones. */
    List<SegmentMemtable> memtables() {
        return memtables;
    }

    /** All tables, in no particular order. */
    List<SSTable> tables() {
        return tables;
    }

    /** Tables whose key ranges may overlap, the one with the newest entry first. */
    SSTable[] overlapping() {
        return overlapping;
    }

    /** The number of levels, including level 0, for which {@link #inLevel} returns null. */
    int levels() {
        return levels.length;
    }

    /** The one table of a level below level 0 that may contain {@code key}, or null. */
    @Nullable SSTable inLevel(int level, byte[] key) {
        SSTable[] sorted = levels[level];
        int low = 0;
        int high = sorted.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            TableMetadata metadata = sorted[middle].metadata();
            if (Arrays.compareUnsigned(key, metadata.smallestKey()) < 0) {
                high = middle - 1;
            } else if (Arrays.compareUnsigned(key, metadata.largestKey()) > 0) {
                low = middle + 1;
            } else {
                return sorted[middle];
            }
        }
        return null;
    }

    /** The tables that may contain {@code key}, in the order of a search. */
    List<SSTable> withKey(byte[] key) {
        List<SSTable> found = new ArrayList<>(List.of(overlapping));
        for (int level = 1; level < levels.length; level++) {
            SSTable table = inLevel(level, key);
            if (table != null) {
                found.add(table);
            }
        }
        return found;
    }

    /** The tables of a level below level 0, in key order; none overlaps another. */
    List<SSTable> level(int level) {
        return List.of(levels[level]);
    }

    /** A timestamp at or after every one in the tables. */
    Timestamp newestInTables() {
        return newestInTables;
    }

    /** A timestamp at or after every one in the tables and the sealed memtables. */
    Timestamp newestBelowActive() {
        return newestBelowActive;
    }

    /**
     * Counts the references to a resource, and disposes of it once it is retired and unreferenced.
     *
     * <p>The count is spread over stripes, one cache line each, because every read acquires a
     * reference and a single counter would bounce between cores. Correctness: {@link #tryRetain}
     * increments its stripe before it reads {@code retired}; {@link #retire} sets {@code retired}
     * before it reads the stripes. So either the new reference sees the retirement and is released,
     * or the retirement sees the reference. After retirement references only decrease, so stripes
     * that were read as zero one after another are all zero after the last read.
     */
    static final class References {

        private static final int STRIPES = 8;
        private static final int INTS_PER_CACHE_LINE = 16;

        private final AtomicIntegerArray counts =
                new AtomicIntegerArray(STRIPES * INTS_PER_CACHE_LINE);
        private final AtomicBoolean disposed = new AtomicBoolean();
        private final Runnable dispose;
        private volatile boolean retired;

        References(Runnable dispose) {
            this.dispose = dispose;
        }

        /**
         * Acquires a reference; returns a token for {@link #release}, or a negative number if
         * retired.
         */
        int tryRetain() {
            int stripe =
                    ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * INTS_PER_CACHE_LINE;
            counts.incrementAndGet(stripe);
            if (retired) {
                release(stripe);
                return -1;
            }
            return stripe;
        }

        void release(int token) {
            counts.decrementAndGet(token);
            if (retired) {
                disposeIfUnused();
            }
        }

        /** Rejects further references. */
        void retire() {
            retired = true;
            disposeIfUnused();
        }

        private void disposeIfUnused() {
            for (int stripe = 0; stripe < STRIPES; stripe++) {
                if (counts.get(stripe * INTS_PER_CACHE_LINE) != 0) {
                    return;
                }
            }
            if (disposed.compareAndSet(false, true)) {
                dispose.run();
            }
        }
    }
}

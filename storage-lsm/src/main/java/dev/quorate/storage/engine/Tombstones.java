package dev.quorate.storage.engine;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides which tombstones may be dropped, and which tables and memtables are worth rewriting for
 * their tombstones.
 *
 * <p>The caller guarantees that no further write is as old as the watermark, or ordered before one
 * that is. Age is the time at which a timestamp was {@linkplain Timestamp#madeAt made}; shadowing
 * follows the order of timestamps. Earlier writes are in a memtable or a table once the watermark
 * is {@link #reached}. From then on entries move only by flushes, which are atomic for a reader of
 * one version, and by compactions, one at a time. So if the current version at any later time
 * contains nothing older than a tombstone outside the inputs of a merge, that remains true until
 * the merge is committed: neither a snapshot nor a second check is needed.
 */
final class Tombstones {

    /** The share of tombstones among a table's entries that makes it worth a compaction. */
    static final double SHARE = 0.25;

    /** Minimum size of a memtable worth a flush for its tombstones: 1/16 of the full size. */
    private static final int MIN_PART = 16;

    private final LiveVersion live;
    private final double share;
    private final LongAdder dropped = new LongAdder();
    private Timestamp requested = Timestamp.ZERO;
    private volatile Timestamp reached = Timestamp.ZERO;

    /**
     * @param share the share of tombstones among a table's entries that makes it worth a compaction
     */
    Tombstones(LiveVersion live, double share) {
        this.live = live;
        this.share = share;
    }

    /** Records a requested watermark; returns whether it is later than all previous ones. */
    synchronized boolean request(Timestamp upTo) {
        boolean later = upTo.isAfter(requested);
        if (later) {
            requested = upTo;
        }
        return later;
    }

    /** Every write before the request of {@code upTo} is now in a memtable or a table. */
    synchronized void reach(Timestamp upTo) {
        if (upTo.isAfter(reached)) {
            reached = upTo;
        }
    }

    Timestamp reached() {
        return reached;
    }

    void register(Figures figures) {
        figures.counter(
                "tombstones_dropped",
                "Tombstones and expired values dropped by compaction.",
                dropped::sum);
        figures.gauge(
                "tombstones_collected_timestamp_seconds",
                "Compaction may drop tombstones older than this, in seconds since 1970.",
                () -> reached.wallMillis() / 1e3);
    }

    void countDropped(long count) {
        dropped.add(count);
    }

    /** Whether a tombstone may be dropped in a merge of {@code inputs}. */
    Predicate<Entry> droppable(List<TableMetadata> inputs) {
        Set<Long> numbers = inputs.stream().map(TableMetadata::number).collect(Collectors.toSet());
        return tombstone -> mayDrop(tombstone, numbers);
    }

    private boolean mayDrop(Entry tombstone, Set<Long> inputs) {
        // Read the watermark before the version: a version from before the watermark was reached
        // may lack writes that were still queued.
        if (tombstone.timestamp().ceiling().isAfter(reached)) {
            return false;
        }
        try (LiveVersion.Retained retained = live.retain()) {
            SuperVersion version = retained.version();
            long hash = SSTable.hash(tombstone.key());
            return version.memtables().stream()
                            .noneMatch(memtable -> mayContainOlder(memtable, tombstone, hash))
                    && version.withKey(tombstone.key()).stream()
                            .filter(table -> !inputs.contains(table.metadata().number()))
                            .noneMatch(table -> mayContainOlder(table, tombstone, hash));
        } catch (StorageException unreadable) {
            // An unreadable table may contain anything.
            return false;
        }
    }

    /**
     * Any entry of the key retains the tombstone if the memtable ever contained an entry as old:
     * the log may still contain an older entry that a newer one has superseded.
     */
    private static boolean mayContainOlder(SegmentMemtable memtable, Entry tombstone, long hash) {
        return memtable.mayContainAsOldAs(tombstone.timestamp(), tombstone.key(), hash);
    }

    private static boolean mayContainOlder(SSTable table, Entry tombstone, long hash) {
        return !table.metadata().oldest().isAfter(tombstone.timestamp())
                && !table.isCertainlyAbsent(tombstone.key(), hash);
    }

    /**
     * The numbers of the tables with a large share of tombstones that the watermark and the
     * memtables allow to drop.
     */
    Set<Long> worthCollecting() {
        Timestamp upTo = reached;
        SuperVersion version = live.current();
        return version.tables().stream()
                .map(SSTable::metadata)
                .filter(table -> table.tombstones() > 0)
                .filter(table -> table.tombstones() >= share * table.entries())
                .filter(table -> !table.newest().isAfter(upTo))
                .filter(
                        table ->
                                version.memtables().stream()
                                        .noneMatch(m -> m.everContainedAsOldAs(table.newest())))
                .map(TableMetadata::number)
                .collect(Collectors.toSet());
    }

    /**
     * Whether the active memtable should be flushed for its tombstones: without further writes it
     * would not be flushed, and the table entries that they shadow would retain their space.
     */
    boolean memtableIsWorthFlushing(long memtableBytes) {
        SegmentMemtable active = live.active();
        int tombstones = active.table().tombstones();
        return tombstones > 0
                && tombstones >= share * active.table().entries()
                && active.table().bytes() >= memtableBytes / MIN_PART
                && !active.newest().isAfter(reached);
    }
}

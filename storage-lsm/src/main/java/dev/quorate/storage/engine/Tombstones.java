package dev.quorate.storage.engine;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Knows which tombstones may go, and which tables and memtables are worth writing anew for theirs.
 *
 * <p>Nothing as old as the watermark comes any more; that is the caller's word. What had come
 * before is in a memtable or a table when the watermark is {@link #reached}. From there it moves by
 * flushes, each of which a reader of one version sees before or after, and by compactions, one at a
 * time. So if, at any moment after that, the version of the moment has nothing older than a
 * tombstone outside of the tables that are being merged, then that stays so until the merge is
 * installed: no snapshot is needed, and no second look.
 */
final class Tombstones {

    /** Of the entries of a table, the share that makes it worth a compaction. */
    static final double SHARE = 0.25;

    /** Of a full memtable, the part that is worth a flush for its tombstones. */
    private static final int MIN_PART = 16;

    private final LiveVersion live;
    private final double share;
    private final LongAdder dropped = new LongAdder();
    private Timestamp asked = Timestamp.ZERO;
    private volatile Timestamp reached = Timestamp.ZERO;

    /**
     * @param share the part of its entries that must be tombstones for a table to be worth a
     *     compaction for them alone
     */
    Tombstones(LiveVersion live, double share) {
        this.live = live;
        this.share = share;
    }

    /** Notes that a watermark was asked for; says whether it is later than those before. */
    synchronized boolean ask(Timestamp upTo) {
        boolean later = upTo.isAfter(asked);
        if (later) {
            asked = upTo;
        }
        return later;
    }

    /** All that was written before {@code upTo} was asked for is in memtables or tables. */
    synchronized void reach(Timestamp upTo) {
        if (upTo.isAfter(reached)) {
            reached = upTo;
        }
    }

    Timestamp reached() {
        return reached;
    }

    /** How many tombstones, and expired values, compactions have dropped since opening. */
    long dropped() {
        return dropped.sum();
    }

    void countDropped(long count) {
        dropped.add(count);
    }

    /** Which tombstones may be dropped where {@code inputs} are merged. */
    Predicate<Entry> droppable(List<TableMetadata> inputs) {
        Set<Long> numbers = new HashSet<>();
        for (TableMetadata input : inputs) {
            numbers.add(input.number());
        }
        return tombstone -> mayDrop(tombstone, numbers);
    }

    private boolean mayDrop(Entry tombstone, Set<Long> inputs) {
        // The watermark before the version: a version from before it was reached may lack what was
        // on its way.
        if (tombstone.timestamp().isAfter(reached)) {
            return false;
        }
        try (LiveVersion.Retained retained = live.retain()) {
            SuperVersion version = retained.version();
            long hash = SSTable.hash(tombstone.key());
            return !memtablesMayHoldOlder(version, tombstone, hash)
                    && !tablesMayHoldOlder(version, tombstone, hash, inputs);
        } catch (StorageException unreadable) {
            // What cannot be read may be anything.
            return false;
        }
    }

    /**
     * Any entry of the key keeps the tombstone, if the memtable ever took something as old: a newer
     * entry may have replaced an older one, which the log still has.
     */
    private static boolean memtablesMayHoldOlder(SuperVersion version, Entry tombstone, long hash) {
        if (mayHoldOlder(version.active(), tombstone, hash)) {
            return true;
        }
        for (SegmentMemtable memtable : version.sealed()) {
            if (mayHoldOlder(memtable, tombstone, hash)) {
                return true;
            }
        }
        return false;
    }

    private static boolean mayHoldOlder(SegmentMemtable memtable, Entry tombstone, long hash) {
        return memtable.tookAsOldAs(tombstone.timestamp())
                && memtable.table().get(tombstone.key(), hash) != null;
    }

    private static boolean tablesMayHoldOlder(
            SuperVersion version, Entry tombstone, long hash, Set<Long> inputs) {
        byte[] key = tombstone.key();
        for (SSTable table : version.overlapping()) {
            if (mayHoldOlder(table, tombstone, hash, inputs)) {
                return true;
            }
        }
        for (int level = 1; level < version.levels(); level++) {
            SSTable table = version.inLevel(level, key);
            if (table != null && mayHoldOlder(table, tombstone, hash, inputs)) {
                return true;
            }
        }
        return false;
    }

    private static boolean mayHoldOlder(
            SSTable table, Entry tombstone, long hash, Set<Long> inputs) {
        return !inputs.contains(table.metadata().number())
                && !table.metadata().oldest().isAfter(tombstone.timestamp())
                && !table.lacks(tombstone.key(), hash);
    }

    /**
     * The numbers of the tables of which a good part is tombstones that may go, as far as the
     * watermark and the memtables are concerned.
     */
    Set<Long> worthCollecting() {
        Timestamp upTo = reached;
        SuperVersion version = live.current();
        Set<Long> numbers = new HashSet<>();
        for (SSTable table : version.tables()) {
            TableMetadata metadata = table.metadata();
            if (metadata.tombstones() > 0
                    && metadata.tombstones() >= share * metadata.entries()
                    && !metadata.newest().isAfter(upTo)
                    && !memtablesTookAsOldAs(version, metadata.newest())) {
                numbers.add(metadata.number());
            }
        }
        return numbers;
    }

    private static boolean memtablesTookAsOldAs(SuperVersion version, Timestamp timestamp) {
        return version.active().tookAsOldAs(timestamp)
                || version.sealed().stream().anyMatch(each -> each.tookAsOldAs(timestamp));
    }

    /**
     * Whether the active memtable should be flushed for its tombstones: in it they hide what takes
     * space in tables, for as long as nothing more is written.
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

package dev.quorate.storage.engine;

import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreStatistics;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.CommitFigures;
import dev.quorate.storage.wal.GroupCommit;
import org.jspecify.annotations.Nullable;

/** Collects the counters of a store's components. */
final class Statistics {

    private Statistics() {}

    static StoreStatistics of(
            SuperVersion version,
            MemtableMemory memory,
            StorageOptions options,
            GroupCommit commit,
            Flusher flusher,
            CompactionRunner compaction,
            SpaceWatch space,
            Scrub scrub,
            long corruptReads) {
        long memtableBytes = version.active().table().bytes();
        for (SegmentMemtable memtable : version.sealed()) {
            memtableBytes += memtable.table().bytes();
        }
        long tableBytes = 0;
        long tombstones = 0;
        Timestamp oldestTombstone = null;
        for (SSTable table : version.tables()) {
            tableBytes += table.metadata().fileBytes();
            tombstones += table.metadata().tombstones();
            if (table.metadata().tombstones() > 0) {
                oldestTombstone = earlier(oldestTombstone, table.metadata().oldest());
            }
        }
        CommitFigures log = commit.figures();
        return new StoreStatistics(
                memtableBytes,
                (1L + version.sealed().size()) * options.segmentBytes(),
                version.tables().size(),
                tableBytes,
                log.writes(),
                log.syncs(),
                log.syncNanos(),
                commit.queuedBytes(),
                flusher.flushes(),
                compaction.compactions(),
                compaction.bytesRead(),
                compaction.bytesWritten(),
                log.stallNanos(),
                tombstones,
                space.freeBytes(),
                corruptReads + compaction.unreadableInputs() + scrub.found(),
                log.userBytes(),
                log.logBytes(),
                flusher.bytesWritten(),
                commit.delayNanos(),
                log.delayedWrites(),
                version.overlapping().length,
                compaction.damaged().numbers().size(),
                compaction.damaged().ranges(),
                compaction.damaged().healedRanges(),
                scrub.bytes(),
                compaction.tombstones().dropped(),
                oldestTombstone,
                compaction.tombstones().reached(),
                memory.arenas(),
                memory.bytes());
    }

    private static Timestamp earlier(@Nullable Timestamp one, Timestamp other) {
        return one == null || one.isAfter(other) ? other : one;
    }
}

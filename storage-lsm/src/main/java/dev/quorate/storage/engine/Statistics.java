package dev.quorate.storage.engine;

import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreStatistics;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.wal.CommitFigures;
import dev.quorate.storage.wal.GroupCommit;

/** Gathers what a store's parts have counted. */
final class Statistics {

    private Statistics() {}

    static StoreStatistics of(
            SuperVersion version,
            StorageOptions options,
            GroupCommit commit,
            Flusher flusher,
            CompactionRunner compaction,
            SpaceWatch space,
            long corruptReads) {
        long memtableBytes = version.active().table().bytes();
        for (SegmentMemtable memtable : version.sealed()) {
            memtableBytes += memtable.table().bytes();
        }
        long tableBytes = 0;
        long tombstones = 0;
        for (SSTable table : version.tables()) {
            tableBytes += table.metadata().fileBytes();
            tombstones += table.metadata().tombstones();
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
                corruptReads + compaction.damagedTables(),
                log.userBytes(),
                log.logBytes(),
                flusher.bytesWritten(),
                commit.delayNanos(),
                log.delayedWrites(),
                version.overlapping().length,
                compaction.damagedTables());
    }
}

package dev.quorate.storage;

import org.jspecify.annotations.Nullable;

/**
 * Counters and sizes of a store. Counters only grow while the store is open.
 *
 * @param memtableBytes bytes in use by the active and sealed memtables
 * @param logBytes bytes of live log segments
 * @param tables number of sorted tables
 * @param tableBytes bytes of sorted tables
 * @param writes entries made durable since opening
 * @param logSyncs how often the log was forced to disk since opening
 * @param logSyncNanos time spent in these fsyncs, in nanoseconds
 * @param queuedWriteBytes bytes of writes accepted but not yet durable
 * @param flushes memtables written to tables since opening
 * @param compactions compactions finished since opening
 * @param compactionBytesRead bytes read by compactions
 * @param compactionBytesWritten bytes written by compactions
 * @param stallNanos time for which writes were stopped, in nanoseconds
 * @param tombstones tombstones in sorted tables
 * @param freeDiskBytes free bytes of the disk that holds the store
 * @param checksumFailures blocks or records found corrupt since opening
 * @param userBytes bytes of keys and values made durable since opening
 * @param logBytesWritten bytes of log records written since opening
 * @param flushBytesWritten bytes of tables written by flushes since opening
 * @param delayNanos time for which the log was throttled, in nanoseconds
 * @param delayedWrites writes that arrived while it was throttled
 * @param level0Tables tables of level 0, each of which a look-up may have to search
 * @param damagedTables tables that are wholly or partly unreadable and excluded from compaction
 * @param damagedRanges ranges of keys whose newest entries these tables may have lost
 * @param healedRanges ranges healed since opening
 * @param scrubbedBytes bytes of tables that the scrub has verified
 * @param droppedTombstones tombstones and expired values dropped by compactions since opening
 * @param oldestTombstone the oldest timestamp in the sorted tables that contain tombstones: a lower
 *     bound for that of every tombstone; null if there are no tombstones
 * @param collectedUpTo the timestamp up to which tombstones may be dropped; {@link Timestamp#ZERO}
 *     if none may
 * @param memtableArenas memtables with memory outside the heap: the active one, the sealed ones,
 *     and flushed ones that readers still use
 * @param memtableAllocatedBytes bytes of this memory
 */
public record StoreStatistics(
        long memtableBytes,
        long logBytes,
        int tables,
        long tableBytes,
        long writes,
        long logSyncs,
        long logSyncNanos,
        long queuedWriteBytes,
        long flushes,
        long compactions,
        long compactionBytesRead,
        long compactionBytesWritten,
        long stallNanos,
        long tombstones,
        long freeDiskBytes,
        long checksumFailures,
        long userBytes,
        long logBytesWritten,
        long flushBytesWritten,
        long delayNanos,
        long delayedWrites,
        int level0Tables,
        int damagedTables,
        int damagedRanges,
        long healedRanges,
        long scrubbedBytes,
        long droppedTombstones,
        @Nullable Timestamp oldestTombstone,
        Timestamp collectedUpTo,
        int memtableArenas,
        long memtableAllocatedBytes) {

    /**
     * Bytes written to disk for each byte of key and value, since opening: log, flushes and
     * compactions. 0 if nothing was written.
     */
    public double writeAmplification() {
        return userBytes == 0
                ? 0
                : (double) (logBytesWritten + flushBytesWritten + compactionBytesWritten)
                        / userBytes;
    }
}

package dev.quorate.storage;

/**
 * Counters and sizes of a store. Counters only grow while the store is open.
 *
 * @param memtableBytes bytes held by the active and sealed memtables
 * @param logBytes bytes of live log segments
 * @param tables number of sorted tables
 * @param tableBytes bytes of sorted tables
 * @param writes entries made durable since opening
 * @param logSyncs how often the log was forced to disk since opening
 * @param logSyncNanos time spent in those, in nanoseconds
 * @param queuedWriteBytes bytes of writes accepted but not yet durable
 * @param flushes memtables written to tables since opening
 * @param compactions compactions finished since opening
 * @param compactionBytesRead bytes read by compactions
 * @param compactionBytesWritten bytes written by compactions
 * @param stallNanos time for which writes were held back, in nanoseconds
 * @param tombstones tombstones in sorted tables
 * @param freeDiskBytes free bytes of the disk that holds the store
 * @param checksumFailures blocks or records found corrupt since opening
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
        long checksumFailures) {}

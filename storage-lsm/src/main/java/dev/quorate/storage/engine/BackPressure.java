package dev.quorate.storage.engine;

import dev.quorate.storage.wal.Pacer;

/**
 * The rates of writes and of compaction as pure functions of the backlog.
 *
 * <p>Below a threshold writes are not throttled. Above it their rate falls by a constant factor for
 * each further unit of backlog, down to a floor above zero. The backlog accumulates the excess of
 * the write rate, so it converges where the rate equals the throughput of the disk and the
 * processor, which need not be known, measured or configured. The decision record lists the
 * alternatives.
 */
final class BackPressure {

    private static final long MIB = 1 << 20;

    /**
     * The rate at which throttling begins, in bytes of log per second; above the throughput of a
     * log.
     */
    static final long HIGHEST_RATE = 128 * MIB;

    /** The lowest rate, in bytes of log per second. */
    static final long LOWEST_RATE = MIB;

    /** Maximum number of sealed memtables while another one fills. */
    static final int MAX_SEALED = 2;

    /** Maximum flushed data that readers may retain in memory, in memtables. */
    private static final int MAX_PINNED = 5;

    private static final long MIN_PINNED_BYTES = MIB;

    /**
     * Backlog, in tables of level 0 less the progress of a running compaction, above which writes
     * are throttled.
     */
    static final double THROTTLING_TABLES = 6;

    /** Backlog at which writes are throttled to the lowest rate. */
    static final double MAX_TABLES = 16;

    /**
     * Backlog up to which compaction runs at its configured rate: level 0 is merged at four tables.
     */
    private static final double CONFIGURED_RATE_TABLES = 4;

    private BackPressure() {}

    /**
     * The rate of writes, in bytes of log per second, or {@link Pacer#UNLIMITED}.
     *
     * @param memory the pressure on the memtables, 0 to 1: {@link #memory}
     * @param backlog the compaction backlog, in tables of level 0, with fractions
     */
    static long bytesPerSecond(double memory, double backlog) {
        double tables = (backlog - THROTTLING_TABLES) / (MAX_TABLES - THROTTLING_TABLES);
        double pressure = Math.max(memory, tables);
        if (pressure <= 0) {
            return Pacer.UNLIMITED;
        }
        double ratio = (double) LOWEST_RATE / HIGHEST_RATE;
        return Math.max(LOWEST_RATE, (long) (HIGHEST_RATE * Math.pow(ratio, pressure)));
    }

    /**
     * The pressure on the memtables: 0 or less if the flush in progress will finish before the
     * active memtable is full, 1 if writes would have to stop for it.
     *
     * @param sealed the number of sealed memtables
     * @param fill the share of the active memtable that is full, 0 to 1
     * @param flushed the share of the oldest sealed memtable that is in its table, 0 to 1
     */
    static double memory(int sealed, double fill, double flushed) {
        double room = Math.max(0, 1 + MAX_SEALED - sealed - fill);
        double left = Math.max(0, 1 - flushed);
        return room >= left ? 0 : 1 - room / left;
    }

    /**
     * Maximum memory of flushed memtables that readers may retain while another one is sealed.
     * Bounds the memory of all memtables, regardless of the duration of reads.
     */
    static long maxPinnedBytes(long memtableBytes) {
        return Math.max(MIN_PINNED_BYTES, MAX_PINNED * memtableBytes);
    }

    /**
     * The rate of compaction, in bytes per second, or {@link Pacer#UNLIMITED}. It doubles with each
     * table of the backlog, and is unlimited before writes are throttled.
     *
     * @param configured the rate while the backlog is small; 0 for no limit
     */
    static long compactionBytesPerSecond(long configured, double backlog) {
        if (configured == 0 || backlog >= THROTTLING_TABLES) {
            return Pacer.UNLIMITED;
        }
        double excess = Math.max(0, backlog - CONFIGURED_RATE_TABLES);
        return (long) Math.min(Long.MAX_VALUE / 2.0, configured * Math.pow(2, excess));
    }
}

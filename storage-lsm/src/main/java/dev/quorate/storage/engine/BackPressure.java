package dev.quorate.storage.engine;

import dev.quorate.storage.wal.Pacer;

/**
 * How fast writes may come in, and how fast compaction should go, given what waits for them: pure
 * functions.
 *
 * <p>Below a threshold writes are not held back. Beyond it their rate falls by the same factor for
 * each further unit of what waits, down to a floor and not to nothing. What waits is the sum of
 * what came in too fast, so that it settles where the rate is what the disk and the processor can
 * do: nobody has to know, measure or set that rate. The decision's page has what was dropped.
 */
final class BackPressure {

    private static final long MIB = 1 << 20;

    /** Where holding back begins, in bytes of log a second; more than a log takes. */
    static final long HIGHEST_RATE = 128 * MIB;

    /** Writes are never held back further, in bytes of log a second. */
    static final long LOWEST_RATE = MIB;

    /** Full memtables that may wait for their flush while another one fills. */
    static final int MAX_SEALED = 2;

    /** Tables of level 0, less what a running compaction has done of them. */
    static final double TABLES_AT_EASE = 6;

    static final double MAX_TABLES = 16;

    /** Up to here compaction keeps to its rate: level 0 begins to be merged at four. */
    private static final double COMPACTION_AT_EASE = 4;

    private BackPressure() {}

    /**
     * The bytes of log that may be written in a second, or {@link Pacer#UNLIMITED}.
     *
     * @param memory how short of room the memtables are, 0 to 1: {@link #memory}
     * @param backlog what waits for compaction, in tables of level 0, with fractions
     */
    static long bytesPerSecond(double memory, double backlog) {
        double tables = (backlog - TABLES_AT_EASE) / (MAX_TABLES - TABLES_AT_EASE);
        double pressure = Math.max(memory, tables);
        if (pressure <= 0) {
            return Pacer.UNLIMITED;
        }
        double ratio = (double) LOWEST_RATE / HIGHEST_RATE;
        return Math.max(LOWEST_RATE, (long) (HIGHEST_RATE * Math.pow(ratio, pressure)));
    }

    /**
     * How short of room the memtables are: 0 or less if the active one fills no faster than the
     * flush goes on that will make room for the next, 1 if writes would have to stop for it.
     *
     * @param sealed memtables that are full and not in tables
     * @param fill how full the active one is, 0 to 1
     * @param flushed how much of the oldest sealed one is in its table, 0 to 1
     */
    static double memory(int sealed, double fill, double flushed) {
        double room = Math.max(0, 1 + MAX_SEALED - sealed - fill);
        double left = Math.max(0, 1 - flushed);
        return room >= left ? 0 : 1 - room / left;
    }

    /**
     * The bytes that compaction may write in a second, or {@link Pacer#UNLIMITED}. It doubles with
     * each table that waits: when writes are about to be held back, nothing holds compaction.
     *
     * @param atEase the rate when little waits; 0 for no limit
     */
    static long compactionBytesPerSecond(long atEase, double backlog) {
        if (atEase == 0 || backlog >= TABLES_AT_EASE) {
            return Pacer.UNLIMITED;
        }
        double excess = Math.max(0, backlog - COMPACTION_AT_EASE);
        return (long) Math.min(Long.MAX_VALUE / 2.0, atEase * Math.pow(2, excess));
    }
}

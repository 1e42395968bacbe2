package dev.quorate.router.runtime;

/**
 * Durations of the store's log.
 *
 * @param forced the duration of each fsync
 * @param waited for each group of writes, the time from the arrival of its first write to its start
 */
public record LogTimes(DurationCounts forced, DurationCounts waited) {}

package dev.quorate.router.runtime;

/**
 * How long the store's log has taken.
 *
 * @param forced for each fsync
 * @param waited for each group of writes, until it began, since its first write came
 */
public record LogTimes(DurationCounts forced, DurationCounts waited) {}

package dev.quorate.node.admin;

import dev.quorate.node.runtime.DurationCounts;

/**
 * Clients' requests since the node started.
 *
 * @param gets of entities, by duration
 * @param puts of entities, by duration
 * @param others all other operations
 * @param failures answers with a status of 500 or above, of any operation
 */
public record RequestTotals(DurationCounts gets, DurationCounts puts, long others, long failures) {}

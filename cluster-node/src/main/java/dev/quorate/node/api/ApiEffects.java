package dev.quorate.node.api;

import dev.quorate.node.runtime.Scheduler;
import dev.quorate.node.runtime.Ticker;
import java.util.concurrent.Executor;

/**
 * What the API is given to act with.
 *
 * @param background compresses ranges, reads batches and continues ranges that have waited; must
 *     take {@link ClientApi#MAX_TASKS} at once
 * @param scheduler wakes ranges that wait
 * @param ticker the clock
 */
public record ApiEffects(Executor background, Scheduler scheduler, Ticker ticker) {}

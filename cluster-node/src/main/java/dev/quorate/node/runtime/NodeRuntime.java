package dev.quorate.node.runtime;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the parts of a node run on. With simulated ones a whole cluster runs on one thread, and the
 * same way each time.
 *
 * @param ticker the clocks of the machine
 * @param scheduler its timers
 * @param random spreads what the nodes of a cluster would otherwise do at the same time, and makes
 *     the secret of a node without peers
 * @param blocking where tasks may wait for the disk; throws {@link
 *     java.util.concurrent.RejectedExecutionException} when too many do
 */
public record NodeRuntime(
        Ticker ticker, Scheduler scheduler, RandomGenerator random, Executor blocking) {

    /** Runs tasks one after the other where they may wait for the disk. */
    public SerialExecutor serial() {
        return new SerialExecutor(blocking, scheduler, Integer.MAX_VALUE);
    }
}

package dev.quorate.router.runtime;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The clocks, timers and executors of a node. With simulated ones, a whole cluster runs
 * deterministically on one thread.
 *
 * @param ticker the clocks of the machine
 * @param scheduler its timers
 * @param random spreads out work that the nodes of a cluster would otherwise do at the same time,
 *     and draws the secret of a node without peers
 * @param blocking runs tasks that wait for the disk; throws {@link
 *     java.util.concurrent.RejectedExecutionException} when it is full
 * @param events the events of this node, for its operator
 */
public record NodeRuntime(
        Ticker ticker,
        Scheduler scheduler,
        RandomGenerator random,
        Executor blocking,
        EventLog events) {

    /** Creates a runtime with an empty log of events. */
    public NodeRuntime(
            Ticker ticker, Scheduler scheduler, RandomGenerator random, Executor blocking) {
        this(ticker, scheduler, random, blocking, new EventLog(ticker));
    }

    /** A serial executor on {@link #blocking}. */
    public SerialExecutor serial() {
        return new SerialExecutor(blocking, scheduler, Integer.MAX_VALUE);
    }
}

package dev.quorate.testkit;

import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clocks of a machine. Tests can skew the wall clock, which runs at the true speed. The
 * monotonic clock is always right.
 */
public final class TestClock implements Ticker {

    private final String node;
    private final FaultLog log;
    private final AtomicLong clusterAheadMillis;

    /** How far the wall clock is ahead of the cluster's time, in milliseconds. */
    private final AtomicLong aheadMillis = new AtomicLong();

    /**
     * @param clusterAheadMillis how far the time of the whole cluster is ahead of the true time
     */
    TestClock(String node, FaultLog log, AtomicLong clusterAheadMillis) {
        this.node = node;
        this.log = log;
        this.clusterAheadMillis = clusterAheadMillis;
    }

    /** Sets how far the wall clock is ahead of the cluster's time; negative: behind it. */
    public void setAhead(Duration ahead) {
        aheadMillis.set(ahead.toMillis());
        log.record(node + ": its clock is " + ahead + " ahead");
    }

    /** Advances the wall clock at once; a negative duration sets it back. */
    public void step(Duration by) {
        aheadMillis.addAndGet(by.toMillis());
        log.record(node + ": its clock is stepped by " + by);
    }

    /** How far the wall clock is ahead of the cluster's time. */
    public Duration ahead() {
        return Duration.ofMillis(aheadMillis.get());
    }

    /** The time that the wall clock shows. */
    public Instant now() {
        return Instant.ofEpochMilli(wallMillis());
    }

    @Override
    public long wallMillis() {
        return SystemTicker.INSTANCE.wallMillis() + clusterAheadMillis.get() + aheadMillis.get();
    }

    @Override
    public long nanos() {
        return SystemTicker.INSTANCE.nanos();
    }
}

package dev.quorate.testkit;

import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A machine's clocks. The wall clock can be skewed, and runs at the true speed; the monotonic clock
 * is always right, as on a real machine.
 */
public final class TestClock {

    private final String node;
    private final FaultLog log;
    private final AtomicLong clusterAheadMillis;

    /** How far ahead of the cluster's time, in milliseconds. */
    private final AtomicLong aheadMillis = new AtomicLong();

    /**
     * @param clusterAheadMillis how far the cluster's time is ahead of the true time, for all its
     *     nodes at once
     */
    TestClock(String node, FaultLog log, AtomicLong clusterAheadMillis) {
        this.node = node;
        this.log = log;
        this.clusterAheadMillis = clusterAheadMillis;
    }

    /** Sets it so far ahead of the cluster's time; behind it if negative. */
    public void setAhead(Duration ahead) {
        aheadMillis.set(ahead.toMillis());
        log.record(node + ": its clock is " + ahead + " ahead");
    }

    /** Moves it on by so much, at once; back if negative. */
    public void step(Duration by) {
        aheadMillis.addAndGet(by.toMillis());
        log.record(node + ": its clock is stepped by " + by);
    }

    /** How far it is ahead of the cluster's time. */
    public Duration ahead() {
        return Duration.ofMillis(aheadMillis.get());
    }

    /** What it shows. */
    public Instant now() {
        return Instant.ofEpochMilli(wallMillis());
    }

    private long wallMillis() {
        return SystemTicker.INSTANCE.wallMillis() + clusterAheadMillis.get() + aheadMillis.get();
    }

    Ticker ticker() {
        return new Ticker() {
            @Override
            public long wallMillis() {
                return TestClock.this.wallMillis();
            }

            @Override
            public long nanos() {
                return SystemTicker.INSTANCE.nanos();
            }
        };
    }
}

package dev.quorate.harness;

import java.util.HashMap;
import java.util.Map;

/**
 * A clock for tests that either advances only when it is set, or jumps to the time of each wait.
 */
public final class VirtualClock implements NanoClock {

    private final boolean jumps;
    private final Map<Thread, Long> waiting = new HashMap<>();
    private long now;

    private VirtualClock(boolean jumps) {
        this.jumps = jumps;
    }

    /** A clock that advances only when it is set. */
    public static VirtualClock standing() {
        return new VirtualClock(false);
    }

    /** A clock that jumps to the time of each wait, so that no thread blocks. */
    public static VirtualClock jumping() {
        return new VirtualClock(true);
    }

    @Override
    public synchronized long nanos() {
        return now;
    }

    @Override
    public synchronized void awaitNanos(long due) {
        if (jumps) {
            now = Math.max(now, due);
            return;
        }
        waiting.put(Thread.currentThread(), due);
        notifyAll();
        try {
            while (now < due) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting.remove(Thread.currentThread());
        }
    }

    /** Returns when a thread waits for that time. */
    public synchronized void awaitWaiterFor(long due) throws InterruptedException {
        while (!waiting.containsValue(due)) {
            wait();
        }
    }

    /** Sets the time and wakes all threads whose wait is over. */
    public synchronized void set(long nanos) {
        now = nanos;
        notifyAll();
    }
}

package dev.quorate.harness;

import java.util.HashMap;
import java.util.Map;

/** A clock that advances only when it is set. */
final class VirtualClock implements NanoClock {

    private final Map<Thread, Long> waiting = new HashMap<>();
    private long now;

    @Override
    public synchronized long nanos() {
        return now;
    }

    @Override
    public synchronized void awaitNanos(long due) {
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
    synchronized void awaitWaiterFor(long due) throws InterruptedException {
        while (!waiting.containsValue(due)) {
            wait();
        }
    }

    /** Sets the time and wakes all threads whose wait is over. */
    synchronized void set(long nanos) {
        now = nanos;
        notifyAll();
    }
}

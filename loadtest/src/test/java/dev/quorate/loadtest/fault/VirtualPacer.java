package dev.quorate.loadtest.fault;

import java.util.HashMap;
import java.util.Map;

/** A clock that stands still unless it is set, or unless it goes by itself to whatever is due. */
final class VirtualPacer implements Pacer {

    private final boolean jumps;
    private final Map<Thread, Long> waiting = new HashMap<>();
    private long now;

    private VirtualPacer(boolean jumps) {
        this.jumps = jumps;
    }

    static VirtualPacer standing() {
        return new VirtualPacer(false);
    }

    /** Nobody waits for long. */
    static VirtualPacer jumping() {
        return new VirtualPacer(true);
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

    /** Returns when somebody waits for that moment. */
    synchronized void awaitWaiterFor(long due) throws InterruptedException {
        while (!waiting.containsValue(due)) {
            wait();
        }
    }

    synchronized void set(long nanos) {
        now = nanos;
        notifyAll();
    }
}

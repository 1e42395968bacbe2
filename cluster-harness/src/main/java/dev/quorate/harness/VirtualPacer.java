package dev.quorate.harness;

import java.util.HashMap;
import java.util.Map;

/** A clock that stands still unless it is set, or unless it goes by itself to whatever is due. */
public final class VirtualPacer implements Pacer {

    private final boolean jumps;
    private final Map<Thread, Long> waiting = new HashMap<>();
    private long now;

    private VirtualPacer(boolean jumps) {
        this.jumps = jumps;
    }

    /** Stands still unless it is set. */
    public static VirtualPacer standing() {
        return new VirtualPacer(false);
    }

    /** Nobody waits for long. */
    public static VirtualPacer jumping() {
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
    public synchronized void awaitWaiterFor(long due) throws InterruptedException {
        while (!waiting.containsValue(due)) {
            wait();
        }
    }

    /** Sets it, and wakes who waits for a moment up to then. */
    public synchronized void set(long nanos) {
        now = nanos;
        notifyAll();
    }
}

package dev.quorate.router.coordinator.operation;

import dev.quorate.router.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * A queue of keys whose replicas differed. After a delay, each key is read from all its replicas
 * and repaired. Most differ only during a write, and need no repair after the delay.
 *
 * <p>The queue is bounded: further keys are dropped and counted. The lock guards the fields, and is
 * not held during calls to the scheduler or the read.
 */
public final class DeferredReadRepairs {

    /** Reads a key from its first {@code from} replicas, and repairs it. */
    @FunctionalInterface
    public interface RepairingRead {
        void start(byte[] key, int from, Runnable whenDone);
    }

    private static final Duration DELAY = Duration.ofMillis(250);
    private static final int MAX_QUEUED = 1_024;
    private static final int MAX_RUNNING = 4;

    private final Scheduler scheduler;
    private final RepairingRead read;
    private final Set<OwnedKey> queued = new LinkedHashSet<>();
    private final LongAdder started = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private int running;
    private boolean isScheduled;

    public DeferredReadRepairs(Scheduler scheduler, RepairingRead read) {
        this.scheduler = scheduler;
        this.read = read;
    }

    /** Adds a key whose first {@code from} replicas differ. */
    public void enqueue(byte[] key, int from) {
        synchronized (this) {
            OwnedKey owned = new OwnedKey(key, from);
            if (queued.contains(owned)) {
                return;
            }
            if (queued.size() >= MAX_QUEUED) {
                dropped.increment();
                return;
            }
            queued.add(owned);
            if (isScheduled) {
                return;
            }
            isScheduled = true;
        }
        scheduler.after(DELAY, this::startSome);
    }

    private void startSome() {
        List<OwnedKey> some = new ArrayList<>();
        boolean hasMore;
        synchronized (this) {
            while (running < MAX_RUNNING && !queued.isEmpty()) {
                OwnedKey first = queued.iterator().next();
                some.add(first);
                queued.remove(first);
                running++;
            }
            hasMore = !queued.isEmpty();
            isScheduled = hasMore;
        }
        for (OwnedKey each : some) {
            started.increment();
            read.start(each.key(), each.from(), this::finished);
        }
        if (hasMore) {
            scheduler.after(DELAY, this::startSome);
        }
    }

    private synchronized void finished() {
        running--;
    }

    public long started() {
        return started.sum();
    }

    /** How many keys were dropped because the queue was full. */
    public long dropped() {
        return dropped.sum();
    }
}

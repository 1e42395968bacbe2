package dev.quorate.node.coordinator;

import dev.quorate.node.runtime.Scheduler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * A queue of keys whose replicas differed. Each is read from all its replicas, and repaired, after
 * a delay: most are in the middle of a write, and then need no repair.
 *
 * <p>Bounded: what does not fit is dropped and counted. The lock guards the fields; nothing is
 * called with it held.
 */
final class DeferredReadRepairs {

    /** Reads a key from its first {@code from} replicas, and repairs it. */
    @FunctionalInterface
    interface RepairingRead {
        void start(byte[] key, int from, Runnable whenDone);
    }

    private static final Duration DELAY = Duration.ofMillis(250);
    private static final int MAX_QUEUED = 1_024;
    private static final int MAX_RUNNING = 4;

    private final Scheduler scheduler;
    private final RepairingRead read;
    private final Map<ByteBuffer, Integer> queued = new LinkedHashMap<>();
    private final LongAdder started = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private int running;
    private boolean isScheduled;

    DeferredReadRepairs(Scheduler scheduler, RepairingRead read) {
        this.scheduler = scheduler;
        this.read = read;
    }

    /** Adds a key whose first {@code from} replicas differ. */
    void enqueue(byte[] key, int from) {
        synchronized (this) {
            ByteBuffer wrapped = ByteBuffer.wrap(key);
            if (queued.containsKey(wrapped)) {
                return;
            }
            if (queued.size() >= MAX_QUEUED) {
                dropped.increment();
                return;
            }
            queued.put(wrapped, from);
            if (isScheduled) {
                return;
            }
            isScheduled = true;
        }
        scheduler.after(DELAY, this::startSome);
    }

    private void startSome() {
        List<Map.Entry<ByteBuffer, Integer>> some = new ArrayList<>();
        boolean hasMore;
        synchronized (this) {
            while (running < MAX_RUNNING && !queued.isEmpty()) {
                Map.Entry<ByteBuffer, Integer> first = queued.entrySet().iterator().next();
                some.add(Map.entry(first.getKey(), first.getValue()));
                queued.remove(first.getKey());
                running++;
            }
            hasMore = !queued.isEmpty();
            isScheduled = hasMore;
        }
        for (Map.Entry<ByteBuffer, Integer> each : some) {
            started.increment();
            read.start(each.getKey().array(), each.getValue(), this::finished);
        }
        if (hasMore) {
            scheduler.after(DELAY, this::startSome);
        }
    }

    private synchronized void finished() {
        running--;
    }

    /** How many repairs were started. */
    long started() {
        return started.sum();
    }

    /** How many keys were dropped for want of room. */
    long dropped() {
        return dropped.sum();
    }
}

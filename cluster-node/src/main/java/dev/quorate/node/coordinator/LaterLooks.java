package dev.quorate.node.coordinator;

import dev.quorate.node.clock.Scheduler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Keys whose replicas were seen to differ, to be looked at once more. Later, because most of them
 * are in the middle of a write, and need nothing.
 *
 * <p>Bounded: what does not fit is forgotten and counted. The lock guards the fields; nothing is
 * called under it.
 */
final class LaterLooks {

    /** Reads a key at all its replicas, and repairs it. */
    @FunctionalInterface
    interface Look {
        void at(byte[] key, int from, Runnable whenDone);
    }

    private static final Duration PAUSE = Duration.ofMillis(250);
    private static final int MAX_NOTED = 1_024;
    private static final int MAX_AT_ONCE = 4;

    private final Scheduler scheduler;
    private final Look look;
    private final Map<ByteBuffer, Integer> noted = new LinkedHashMap<>();
    private final LongAdder taken = new LongAdder();
    private final LongAdder forgotten = new LongAdder();
    private int underway;
    private boolean scheduled;

    LaterLooks(Scheduler scheduler, Look look) {
        this.scheduler = scheduler;
        this.look = look;
    }

    /** The replicas of a key, its first {@code from}, were seen to differ. */
    void note(byte[] key, int from) {
        synchronized (this) {
            ByteBuffer wrapped = ByteBuffer.wrap(key);
            if (noted.containsKey(wrapped)) {
                return;
            }
            if (noted.size() >= MAX_NOTED) {
                forgotten.increment();
                return;
            }
            noted.put(wrapped, from);
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        scheduler.after(PAUSE, this::lookAtSome);
    }

    private void lookAtSome() {
        List<Map.Entry<ByteBuffer, Integer>> some = new ArrayList<>();
        boolean more;
        synchronized (this) {
            while (underway < MAX_AT_ONCE && !noted.isEmpty()) {
                Map.Entry<ByteBuffer, Integer> first = noted.entrySet().iterator().next();
                some.add(Map.entry(first.getKey(), first.getValue()));
                noted.remove(first.getKey());
                underway++;
            }
            more = !noted.isEmpty();
            scheduled = more;
        }
        for (Map.Entry<ByteBuffer, Integer> each : some) {
            taken.increment();
            look.at(each.getKey().array(), each.getValue(), this::done);
        }
        if (more) {
            scheduler.after(PAUSE, this::lookAtSome);
        }
    }

    private synchronized void done() {
        underway--;
    }

    /** How many keys were looked at. */
    long taken() {
        return taken.sum();
    }

    /** How many keys were not noted for want of room. */
    long forgotten() {
        return forgotten.sum();
    }
}

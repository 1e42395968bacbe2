package dev.quorate.storage.wal;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the log since it was opened. Written by the log task, readable from any thread. */
public final class CommitFigures {

    private final LongAdder writes = new LongAdder();
    private final LongAdder userBytes = new LongAdder();
    private final LongAdder logBytes = new LongAdder();
    private final LongAdder syncs = new LongAdder();
    private final LongAdder syncNanos = new LongAdder();
    private final LongAdder stallNanos = new LongAdder();
    private final LongAdder delayedWrites = new LongAdder();

    CommitFigures() {}

    void committed(List<PendingWrite> group, int recordBytes, boolean paced) {
        long bytes = 0;
        for (PendingWrite write : group) {
            Entry entry = write.entry();
            bytes += entry.key().length + entry.valueBytes();
        }
        writes.add(group.size());
        userBytes.add(bytes);
        logBytes.add(recordBytes);
        if (paced) {
            delayedWrites.add(group.size());
        }
    }

    void synced(long nanos) {
        syncs.increment();
        syncNanos.add(nanos);
    }

    void stalled(long nanos) {
        stallNanos.add(nanos);
    }

    /** Entries made durable (with {@link Durability#ASYNC}: written). */
    public long writes() {
        return writes.sum();
    }

    /** Bytes of the keys and values of these entries. */
    public long userBytes() {
        return userBytes.sum();
    }

    /** Bytes of their records in the log. */
    public long logBytes() {
        return logBytes.sum();
    }

    public long syncs() {
        return syncs.sum();
    }

    public long syncNanos() {
        return syncNanos.sum();
    }

    /** Time for which writes were stopped, waiting for a flush or a segment, in nanoseconds. */
    public long stallNanos() {
        return stallNanos.sum();
    }

    /** Writes committed while the log was throttled. */
    public long delayedWrites() {
        return delayedWrites.sum();
    }
}

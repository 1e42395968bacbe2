package dev.quorate.storage.wal;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What the log has done since it was opened. Written by the log task, read by anyone. */
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

    /** Bytes of keys and values of those. */
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

    /** Time for which writes waited for a flush or for a segment, in nanoseconds. */
    public long stallNanos() {
        return stallNanos.sum();
    }

    /** Writes that came in at less than full speed. */
    public long delayedWrites() {
        return delayedWrites.sum();
    }
}

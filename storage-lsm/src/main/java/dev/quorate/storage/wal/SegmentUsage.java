package dev.quorate.storage.wal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An estimate of the size of a segment's memtable: its actual size, which the completion task
 * updates, plus the committed entries that are not yet inserted, which the log task adds.
 */
final class SegmentUsage {

    private final long limitBytes;
    private final AtomicLong unappliedBytes = new AtomicLong();
    private volatile long memtableBytes;

    /**
     * @param limitBytes the size at which the memtable is full
     */
    SegmentUsage(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    void handedOver(long bytes) {
        unappliedBytes.addAndGet(bytes);
    }

    /**
     * @param bytes the size of newly inserted entries, as passed to {@link #handedOver}
     * @param total the size of the memtable now
     */
    void applied(long bytes, long total) {
        memtableBytes = total;
        unappliedBytes.addAndGet(-bytes);
    }

    /** Whether the memtable has no room for a record of {@code recordBytes}. */
    boolean isFullFor(long recordBytes) {
        return estimatedBytes() + recordBytes > limitBytes;
    }

    /** The part of the memtable that is full: 1 at its limit. */
    double fill() {
        return (double) estimatedBytes() / limitBytes;
    }

    private long estimatedBytes() {
        return memtableBytes + unappliedBytes.get();
    }
}

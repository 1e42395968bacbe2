package dev.quorate.storage.wal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An estimate of the size of a segment's memtable: its actual size, which the completion task
 * updates, plus the committed entries that are not yet inserted, which the log task adds.
 */
public final class SegmentUsage {

    private final long segment;
    private final AtomicLong unappliedBytes = new AtomicLong();
    private volatile long memtableBytes;

    SegmentUsage(long segment) {
        this.segment = segment;
    }

    public long segment() {
        return segment;
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

    long estimatedBytes() {
        return memtableBytes + unappliedBytes.get();
    }
}

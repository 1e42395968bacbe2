package dev.quorate.storage.wal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How full the memtable of a segment is, as far as the log needs to know. The completion side
 * writes down what the memtable holds; the log adds what it has handed over and is not yet in it.
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
     * @param bytes what was handed over, and is now applied
     * @param total what the memtable holds now
     */
    void applied(long bytes, long total) {
        memtableBytes = total;
        unappliedBytes.addAndGet(-bytes);
    }

    long estimatedBytes() {
        return memtableBytes + unappliedBytes.get();
    }
}

package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Figures;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the log since it was opened. Written by the log task, readable from any thread. */
final class CommitFigures {

    private final LongAdder writes = new LongAdder();
    private final LongAdder userBytes = new LongAdder();
    private final LongAdder logBytes = new LongAdder();
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

    void stalled(long nanos) {
        stallNanos.add(nanos);
    }

    void register(Figures figures) {
        figures.counter("writes", "Entries made durable.", writes::sum);
        figures.counter("write_bytes", "Bytes of keys and values written.", userBytes::sum);
        figures.counter("wal_bytes", "Bytes of log written.", logBytes::sum);
        figures.counter(
                "write_stall_seconds",
                "Time during which writes were stopped because flushes or compaction were behind.",
                () -> stallNanos.sum() / 1e9);
        figures.counter(
                "writes_delayed",
                "Writes that arrived while writes were slowed.",
                delayedWrites::sum);
    }
}

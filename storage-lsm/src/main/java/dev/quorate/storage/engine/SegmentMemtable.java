package dev.quorate.storage.engine;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.memtable.Memtable;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A memtable, and the log segments whose entries it holds (one, but for segments that stayed
 * empty). The segments may go when, and only when, the memtable is in a table.
 */
final class SegmentMemtable {

    private final Memtable table;

    /** Changes only under the lock of {@link LiveVersion}. */
    private final List<Long> segments = new ArrayList<>();

    private volatile Timestamp newest = Timestamp.ZERO;
    private volatile @Nullable Timestamp oldestPut;
    private volatile CompletableFuture<@Nullable Void> flushed = new CompletableFuture<>();

    /** The table that holds this already, though the manifest does not say so yet. Flush only. */
    private @Nullable TableMetadata written;

    private SegmentMemtable(byte[] beginning) {
        this.table = new Memtable(beginning);
    }

    /** The next one; its keys are expected to begin as those of the one before do. */
    static SegmentMemtable after(@Nullable SegmentMemtable before) {
        return new SegmentMemtable(before == null ? new byte[0] : before.table.commonBeginning());
    }

    Memtable table() {
        return table;
    }

    List<Long> segments() {
        return segments;
    }

    /** One writer at a time. */
    Timestamp put(Entry entry) {
        // First, so that nobody who sees the entry is told that there is nothing as new.
        if (entry.timestamp().isAfter(newest)) {
            newest = entry.timestamp();
        }
        Timestamp oldest = oldestPut;
        if (oldest == null || oldest.isAfter(entry.timestamp())) {
            oldestPut = entry.timestamp();
        }
        return table.put(entry, SSTable.hash(entry.key()));
    }

    /** A timestamp not before any that is held. */
    Timestamp newest() {
        return newest;
    }

    /**
     * Whether anything as old as {@code timestamp} was ever put, also what was replaced since: the
     * log has it still, and with {@code ASYNC} durability perhaps not what replaced it.
     */
    boolean tookAsOldAs(Timestamp timestamp) {
        Timestamp oldest = oldestPut;
        return oldest != null && !oldest.isAfter(timestamp);
    }

    @Nullable TableMetadata written() {
        return written;
    }

    void setWritten(TableMetadata metadata) {
        written = metadata;
    }

    /** Done when this is in a table; failed when an attempt failed. */
    CompletableFuture<@Nullable Void> flushed() {
        return flushed;
    }

    void flushFailed(RuntimeException cause) {
        CompletableFuture<@Nullable Void> failed = flushed;
        flushed = new CompletableFuture<>();
        failed.completeExceptionally(cause);
    }
}

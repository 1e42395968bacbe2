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
 * A memtable and the log segments of its entries (one, plus segments that stayed empty). The
 * segments become obsolete when, and only when, the memtable is flushed.
 */
final class SegmentMemtable {

    private final Memtable table;

    /** Guarded by the lock of {@link LiveVersion}. */
    private final List<Long> segments = new ArrayList<>();

    private volatile Timestamp newest = Timestamp.ZERO;
    private volatile @Nullable Timestamp oldestPut;
    private volatile CompletableFuture<@Nullable Void> flushed = new CompletableFuture<>();

    /**
     * The table that this was written to, while the manifest does not yet contain it. Used by the
     * flush alone.
     */
    private @Nullable TableMetadata written;

    private SegmentMemtable(byte[] prefix) {
        this.table = new Memtable(prefix);
    }

    /**
     * The next memtable; its keys are expected to share the common prefix of the previous one's.
     */
    static SegmentMemtable after(@Nullable SegmentMemtable before) {
        return new SegmentMemtable(before == null ? new byte[0] : before.table.commonPrefix());
    }

    Memtable table() {
        return table;
    }

    List<Long> segments() {
        return segments;
    }

    /** One writer at a time. */
    Timestamp put(Entry entry) {
        // Before the put, so that a reader that sees the entry also sees its timestamp here.
        if (entry.timestamp().isAfter(newest)) {
            newest = entry.timestamp();
        }
        Timestamp oldest = oldestPut;
        if (oldest == null || oldest.isAfter(entry.timestamp())) {
            oldestPut = entry.timestamp();
        }
        return table.put(entry, SSTable.hash(entry.key()));
    }

    /** A timestamp at or after that of every entry. */
    Timestamp newest() {
        return newest;
    }

    /**
     * Whether an entry at or before {@code timestamp} was ever put, even if superseded since: the
     * log still contains it and, with {@code ASYNC} durability, may lack the entry that superseded
     * it.
     */
    boolean everContainedAsOldAs(Timestamp timestamp) {
        Timestamp oldest = oldestPut;
        return oldest != null && !oldest.isAfter(timestamp);
    }

    @Nullable TableMetadata written() {
        return written;
    }

    void setWritten(TableMetadata metadata) {
        written = metadata;
    }

    /** Completes when this is in a table; fails when an attempt fails. */
    CompletableFuture<@Nullable Void> flushed() {
        return flushed;
    }

    void flushFailed(RuntimeException cause) {
        CompletableFuture<@Nullable Void> failed = flushed;
        flushed = new CompletableFuture<>();
        failed.completeExceptionally(cause);
    }
}

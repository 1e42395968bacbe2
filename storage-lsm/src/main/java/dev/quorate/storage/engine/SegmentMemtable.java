package dev.quorate.storage.engine;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.memtable.KeyPrefixes;
import dev.quorate.storage.memtable.Memtable;
import dev.quorate.storage.memtable.MemtableMemory;
import dev.quorate.storage.sstable.SSTable;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A memtable and the log segments of its entries (one, plus segments that remained empty). The
 * segments become obsolete when, and only when, the memtable is flushed.
 *
 * <p>Reference counted, as tables are: {@link LiveVersion} owns the first reference, and each
 * {@link SuperVersion} retains one until its last reader is done. The last release frees the
 * memory. The counters, timestamps and segments may be read after that, the entries may not.
 */
final class SegmentMemtable {

    private final Memtable table;
    private final AtomicInteger references = new AtomicInteger(1);

    /** Guarded by the lock of {@link LiveVersion}. */
    private final List<Long> segments = new ArrayList<>();

    private volatile Timestamp newest = Timestamp.ZERO;
    private volatile @Nullable Timestamp oldestPut;
    private volatile boolean lacksEntries;
    private volatile CompletableFuture<@Nullable Void> flushed = new CompletableFuture<>();

    /**
     * The table that this was written to, while the manifest does not yet contain it. Used by the
     * flush alone.
     */
    private @Nullable TableMetadata written;

    private SegmentMemtable(Memtable table) {
        this.table = table;
    }

    /** The next memtable; its keys are expected to be like those of the previous one. */
    static SegmentMemtable after(@Nullable SegmentMemtable before, MemtableMemory memory) {
        return new SegmentMemtable(
                before == null
                        ? new Memtable(memory, KeyPrefixes.UNKNOWN, 0)
                        : new Memtable(
                                memory, before.table.commonPrefixes(), before.table.entries()));
    }

    /** Adds a reference; the caller must own one. */
    void retain() {
        if (references.getAndIncrement() <= 0) {
            throw new IllegalStateException("the memtable is freed");
        }
    }

    void release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("the memtable was released too often");
        }
        if (left == 0) {
            table.close();
        }
    }

    /** Releases the owner's reference. */
    void disown() {
        table.pin();
        release();
    }

    Memtable table() {
        return table;
    }

    List<Long> segments() {
        return segments;
    }

    /**
     * Inserts an entry. One writer at a time.
     *
     * @throws StorageException.Overloaded if memory for the entry is missing; it is then only in
     *     the log
     */
    Timestamp put(Entry entry) {
        // Before the put, so that a reader that sees the entry also sees its timestamp here.
        Timestamp timestamp = entry.timestamp();
        if (timestamp.ceiling().isAfter(newest)) {
            newest = timestamp.ceiling();
        }
        Timestamp oldest = oldestPut;
        if (oldest == null || oldest.isAfter(timestamp)) {
            oldestPut = timestamp;
        }
        try {
            return table.put(entry, SSTable.hash(entry.key()));
        } catch (StorageException.Overloaded e) {
            lacksEntries = true;
            throw e;
        }
    }

    /** A timestamp without a step, at or after that of every entry and not made before any. */
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

    /**
     * Whether recovery may insert an entry of the key at or before {@code timestamp} from the log.
     * If this lacks entries of the log, any key counts.
     */
    boolean mayContainAsOldAs(Timestamp timestamp, byte[] key, long hash) {
        return everContainedAsOldAs(timestamp) && (lacksEntries || table.get(key, hash) != null);
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

package dev.quorate.storage.wal;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.DiskFullException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The store's side of {@link GroupCommit}: back pressure, visibility, and failures. */
public interface CommitListener {
    /** Whether another memtable may be sealed now. Called by the log task. */
    boolean mayRoll();

    /**
     * The rate at which the log may grow now, in bytes per second, or {@link Pacer#UNLIMITED}.
     * Called by the log task before each group.
     *
     * @param fill the share of the current segment's memtable that is full; 1 is full
     */
    long bytesPerSecond(double fill);

    /**
     * The failure of all writes at present, before they reach the log; null if writes can be
     * served. Called by the log task before each group.
     */
    default @Nullable StorageException shortage() {
        return null;
    }

    /** The log has begun another segment; {@link #rolled} follows. Called by the log task. */
    void rolling();

    /**
     * Makes durable writes visible and completes them. Called by the completion task, in the order
     * of the log.
     *
     * @return the size of the segment's memtable now, in bytes
     */
    long committed(List<PendingWrite> writes);

    /** Later writes belong to segment {@code next}. Called by the completion task, in order. */
    void rolled(long next);

    /** The disk is full; writes must be rejected from now on. Called by the log task. */
    void outOfSpace(DiskFullException cause);

    /** The log has failed permanently and rejects all writes. Called once. */
    void failed(StorageException cause);

    /** An fsync of the log took {@code nanos} nanoseconds. Called by the log task. */
    default void forced(long nanos) {}

    /** A group begins; its first write waited {@code nanos} nanoseconds. Called by the log task. */
    default void groupBegun(long nanos) {}
}

package dev.quorate.storage;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One node's durable, sorted, versioned map: for each key, the entry with the newest timestamp,
 * regardless of the order of writes. Thread-safe.
 */
public interface KeyValueStore extends AutoCloseable {

    /**
     * Writes an entry: appends it to the log, forces the log together with other waiting writes,
     * makes the entry visible, and completes {@code completion}. Returns immediately. A write that
     * the store rejects (it is closed or full, or too much is queued) fails on the calling thread
     * before this method returns, and no part of it is stored.
     */
    void write(Entry entry, WriteCompletion completion);

    /**
     * Writes several entries, in this order: each is stored only if all before it are, so a crash
     * preserves the first ones or all. Otherwise like {@link #write(Entry, WriteCompletion)}.
     * Completes once, with the timestamp of the last entry, or fails if one of them fails.
     *
     * @param entries at least one
     */
    void write(List<Entry> entries, WriteCompletion completion);

    /**
     * The newest entry of a key. May read from disk. An entry that has certainly expired is
     * returned as a tombstone with its timestamp, so that it still shadows older entries on other
     * replicas; the caller checks expiry by its own clock.
     *
     * @return {@link Lookup.Found} or {@link Lookup.Absent}
     * @throws CorruptionException if a block needed for the answer fails its checksum
     */
    Lookup lookup(byte[] key);

    /**
     * Like {@link #lookup}, but returns {@link Lookup.NotResident} instead of waiting for a page
     * that is not in memory, or copying a value of more than {@link Lookup#MAX_RESIDENT_BYTES}.
     */
    Lookup lookupResident(byte[] key);

    /**
     * A snapshot of the newest entries of all keys from {@code start} (inclusive) to {@code end}
     * (exclusive; null if unbounded), including tombstones. Entries that have certainly expired are
     * returned as tombstones. Has at most one block of each table in memory.
     */
    EntryCursor scan(byte[] start, byte @Nullable [] end, KeyOrder order);

    /** The same in ascending order. */
    default EntryCursor scan(byte[] start, byte @Nullable [] end) {
        return scan(start, end, KeyOrder.ASCENDING);
    }

    /**
     * Every stored entry of a key, including superseded ones. May read from disk: one block of each
     * table that may contain the key. Damage is part of the result, not thrown.
     */
    Holdings holdings(byte[] key);

    /**
     * Like {@link #scan}, but skips unreadable blocks: a returned entry need not be the newest of
     * its key, and keys may be missing. For healing.
     */
    EntryCursor scanReadable(byte[] start, byte @Nullable [] end);

    /** The damage found so far, by failed reads and by compaction. */
    List<Damage> damage();

    /**
     * Replaces a damaged table by its readable entries and deletes its file. The caller guarantees
     * that every entry of the damaged ranges that has a copy anywhere has been written to this
     * store since the damage was reported. Until the table is replaced, look-ups in the ranges fail
     * as before. Returns immediately; afterwards {@link #damage} no longer contains the table. If
     * more of the table has become unreadable meanwhile, it remains, and the listener is notified.
     *
     * @param damage an element of {@link #damage}
     */
    void heal(Damage damage);

    /**
     * The approximate size, in bytes, of the entries from {@code start} (inclusive) to {@code end}
     * (exclusive; null if unbounded), including tombstones and superseded entries. Counts whole
     * blocks of tables, and unreadable tables entirely. Reads at most two blocks of each table, and
     * the entries of the range in memtables.
     */
    long bytesBetween(byte[] start, byte @Nullable [] end);

    /**
     * A timestamp without a step, at or after that of every entry ever written to the store and not
     * {@linkplain Timestamp#madeAt made} before any, across restarts.
     */
    Timestamp newestTimestamp();

    /** Flushes all memtables to sorted tables, and waits for completion. */
    void flush();

    /**
     * Allows compaction to drop tombstones and expired values that were {@linkplain
     * Timestamp#madeAt made} up to a timestamp, which has no step. The caller guarantees that this
     * store has received every entry made up to it, and that no write after this call is as old, or
     * ordered before an entry that is. Writes begun before the call may be as old, even if they are
     * not yet complete: the store waits for them.
     *
     * <p>A compaction drops a tombstone once no other place of this store can contain an older
     * entry of its key, so a deleted key stays deleted for readers and finally becomes {@link
     * Lookup.Absent}. Returns immediately. Not persistent: call it again after each opening. A
     * timestamp that is not after an earlier one has no effect.
     */
    void collectTombstones(Timestamp upTo);

    /**
     * Deletes the entries and tombstones that are not kept, of those that were written before the
     * call: flushes the memtables, and rewrites each table at the rate of compaction. No tombstones
     * replace them. Such an entry that is written later may be deleted, too. Returns immediately.
     *
     * <p>Of the entries of a key that compaction merges, the newest decides for all. So once it is
     * deleted, an older one in another table may become visible: until the end, the caller ignores
     * entries that are not kept. An older one that is kept remains.
     *
     * <p>A table that cannot be read delays the end until it is replaced. Not persistent: call it
     * again after each opening. A further call replaces one that has not ended, whose {@code
     * whenDone} is then never called.
     *
     * @param keep thread-safe, does not block or throw, and returns the same for an entry until the
     *     end
     * @param whenDone called by a thread of the store, which it must not block, when the store
     *     durably contains no entry from before the call that is not kept; never if the store is
     *     closed before, or fails
     */
    void discard(Kept keep, Runnable whenDone);

    /**
     * Shortens values in each compaction that begins after this call. A lookup may return either
     * value. Not persistent: call it again after each opening. A store need not support it.
     *
     * @param shorteners makes one for each compaction; called by a thread of the store
     */
    default void shorten(Supplier<ValueShortener> shorteners) {}

    /**
     * Creates a checkpoint: a directory that opens as a store and contains every write acknowledged
     * before the call, and possibly later ones. Its tables are hard links, so it takes little
     * space. Writes and reads continue meanwhile; returns when the checkpoint is durable.
     *
     * @param directory empty or missing, on the same file system. The remains of a failure or a
     *     crash cannot be opened and may be deleted.
     * @throws StorageException if it cannot be created; the store itself is unaffected
     */
    void checkpoint(Path directory);

    /** The timestamp of the last {@link #collectTombstones} in effect; ZERO before the first. */
    Timestamp tombstonesCollectedUpTo();

    /** Counters since the store was opened, and sizes. */
    Figures figures();

    /** A summary of the recovery, in one line for a log. */
    String recoverySummary();

    /** Rejects further writes, completes the accepted ones, and releases every file. */
    @Override
    void close();
}

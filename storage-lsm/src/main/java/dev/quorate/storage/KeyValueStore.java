package dev.quorate.storage;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node's durable, sorted, versioned map: for each key, the newest entry that was written,
 * whatever the order of the writes. Safe for use by many threads.
 */
public interface KeyValueStore extends AutoCloseable {

    /**
     * Writes an entry: to the log, then durably to disk together with whatever else waits, then
     * visible, then {@code completion} is told. Returns at once. A write that cannot be taken (the
     * store is closed, full, or too much is queued) is told so on the calling thread before this
     * returns, and nothing of it was stored.
     */
    void write(Entry entry, WriteCompletion completion);

    /**
     * The newest entry of a key. May read from disk. If it has expired for certain, it is given as
     * a tombstone with its timestamp, so that it still hides what is older on other replicas;
     * whether it has by the caller's clock is the caller's to say.
     *
     * @return {@link Lookup.Found} or {@link Lookup.Absent}
     * @throws CorruptionException if bytes on the way to the answer fail their checksum
     */
    Lookup lookup(byte[] key);

    /**
     * As {@link #lookup}, but answers {@link Lookup.NotResident} rather than wait for a page that
     * is not in memory.
     */
    Lookup lookupResident(byte[] key);

    /**
     * The newest entries of all keys from {@code start} (included) to {@code end} (not included;
     * null for no end), tombstones too, as of now; what has expired for certain as tombstones.
     * Holds at most one block of each table in memory.
     */
    EntryCursor scan(byte[] start, byte @Nullable [] end);

    /**
     * Every entry of a key that is still there, in whatever place, also those that newer ones hide.
     * May read from disk: one block of each table that may hold the key. Damage is told, not
     * thrown.
     */
    Holdings holdings(byte[] key);

    /**
     * As {@link #scan}, but passes over what cannot be read: what it gives of a key need not be the
     * newest entry, and what it does not give may be there. For healing.
     */
    EntryCursor scanReadable(byte[] start, byte @Nullable [] end);

    /** What is known to be damaged: by reads that failed, and by compaction. */
    List<Damage> damage();

    /**
     * Has a damaged table replaced by what can be read of it, and its file deleted. The caller's
     * word is: all that the damaged ranges can have held, of which there is a copy anywhere, has
     * been written to this store since the damage was told. Until the table is replaced look-ups in
     * the ranges fail as before. Returns at once; when it is done, {@link #damage} has it no
     * longer. If more of the table has become unreadable meanwhile, it stays, and the listener is
     * told.
     *
     * @param damage as {@link #damage} gave it
     */
    void heal(Damage damage);

    /**
     * About how many bytes the entries from {@code start} (included) to {@code end} (not; null: no
     * end) take, tombstones and what newer ones hide too. Of a table, blocks that hold one of them
     * in part count as a whole, and one that cannot be read counts as a whole. Reads two blocks of
     * each table at most, and all that is in memory.
     */
    long bytesBetween(byte[] start, byte @Nullable [] end);

    /** A timestamp not before any that the store has ever held, also before a restart. */
    Timestamp newestTimestamp();

    /** Writes everything that is in memory to sorted tables, and waits for it. */
    void flush();

    /**
     * Lets compaction drop tombstones, and expired values, up to a timestamp. The caller's word is:
     * this store has had every entry up to it that it should have, and none that is as old will be
     * written from this call on. Writes begun before the call may be as old, also where their
     * completion is still to come: they are waited for.
     *
     * <p>A tombstone goes in a compaction, when nothing older of its key is left in any other place
     * of this store; so for readers a deleted key stays deleted, and is in the end {@link
     * Lookup.Absent}. Returns at once. Kept in memory only: to be said again after each opening. A
     * timestamp that is not after an earlier one changes nothing.
     */
    void collectTombstones(Timestamp upTo);

    /**
     * Makes a copy of the store that takes hardly any space: a directory that opens as a store and
     * has every write that was acknowledged before the call, and perhaps some that came during it.
     * Tables are hard links. Writes and reads go on meanwhile; returns when the copy is durable.
     *
     * @param directory empty or not there, on the same file system. What a failure or a crash
     *     leaves there cannot be opened, and may be deleted.
     * @throws StorageException if it cannot be made; the store itself is as it was
     */
    void checkpoint(Path directory);

    /** Counters and sizes as of now. */
    StoreStatistics statistics();

    /** What opening recovered, in one line for a log. */
    String recoverySummary();

    /** Stops accepting writes, completes those accepted, and releases every file. */
    @Override
    void close();
}

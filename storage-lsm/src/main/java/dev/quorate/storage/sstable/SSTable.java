package dev.quorate.storage.sstable;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.filter.BloomFilter;
import dev.quorate.storage.sstable.filter.KeyHash;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One sorted table, open for reading by any number of threads.
 *
 * <p>Reference counted: the opener owns the first reference. The last release unmaps the file, and
 * deletes it if the table is obsolete. Look-ups and scans require a reference; an open cursor
 * retains one of its own.
 *
 * <p>Every result has been verified. A found entry is verified by the checksum of its data block,
 * however it was found. The absence of an entry is verified by the checksum of the filter's section
 * or, after a false positive, of the index part and the block it refers to; the root of the index
 * and the summary are verified when the table is opened. So a look-up of an existing key verifies
 * one block, and a look-up of an absent key usually 256 bytes.
 *
 * <p>Methods that read throw {@link CorruptionException} if bytes are damaged, and {@link
 * StorageException.Io} if the disk fails to read them.
 */
public final class SSTable implements TableOwner {

    /**
     * The {@link #mostlyExpiredAtMillis} of a table of which fewer than half of the entries ever
     * expire.
     */
    public static final long NEVER = EntryTotals.NEVER;

    private final StorageFiles files;
    private final Path path;
    private final TableReader reader;

    private final AtomicInteger references = new AtomicInteger(1);
    private volatile boolean obsolete;
    private volatile @Nullable StorageException suspicion;

    private SSTable(StorageFiles files, Path path, TableReader reader) {
        this.files = files;
        this.path = path;
        this.reader = reader;
    }

    /**
     * Opens the table that {@code metadata} describes. Reads its end but none of its entries.
     *
     * @throws CorruptionException if the file is missing, damaged, or not that table
     */
    public static SSTable open(StorageFiles files, Path directory, TableMetadata metadata) {
        String name = FileNames.table(metadata.number());
        Path path = directory.resolve(name);
        MappedFile mapped;
        try {
            mapped = files.map(path);
        } catch (NoSuchFileException missing) {
            throw new CorruptionException(name, 0, "the file is missing");
        } catch (IOException cause) {
            throw new StorageException.Io("cannot open " + name + ": " + cause.getMessage(), cause);
        }
        TableFile file = new TableFile(mapped, name, metadata.number());
        try {
            if (file.size() != metadata.fileBytes()) {
                throw file.corrupt(
                        Math.min(file.size(), metadata.fileBytes()),
                        file.size() + " bytes, expected " + metadata.fileBytes());
            }
            return new SSTable(files, path, new TableReader(file, metadata));
        } catch (InternalError unreadable) {
            file.close();
            throw new StorageException.Io("cannot read " + name, unreadable);
        } catch (RuntimeException | Error cause) {
            file.close();
            throw cause;
        }
    }

    /** The hash of a key for {@link #find}, the same for all tables and memtables. */
    public static long hash(byte[] key) {
        return KeyHash.of(key);
    }

    /**
     * The table's entry of a key, or null. The key of the entry is {@code key} itself.
     *
     * @param keyHash {@link #hash} of the key, computed once for all tables
     */
    public @Nullable Entry find(byte[] key, long keyHash) {
        return switch (find(key, keyHash, false)) {
            case Lookup.Found found -> found.entry();
            case Lookup.Absent absent -> null;
            case Lookup.NotResident never -> throw new AssertionError();
        };
    }

    /**
     * Whether the table certainly contains no entry of a key. Reads only the filter, if there is
     * one: then about 1 % of absent keys are false positives.
     */
    public boolean isCertainlyAbsent(byte[] key, long keyHash) {
        try {
            return reader.isCertainlyAbsent(key, keyHash);
        } catch (StorageException | InternalError failure) {
            throw suspect(failure);
        }
    }

    /**
     * The table's entry of a key.
     *
     * @param residentOnly whether to return NOT_RESIDENT instead of waiting for a page from disk,
     *     according to the residency recorded since the last {@link #forgetResidency}
     */
    public Lookup find(byte[] key, long keyHash, boolean residentOnly) {
        try {
            return reader.find(key, keyHash, residentOnly);
        } catch (StorageException | InternalError failure) {
            throw suspect(failure);
        }
    }

    /**
     * Discards the recorded residency of pages. Call about every second, to bound the time for
     * which an evicted page counts as resident.
     */
    public void forgetResidency() {
        reader.file().forgetResidency();
    }

    /**
     * The entries from {@code start} (inclusive) to {@code end} (exclusive; null if unbounded).
     * Needs memory for one block.
     *
     * @throws IllegalStateException if the table has been released
     */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        retain();
        return new TableCursor(reader, this, start, end);
    }

    /** Like {@link #scan}, in descending order. */
    public EntryCursor scanDescending(byte[] start, byte @Nullable [] end) {
        retain();
        return new DescendingTableCursor(reader, this, start, end);
    }

    /**
     * The size of the data blocks that may contain a key from {@code start} (inclusive) to {@code
     * end} (exclusive; null if unbounded). Reads at most two parts of the index; if one is
     * unreadable, returns the size of all blocks.
     */
    public long bytesBetween(byte[] start, byte @Nullable [] end) {
        try {
            return reader.bytesBetween(start, end);
        } catch (StorageException | InternalError failure) {
            var _ = suspect(failure);
            return reader.dataEnd();
        }
    }

    /** Like {@link #scan}, but skips and records unreadable blocks. */
    public SalvageCursor salvage(byte[] start, byte @Nullable [] end) {
        retain();
        return new SalvageCursor(reader, this, start, end);
    }

    private void retain() {
        if (!tryRetain()) {
            throw new IllegalStateException(reader.file().name() + " is closed");
        }
    }

    /**
     * Reads all entries; returns the ranges of keys that cannot be read, ascending and disjoint.
     */
    public List<KeyRange> unreadable() {
        try (SalvageCursor all = salvage(new byte[0], null)) {
            while (all.next()) {
                // Advancing reads each block completely.
            }
            return all.lost();
        }
    }

    /** Whether the filter, if there is one, is intact. */
    public boolean filterIsIntact() {
        try {
            BloomFilter filter = reader.filter();
            if (filter != null) {
                filter.verify();
            }
            return true;
        } catch (StorageException | InternalError unreadable) {
            return false;
        }
    }

    @Override
    public StorageException suspect(Throwable failure) {
        StorageException reported =
                failure instanceof StorageException known
                        ? known
                        : new StorageException.Io("cannot read " + reader.file().name(), failure);
        suspicion = reported;
        return reported;
    }

    /** Whether a read has failed since the last {@link #clearSuspicion}. */
    public boolean isSuspect() {
        return suspicion != null;
    }

    /** Returns and clears the last failed read; null if there is none. */
    public @Nullable StorageException clearSuspicion() {
        StorageException taken = suspicion;
        suspicion = null;
        return taken;
    }

    public TableMetadata metadata() {
        return reader.metadata();
    }

    /**
     * The time when half of the entries have expired, in milliseconds since 1970; {@link #NEVER} if
     * fewer than half ever expire.
     */
    public long mostlyExpiredAtMillis() {
        return reader.mostlyExpiredAtMillis();
    }

    /**
     * Reads and verifies every byte of the file, and the consistency of its parts.
     *
     * @throws CorruptionException at the first damage
     */
    public void verify() {
        try {
            new TableVerifier(reader).verify();
        } catch (StorageException | InternalError failure) {
            throw suspect(failure);
        }
    }

    /** Takes a reference; false if the last one has been released. */
    public boolean tryRetain() {
        int count = references.get();
        while (count > 0) {
            if (references.compareAndSet(count, count + 1)) {
                return true;
            }
            count = references.get();
        }
        return false;
    }

    /**
     * Releases a reference. If an obsolete file cannot be deleted, the next opening of the store
     * deletes it, since the manifest does not reference it.
     */
    @Override
    public void release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException(reader.file().name() + " was released too often");
        }
        if (left > 0) {
            return;
        }
        reader.file().close();
        if (obsolete) {
            try {
                files.delete(path);
            } catch (IOException harmless) {
                // See above.
            }
        }
    }

    /** Deletes the file with the last release. Call when the manifest no longer references it. */
    public void markObsolete() {
        obsolete = true;
    }

    TableReader reader() {
        return reader;
    }

    @Override
    public String toString() {
        return reader.metadata().toString();
    }
}

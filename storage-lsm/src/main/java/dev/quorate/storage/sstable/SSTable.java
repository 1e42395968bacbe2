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
import dev.quorate.storage.sstable.block.BlockReader;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.filter.BloomFilter;
import dev.quorate.storage.sstable.filter.KeyHash;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
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
 * whichever way led to it. The absence of an entry is verified by the checksum of the filter's
 * section or, after a false positive, of the index part and the block it refers to; the root of the
 * index and the summary are verified when the table is opened. So a look-up that finds its key
 * verifies one block, and one that does not usually verifies 256 bytes.
 *
 * <p>Methods that read throw {@link CorruptionException} if bytes are damaged, and {@link
 * StorageException.Io} if the disk fails to read them.
 */
public final class SSTable {

    /**
     * The {@link #mostlyExpiredAtMillis} of a table of which fewer than half of the entries ever
     * expire.
     */
    public static final long NEVER = Long.MAX_VALUE;

    /** The block of a look-up, reused by the thread's next look-up. */
    private static final ThreadLocal<BlockReader> READER =
            ThreadLocal.withInitial(BlockReader::new);

    private final StorageFiles files;
    private final Path path;
    private final TableMetadata metadata;
    private final TableFile file;
    private final IndexBlock root;
    private final @Nullable BloomFilter filter;
    private final long dataEnd;
    private final long mostlyExpiredAtMillis;

    private final AtomicInteger references = new AtomicInteger(1);
    private volatile boolean obsolete;
    private volatile @Nullable StorageException suspicion;

    private SSTable(StorageFiles files, Path path, TableMetadata metadata, TableFile file) {
        this.files = files;
        this.path = path;
        this.metadata = metadata;
        this.file = file;
        Footer footer = Footer.read(file, metadata.number());
        this.mostlyExpiredAtMillis = requireSummary(file, footer, metadata);
        this.root = footer.readIndex(file);
        this.dataEnd = footer.indexOffset();
        int sections = footer.filterSections();
        this.filter =
                sections == 0
                        ? null
                        : new BloomFilter(
                                file, footer.filterOffset(), sections, footer.filterHashes());
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
            return new SSTable(files, path, metadata, file);
        } catch (InternalError unreadable) {
            file.close();
            throw new StorageException.Io("cannot read " + name, unreadable);
        } catch (RuntimeException cause) {
            file.close();
            throw cause;
        }
    }

    /**
     * The summary must tell what {@code expected} does, but for the level: tables may be moved.
     *
     * @return what else it tells: {@link #mostlyExpiredAtMillis}
     */
    static long requireSummary(TableFile file, Footer footer, TableMetadata expected) {
        long offset = footer.summaryOffset();
        int length = summaryBytes(file, footer);
        byte[] block = new byte[length];
        file.read(offset, length, block);
        int end = length - TableFormat.TRAILER_BYTES;
        boolean expires = block[end] == TableFormat.KIND_SUMMARY_WITH_EXPIRY;
        if (!expires && block[end] != TableFormat.KIND_SUMMARY) {
            throw file.corrupt(offset, "no summary where it should be");
        }
        ByteArrayInputStream bytes = new ByteArrayInputStream(block, 0, end);
        TableMetadata found;
        long mostlyExpired;
        try {
            DataInputStream in = new DataInputStream(bytes);
            found = TableMetadata.readFrom(in);
            mostlyExpired = expires ? in.readLong() : NEVER;
        } catch (IOException malformed) {
            throw file.corrupt(offset, String.valueOf(malformed.getMessage()));
        }
        if (bytes.available() > 0 || !found.atLevel(expected.level()).equals(expected)) {
            throw file.corrupt(offset, "found " + found + ", expected " + expected);
        }
        return mostlyExpired;
    }

    /** The length of the summary, which a footer does not tell within bounds. */
    static int summaryBytes(TableFile file, Footer footer) {
        long length = file.size() - TableFormat.FOOTER_BYTES - footer.summaryOffset();
        if (length <= TableFormat.TRAILER_BYTES || length > TableFormat.MAX_SUMMARY_BYTES) {
            throw file.corrupt(footer.summaryOffset(), "a summary of " + length + " bytes");
        }
        return (int) length;
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
    public boolean lacks(byte[] key, long keyHash) {
        if (filter == null) {
            return find(key, keyHash) == null;
        }
        try {
            return !metadata.mayContain(key) || !filter.mayContain(keyHash);
        } catch (InternalError unreadable) {
            throw suspect(unreadable(unreadable));
        } catch (StorageException damage) {
            throw suspect(damage);
        }
    }

    /**
     * As {@link #find}, but returns NOT_RESIDENT instead of waiting for a page from disk, according
     * to the residency recorded since the last {@link #forgetResidency}.
     */
    public Lookup findResident(byte[] key, long keyHash) {
        return find(key, keyHash, true);
    }

    /**
     * Discards the recorded residency of pages. Call about every second, to bound the time for
     * which an evicted page counts as resident.
     */
    public void forgetResidency() {
        file.forgetResidency();
    }

    private Lookup find(byte[] key, long keyHash, boolean residentOnly) {
        if (!metadata.mayContain(key)) {
            return Lookup.Absent.ABSENT;
        }
        try {
            if (filter != null) {
                if (residentOnly
                        && !file.isResident(
                                filter.sectionOffset(keyHash), TableFormat.FILTER_SECTION_BYTES)) {
                    return Lookup.NotResident.NOT_RESIDENT;
                }
                if (!filter.mayContain(keyHash)) {
                    return Lookup.Absent.ABSENT;
                }
            }
            return findInBlock(key, root.find(key), residentOnly);
        } catch (InternalError unreadable) {
            throw suspect(unreadable(unreadable));
        } catch (StorageException damage) {
            throw suspect(damage);
        }
    }

    private Lookup findInBlock(byte[] key, int partNumber, boolean residentOnly) {
        if (residentOnly
                && !file.isResident(root.targetOffset(partNumber), root.targetLength(partNumber))) {
            return Lookup.NotResident.NOT_RESIDENT;
        }
        IndexBlock part = part(partNumber);
        int slot = part.find(key);
        long offset = part.targetOffset(slot);
        int length = part.targetLength(slot);
        if (residentOnly && !file.isResident(offset, length)) {
            return Lookup.NotResident.NOT_RESIDENT;
        }
        @Nullable Entry entry;
        try {
            BlockReader block = READER.get();
            block.load(file, offset, length);
            entry = block.find(key);
        } catch (CorruptionException suspect) {
            // A damaged index may have referred to an offset where no block begins.
            part.check();
            throw suspect;
        }
        if (entry == null) {
            part.check();
            return Lookup.Absent.ABSENT;
        }
        return new Lookup.Found(entry);
    }

    /**
     * The entries from {@code start} (inclusive) to {@code end} (exclusive; null if unbounded).
     * Holds at most one block in memory.
     *
     * @throws IllegalStateException if the table has been released
     */
    public EntryCursor scan(byte[] start, byte @Nullable [] end) {
        if (!tryRetain()) {
            throw new IllegalStateException(file.name() + " is closed");
        }
        return new TableCursor(this, start, end);
    }

    /**
     * The size of the data blocks that may contain a key from {@code start} (inclusive) to {@code
     * end} (exclusive; null if unbounded). Reads at most two parts of the index; if one is
     * unreadable, returns the size of all blocks.
     */
    public long bytesBetween(byte[] start, byte @Nullable [] end) {
        if (!metadata.overlaps(start, end)) {
            return 0;
        }
        try {
            IndexBlock first = checkedPart(start);
            long from = first.targetOffset(first.find(start));
            if (end == null) {
                return dataEnd - from;
            }
            IndexBlock last = checkedPart(end);
            int slot = last.find(end);
            long to = last.targetOffset(slot) + last.targetLength(slot);
            return Math.max(0, to - from);
        } catch (InternalError unreadable) {
            suspect(unreadable(unreadable));
        } catch (StorageException damage) {
            suspect(damage);
        }
        return dataEnd;
    }

    private IndexBlock checkedPart(byte[] key) {
        IndexBlock part = part(root.find(key));
        part.check();
        return part;
    }

    /** As {@link #scan}, but skips and records unreadable blocks. */
    public SalvageCursor salvage(byte[] start, byte @Nullable [] end) {
        if (!tryRetain()) {
            throw new IllegalStateException(file.name() + " is closed");
        }
        return new SalvageCursor(this, start, end);
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
            if (filter != null) {
                filter.verify();
            }
            return true;
        } catch (StorageException | InternalError unreadable) {
            return false;
        }
    }

    /** Records a failed read. */
    public StorageException suspect(StorageException failure) {
        suspicion = failure;
        return failure;
    }

    /** Whether a read has failed since the last {@link #takeSuspicion}. */
    public boolean isSuspect() {
        return suspicion != null;
    }

    /** Returns and clears the last failed read; null if there is none. */
    public @Nullable StorageException takeSuspicion() {
        StorageException taken = suspicion;
        suspicion = null;
        return taken;
    }

    public TableMetadata metadata() {
        return metadata;
    }

    /**
     * When half of the entries have expired, in milliseconds since 1970; {@link #NEVER} if fewer
     * than half ever expire.
     */
    public long mostlyExpiredAtMillis() {
        return mostlyExpiredAtMillis;
    }

    /**
     * Reads and verifies every byte of the file, and the consistency of its parts.
     *
     * @throws CorruptionException at the first damage
     */
    public void verify() {
        try {
            new TableVerifier(this).verify();
        } catch (InternalError unreadable) {
            throw unreadable(unreadable);
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
    public void release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException(file.name() + " was released too often");
        }
        if (left > 0) {
            return;
        }
        file.close();
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

    TableFile file() {
        return file;
    }

    IndexBlock root() {
        return root;
    }

    @Nullable BloomFilter filter() {
        return filter;
    }

    /** The end of the data blocks and the beginning of the index. */
    long dataEnd() {
        return dataEnd;
    }

    IndexBlock part(int part) {
        return IndexBlock.part(file, root, part, dataEnd);
    }

    /** Reads of mapped memory throw an InternalError if the disk fails. */
    StorageException.Io unreadable(InternalError cause) {
        return new StorageException.Io("cannot read " + file.name(), cause);
    }

    @Override
    public String toString() {
        return metadata.toString();
    }
}

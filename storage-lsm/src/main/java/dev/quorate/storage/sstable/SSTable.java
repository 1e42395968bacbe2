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
 * <p>Reference counted: it is born with one reference, which belongs to whoever opened it. The last
 * release unmaps the file, and deletes it if the table was made obsolete. Look-ups and scans must
 * happen within a reference; an open cursor holds one of its own.
 *
 * <p>What an answer rests on has been checked when it is given. An entry is proved by the checksum
 * of its data block, however one came to that block. That there is no entry is proved by the
 * section of the filter, or else by the part of the index and the block it led to; the root of the
 * index and the summary were checked when the table was opened. So a look-up that finds its key
 * checks one block, and one that does not find it mostly 256 bytes.
 *
 * <p>All of its methods that read throw {@link CorruptionException} if bytes are not as they were
 * written, and {@link StorageException.Io} if the disk does not give them.
 */
public final class SSTable {

    /** The {@link #mostlyExpiredAtMillis} of a table most of which never expires. */
    public static final long NEVER = Long.MAX_VALUE;

    /** A look-up's own block, used again by the thread's next look-up. */
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
     * Opens the table that {@code metadata} describes. Reads its end, and none of its entries.
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

    /** The hash that {@link #find} wants, the same for every table; memtables get it too. */
    public static long hash(byte[] key) {
        return KeyHash.of(key);
    }

    /**
     * The table's entry of a key, or null. The entry has {@code key} itself as its key.
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
     * Whether the table certainly has no entry of a key. Reads no more than the filter, if there is
     * one: then about one in a hundred keys that it has not is taken for one that it may have.
     */
    public boolean lacks(byte[] key, long keyHash) {
        if (filter == null) {
            return find(key, keyHash) == null;
        }
        try {
            return !metadata.mayHold(key) || !filter.mayHold(keyHash);
        } catch (InternalError unreadable) {
            throw suspect(unreadable(unreadable));
        } catch (StorageException damage) {
            throw suspect(damage);
        }
    }

    /**
     * As {@link #find}, but answers NOT_RESIDENT rather than wait for a page from disk, as far as
     * is known since the last {@link #forgetResidency}.
     */
    public Lookup findResident(byte[] key, long keyHash) {
        return find(key, keyHash, true);
    }

    /**
     * Asks the operating system anew which pages are in memory. To be called now and then, about
     * every second: it bounds for how long a page that has left memory is taken to be there.
     */
    public void forgetResidency() {
        file.forgetResidency();
    }

    private Lookup find(byte[] key, long keyHash, boolean residentOnly) {
        if (!metadata.mayHold(key)) {
            return Lookup.Absent.ABSENT;
        }
        try {
            if (filter != null) {
                if (residentOnly
                        && !file.isResident(
                                filter.sectionOffset(keyHash), TableFormat.FILTER_SECTION_BYTES)) {
                    return Lookup.NotResident.NOT_RESIDENT;
                }
                if (!filter.mayHold(keyHash)) {
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
            // Perhaps it is the index that is damaged, and led to where no block begins.
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
     * The entries from {@code start} (included) to {@code end} (not; null: no end). Holds no more
     * than one block in memory.
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
     * The bytes of the data blocks that may hold a key from {@code start} (included) to {@code end}
     * (not; null: no end). Reads two parts of the index at most; if they cannot be read, it is as
     * if every block were meant.
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

    /** As {@link #scan}, but passes over what cannot be read, and notes it. */
    public SalvageCursor salvage(byte[] start, byte @Nullable [] end) {
        if (!tryRetain()) {
            throw new IllegalStateException(file.name() + " is closed");
        }
        return new SalvageCursor(this, start, end);
    }

    /**
     * Reads all entries, and gives the ranges of keys that cannot be read.
     *
     * @return ascending, not touching each other
     */
    public List<KeyRange> unreadable() {
        try (SalvageCursor all = salvage(new byte[0], null)) {
            while (all.next()) {
                // Each block is read before it is given.
            }
            return all.lost();
        }
    }

    /** Whether the whole filter, if there is one, is as it was written. */
    public boolean filterIsWhole() {
        try {
            if (filter != null) {
                filter.verify();
            }
            return true;
        } catch (StorageException | InternalError unreadable) {
            return false;
        }
    }

    /** Notes that something could not be read. */
    public StorageException suspect(StorageException failure) {
        suspicion = failure;
        return failure;
    }

    /** Whether something could not be read since the last {@link #takeSuspicion}. */
    public boolean isSuspect() {
        return suspicion != null;
    }

    /** What could not be read, once; null if everything could. */
    public @Nullable StorageException takeSuspicion() {
        StorageException taken = suspicion;
        suspicion = null;
        return taken;
    }

    public TableMetadata metadata() {
        return metadata;
    }

    /**
     * When at least half of the entries have expired, in milliseconds since 1970; {@link #NEVER} if
     * fewer than half expire at all.
     */
    public long mostlyExpiredAtMillis() {
        return mostlyExpiredAtMillis;
    }

    /**
     * Reads and checks every byte of the file, and that its parts agree with each other.
     *
     * @throws CorruptionException at the first thing that is not as it was written
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
     * Gives a reference back. If an obsolete file cannot be deleted it stays, and is removed by the
     * next opening of the store as a file that the manifest does not name.
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

    /** The file is to be deleted with the last release. Call when the manifest no longer has it. */
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

    /** Where the data blocks end and the index begins. */
    long dataEnd() {
        return dataEnd;
    }

    IndexBlock part(int part) {
        return IndexBlock.part(file, root, part, dataEnd);
    }

    /** What a read from mapped memory throws when the disk fails is not a bug of ours. */
    StorageException.Io unreadable(InternalError cause) {
        return new StorageException.Io("cannot read " + file.name(), cause);
    }

    @Override
    public String toString() {
        return metadata.toString();
    }
}

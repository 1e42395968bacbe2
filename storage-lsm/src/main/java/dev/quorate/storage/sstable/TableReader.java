package dev.quorate.storage.sstable;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.sstable.block.BlockReader;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.filter.BloomFilter;
import dev.quorate.storage.sstable.index.IndexBlock;
import org.jspecify.annotations.Nullable;

/**
 * Reads one table through its filter and its index. Immutable; {@link SSTable} owns the file and
 * records failures. Reads of mapped memory throw an InternalError if the disk fails.
 */
final class TableReader {

    /** The block of a look-up, reused by the thread's next look-up. */
    private static final ThreadLocal<BlockReader> BLOCK = ThreadLocal.withInitial(BlockReader::new);

    /** Maximum size of a block with a value of {@link Lookup#MAX_RESIDENT_BYTES}. */
    private static final int MAX_RESIDENT_BLOCK_BYTES =
            Lookup.MAX_RESIDENT_BYTES + Entry.MAX_KEY_BYTES + 1024;

    private final TableFile file;
    private final TableMetadata metadata;
    private final IndexBlock root;
    private final @Nullable BloomFilter filter;
    private final long dataEnd;
    private final long mostlyExpiredAtMillis;

    /** Reads and verifies the footer, the summary and the root of the index. */
    TableReader(TableFile file, TableMetadata metadata) {
        this.file = file;
        this.metadata = metadata;
        Footer footer = Footer.read(file, metadata.number());
        this.mostlyExpiredAtMillis = Summary.read(file, footer, metadata).mostlyExpiredAtMillis();
        this.root = footer.readIndex(file);
        this.dataEnd = footer.indexOffset();
        int sections = footer.filterSections();
        this.filter =
                sections == 0
                        ? null
                        : new BloomFilter(
                                file, footer.filterOffset(), sections, footer.filterHashes());
    }

    TableFile file() {
        return file;
    }

    TableMetadata metadata() {
        return metadata;
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

    long mostlyExpiredAtMillis() {
        return mostlyExpiredAtMillis;
    }

    /** A part of the index, unverified. */
    IndexBlock part(int part) {
        return IndexBlock.part(file, root, part, dataEnd);
    }

    /** See {@link SSTable#find(byte[], long, boolean)}. */
    Lookup find(byte[] key, long keyHash, boolean residentOnly) {
        if (!metadata.mayContain(key)) {
            return Lookup.Absent.ABSENT;
        }
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
        if (residentOnly && length > MAX_RESIDENT_BLOCK_BYTES) {
            return Lookup.NotResident.TOO_LONG;
        }
        if (residentOnly && !file.isResident(offset, length)) {
            return Lookup.NotResident.NOT_RESIDENT;
        }
        @Nullable Entry entry;
        try {
            BlockReader block = BLOCK.get();
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

    /** See {@link SSTable#isCertainlyAbsent}. */
    boolean isCertainlyAbsent(byte[] key, long keyHash) {
        if (filter == null) {
            return find(key, keyHash, false) == Lookup.Absent.ABSENT;
        }
        return !metadata.mayContain(key) || !filter.mayContain(keyHash);
    }

    /** See {@link SSTable#bytesBetween}. */
    long bytesBetween(byte[] start, byte @Nullable [] end) {
        if (!metadata.overlaps(start, end)) {
            return 0;
        }
        IndexBlock first = checkedPart(start);
        long from = first.targetOffset(first.find(start));
        if (end == null) {
            return dataEnd - from;
        }
        IndexBlock last = checkedPart(end);
        int slot = last.find(end);
        long to = last.targetOffset(slot) + last.targetLength(slot);
        return Math.max(0, to - from);
    }

    private IndexBlock checkedPart(byte[] key) {
        IndexBlock part = part(root.find(key));
        part.check();
        return part;
    }
}

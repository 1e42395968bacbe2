package dev.quorate.storage.sstable;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import dev.quorate.storage.sstable.filter.BloomFilter;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The end of a table's file, which locates all other parts. Each part ends where the next begins.
 *
 * @param indexOffset the end of the data blocks
 * @param filterHashes bits of the filter set for each key
 */
record Footer(
        long indexOffset,
        long rootOffset,
        long filterOffset,
        long summaryOffset,
        int filterHashes,
        int version,
        long tableNumber,
        long magic) {

    private static final int SEALED_BYTES = TableFormat.FOOTER_BYTES - TableFormat.CHECKSUM_BYTES;

    void writeTo(TableOutput out) throws IOException {
        out.write(
                ByteBuffer.allocate(SEALED_BYTES)
                        .putLong(indexOffset)
                        .putLong(rootOffset)
                        .putLong(filterOffset)
                        .putLong(summaryOffset)
                        .putInt(filterHashes)
                        .putInt(version)
                        .putLong(tableNumber)
                        .putLong(magic)
                        .array());
        out.seal();
    }

    IndexBlock readIndex(TableFile file) {
        return IndexBlock.root(file, indexOffset, rootOffset, filterOffset);
    }

    /** Reads the fields without validation. */
    static Footer readFrom(ByteBuffer bytes) {
        return new Footer(
                bytes.getLong(),
                bytes.getLong(),
                bytes.getLong(),
                bytes.getLong(),
                bytes.getInt(),
                bytes.getInt(),
                bytes.getLong(),
                bytes.getLong());
    }

    /**
     * Reads and validates the footer: first magic and number, then checksum, then version, to
     * distinguish a file of another kind, a damaged table and a table of another format.
     */
    static Footer read(TableFile file, long tableNumber) {
        long at = file.size() - TableFormat.FOOTER_BYTES;
        if (at < 0) {
            throw file.corrupt(0, "a table of " + file.size() + " bytes is too short");
        }
        Footer footer = readFrom(ByteBuffer.wrap(file.copy(at, SEALED_BYTES)));
        if (footer.magic != TableFormat.MAGIC) {
            throw file.corrupt(at, "no sorted table ends here");
        }
        if (footer.tableNumber != tableNumber) {
            throw file.corrupt(
                    at, "table number " + footer.tableNumber + ", expected " + tableNumber);
        }
        file.check(at, TableFormat.FOOTER_BYTES);
        if (footer.version != TableFormat.VERSION) {
            // Not damage, which would be healed: a later release wrote it.
            throw new StorageException.Io(
                    "%s has table format %d, this program reads %d"
                            .formatted(file.name(), footer.version, TableFormat.VERSION),
                    null);
        }
        footer.requireOrder(file, at);
        return footer;
    }

    private void requireOrder(TableFile file, long at) {
        boolean ascending =
                0 < indexOffset
                        && indexOffset < rootOffset
                        && rootOffset < filterOffset
                        && filterOffset <= summaryOffset
                        && summaryOffset < at;
        if (!ascending || filterOffset - rootOffset > Integer.MAX_VALUE) {
            throw file.corrupt(at, "offsets out of order: " + this);
        }
        long filterBytes = summaryOffset - filterOffset;
        if (filterBytes % TableFormat.FILTER_SECTION_BYTES != 0
                || filterBytes / TableFormat.FILTER_SECTION_BYTES > Integer.MAX_VALUE
                || (filterBytes > 0 && !BloomFilter.isValid(filterHashes))) {
            throw file.corrupt(at, "filter out of bounds: " + this);
        }
    }

    /** The number of the filter's sections; 0 without a filter. */
    int filterSections() {
        return (int) ((summaryOffset - filterOffset) / TableFormat.FILTER_SECTION_BYTES);
    }
}

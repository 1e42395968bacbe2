package dev.quorate.storage.sstable;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import dev.quorate.storage.sstable.block.BlockWriter;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import dev.quorate.storage.sstable.filter.FilterWriter;
import dev.quorate.storage.sstable.filter.KeyHash;
import dev.quorate.storage.sstable.index.IndexWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes one sorted table. Used by one thread. Ends with either {@link #finish} or {@link
 * #abandon}; after an exception from any method, only {@code abandon} may be called.
 *
 * <p>Needs memory for a block, a write buffer, the index (about 30 bytes for each block) and eight
 * bytes for each key and each expiry. Large values are written without a copy.
 */
public final class TableWriter {

    private static final byte[] NO_FENCE = {};

    private final StorageFiles files;
    private final Path path;
    private final long tableNumber;
    private final int level;
    private final WritableFile file;
    private final TableOutput out;
    private final BlockWriter block;
    private final IndexWriter index;
    private final FilterWriter filter;
    private final EntryTotals totals = new EntryTotals();

    private byte @Nullable [] smallestKey;
    private byte @Nullable [] largestKey;
    private byte[] fence = NO_FENCE;
    private boolean ended;

    /**
     * Creates the table's file in {@code directory}.
     *
     * @throws StorageException if it cannot be created or already exists
     */
    public TableWriter(
            StorageFiles files,
            Path directory,
            long tableNumber,
            int level,
            StorageOptions options) {
        this.files = files;
        this.path = directory.resolve(FileNames.table(tableNumber));
        this.tableNumber = tableNumber;
        this.level = level;
        this.block = new BlockWriter(options.blockBytes(), options.compression());
        this.index = new IndexWriter(options.blockBytes());
        this.filter = new FilterWriter(options.bloomBitsPerKey());
        try {
            this.file = files.create(path);
        } catch (IOException cause) {
            throw failed(cause);
        }
        this.out = new TableOutput(file, tableNumber);
    }

    /**
     * Appends an entry.
     *
     * @throws IllegalArgumentException if its key is not after the previous one
     * @throws StorageException if it cannot be written
     */
    public void add(Entry entry) {
        begin(entry.key(), block.hasRoomFor(entry));
        block.add(entry);
        count(entry.key(), entry.timestamp(), entry.isTombstone(), entry.expiresAtMillis());
        if (block.isFull()) {
            endBlock(); // now, while the caller has the value in memory
        }
    }

    /** Appends an entry with a long value, which is copied piece by piece. */
    public void add(byte[] key, Timestamp timestamp, UnreadValue value) {
        begin(key, block.isEmpty());
        block.set(key, timestamp, value);
        count(key, timestamp, false, value.expiresAtMillis());
        endBlock();
    }

    private void begin(byte[] key, boolean fits) {
        requireOpen();
        if (largestKey != null && Arrays.compareUnsigned(largestKey, key) >= 0) {
            throw new IllegalArgumentException("keys must ascend");
        }
        if (!fits) {
            endBlock();
        }
        if (block.isEmpty()) {
            fence = fenceBetween(largestKey, key);
        }
    }

    private void count(byte[] key, Timestamp timestamp, boolean isTombstone, long expiresAtMillis) {
        filter.add(KeyHash.of(key));
        if (smallestKey == null) {
            smallestKey = key;
        }
        largestKey = key;
        totals.add(timestamp, isTombstone, expiresAtMillis);
    }

    /** The shortest key after {@code before} and at or before {@code key}. */
    private static byte[] fenceBetween(byte @Nullable [] before, byte[] key) {
        return before == null ? NO_FENCE : Arrays.copyOf(key, Arrays.mismatch(before, key) + 1);
    }

    private void endBlock() {
        try {
            long offset = out.offset();
            index.add(fence, offset, block.writeTo(out));
        } catch (IOException cause) {
            throw failed(cause);
        }
    }

    /** The approximate size of the file if it were finished now, in bytes. */
    public long bytesWritten() {
        return out.offset() + block.bytes() + index.bytes() + filter.bytes();
    }

    /**
     * Completes the file and forces it to disk; the caller syncs the directory.
     *
     * @throws IllegalStateException if nothing was added
     * @throws StorageException if it cannot be written
     */
    public TableMetadata finish() {
        requireOpen();
        if (smallestKey == null || largestKey == null) {
            throw new IllegalStateException("a table needs an entry");
        }
        if (!block.isEmpty()) {
            endBlock();
        }
        try {
            long indexOffset = out.offset();
            long rootOffset = index.writeTo(out);
            long filterOffset = out.offset();
            int filterHashes = filter.writeTo(out);
            long summaryOffset = out.offset();
            TableMetadata metadata = writeSummary(smallestKey, largestKey);
            new Footer(
                            indexOffset,
                            rootOffset,
                            filterOffset,
                            summaryOffset,
                            filterHashes,
                            TableFormat.VERSION,
                            tableNumber,
                            TableFormat.MAGIC)
                    .writeTo(out);
            out.flush();
            out.force();
            file.close();
            ended = true;
            return metadata;
        } catch (IOException cause) {
            throw failed(cause);
        }
    }

    private TableMetadata writeSummary(byte[] smallest, byte[] largest) throws IOException {
        // The summary contains the size of its file.
        long mark = totals.halfExpiredMillis();
        int summaryBytes = new Summary(metadata(1, smallest, largest), mark).encodedSize();
        long fileBytes =
                out.offset() + summaryBytes + TableFormat.TRAILER_BYTES + TableFormat.FOOTER_BYTES;
        Summary summary = new Summary(metadata(fileBytes, smallest, largest), mark);
        summary.writeTo(out);
        return summary.metadata();
    }

    private TableMetadata metadata(long fileBytes, byte[] smallest, byte[] largest) {
        return totals.metadata(tableNumber, level, fileBytes, smallest, largest);
    }

    /**
     * Closes and deletes the file; no effect after {@link #finish}. If the file cannot be deleted,
     * the next opening of the store deletes it, since the manifest does not reference it.
     */
    public void abandon() {
        if (ended) {
            return;
        }
        ended = true;
        try (file) {
            files.delete(path);
        } catch (IOException harmless) {
            // See above.
        }
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the table has ended");
        }
    }

    private StorageException failed(IOException cause) {
        String what = "cannot write " + path.getFileName();
        return cause instanceof DiskFullException
                ? new StorageException.Full(what + ": no space", cause)
                : new StorageException.Io(what + ": " + cause.getMessage(), cause);
    }
}

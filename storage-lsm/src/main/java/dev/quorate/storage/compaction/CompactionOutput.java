package dev.quorate.storage.compaction;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.sstable.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The output tables of one compaction, written one after another. */
final class CompactionOutput {

    private final StorageFiles files;
    private final Path directory;
    private final StorageOptions options;
    private final long tableBytes;
    private final int level;
    private final LongSupplier nextTableNumber;
    private final List<TableMetadata> finished = new ArrayList<>();
    private @Nullable TableWriter open;
    private long finishedBytes;

    /**
     * @param tableBytes size at which a table is finished and the next begun
     */
    CompactionOutput(
            StorageFiles files,
            Path directory,
            StorageOptions options,
            long tableBytes,
            int level,
            LongSupplier nextTableNumber) {
        this.files = files;
        this.directory = directory;
        this.options = options;
        this.tableBytes = tableBytes;
        this.level = level;
        this.nextTableNumber = nextTableNumber;
    }

    void add(Entry entry) {
        TableWriter writer = writer();
        writer.add(entry);
        finishIfLong(writer);
    }

    void add(byte[] key, Timestamp timestamp, UnreadValue value) {
        TableWriter writer = writer();
        writer.add(key, timestamp, value);
        finishIfLong(writer);
    }

    private TableWriter writer() {
        if (open == null) {
            long number = nextTableNumber.getAsLong();
            open = new TableWriter(files, directory, number, level, options);
        }
        return open;
    }

    private void finishIfLong(TableWriter writer) {
        if (writer.bytesWritten() >= tableBytes) {
            finishTable(writer);
        }
    }

    private void finishTable(TableWriter writer) {
        TableMetadata table = writer.finish();
        finished.add(table);
        finishedBytes += table.fileBytes();
        open = null;
    }

    /** The approximate number of bytes written so far. */
    long bytesWritten() {
        return finishedBytes + (open == null ? 0 : open.bytesWritten());
    }

    /** Completes the last table. Returns all of them, in key order. */
    List<TableMetadata> finish() {
        if (open != null) {
            finishTable(open);
        }
        return List.copyOf(finished);
    }

    /** Deletes the tables written so far. */
    void abandon() {
        if (open != null) {
            open.abandon();
        }
        for (TableMetadata table : finished) {
            try {
                files.delete(directory.resolve(FileNames.table(table.number())));
            } catch (IOException harmless) {
                // The manifest does not reference it, so the next opening deletes it.
            }
        }
    }
}

package dev.quorate.storage.sstable;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.sstable.block.BlockReader;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.filter.BloomFilter;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Looks at a table from outside of a store. Changes nothing. */
public final class TableInspection {

    private final SSTable table;
    private final Consumer<StorageException> problems;
    private final BlockReader block = new BlockReader();
    private boolean whole = true;

    private TableInspection(SSTable table, Consumer<StorageException> problems) {
        this.table = table;
        this.problems = problems;
    }

    /**
     * What a table's own summary tells.
     *
     * @throws CorruptionException if the footer or the summary is damaged
     */
    public static TableMetadata metadata(StorageFiles files, Path directory, long number)
            throws IOException {
        String name = FileNames.table(number);
        MappedFile mapped = files.map(directory.resolve(name));
        try (TableFile file = new TableFile(mapped, name, number)) {
            Footer footer = Footer.read(file, number);
            long offset = footer.summaryOffset();
            int length = SSTable.summaryBytes(file, footer);
            byte[] block = new byte[length];
            file.read(offset, length, block);
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(block));
            try {
                return TableMetadata.readFrom(in);
            } catch (IOException malformed) {
                throw file.corrupt(offset, String.valueOf(malformed.getMessage()));
            }
        }
    }

    /**
     * Tells of everything in a table that is damaged or cannot be read, in the order of the file.
     * Without footer, summary and root there is no way to the rest: then theirs is all that is
     * told.
     *
     * @param metadata what the table should be
     * @param problems told of each as it is found: a large table can have more than fit in memory
     */
    public static void inspect(
            StorageFiles files,
            Path directory,
            TableMetadata metadata,
            Consumer<StorageException> problems) {
        SSTable table;
        try {
            table = SSTable.open(files, directory, metadata);
        } catch (StorageException problem) {
            problems.accept(problem);
            return;
        }
        try {
            new TableInspection(table, problems).run();
        } finally {
            table.release();
        }
    }

    /** A page that the disk does not deliver is a problem of its own, and no reason to end. */
    private void attempt(Runnable check) {
        try {
            check.run();
        } catch (InternalError unreadable) {
            tell(table.unreadable(unreadable));
        } catch (StorageException problem) {
            tell(problem);
        }
    }

    private void tell(StorageException problem) {
        whole = false;
        problems.accept(problem);
    }

    private void run() {
        for (int i = 0; i < table.root().count(); i++) {
            int number = i;
            attempt(() -> inspectPart(number));
        }
        BloomFilter filter = table.filter();
        if (filter != null) {
            for (int i = 0; i < filter.sections(); i++) {
                int section = i;
                attempt(() -> filter.check(section));
            }
        }
        if (whole) {
            // Every piece is whole. Do they fit each other?
            attempt(table::verify);
        }
    }

    private void inspectPart(int number) {
        IndexBlock part = table.part(number);
        part.check();
        for (int i = 0; i < part.count(); i++) {
            int slot = i;
            attempt(() -> readBlock(part.targetOffset(slot), part.targetLength(slot)));
        }
    }

    private void readBlock(long offset, int length) {
        block.load(table.file(), offset, length);
        while (block.next()) {
            // That it can be read is all that is asked.
        }
    }
}

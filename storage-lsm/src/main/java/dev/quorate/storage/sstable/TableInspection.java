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
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Inspects a table outside an open store, without changes. */
public final class TableInspection {

    private final SSTable whole;
    private final TableReader table;
    private final Consumer<StorageException> problems;
    private final BlockReader block = new BlockReader();
    private boolean intact = true;

    private TableInspection(SSTable table, Consumer<StorageException> problems) {
        this.whole = table;
        this.table = table.reader();
        this.problems = problems;
    }

    /**
     * The metadata in a table's own summary.
     *
     * @throws CorruptionException if the footer or the summary is damaged
     */
    public static TableMetadata metadata(StorageFiles files, Path directory, long number)
            throws IOException {
        String name = FileNames.table(number);
        MappedFile mapped = files.map(directory.resolve(name));
        try (TableFile file = new TableFile(mapped, name, number)) {
            return Summary.read(file, Footer.read(file, number)).metadata();
        }
    }

    /**
     * Reports every damaged or unreadable part of a table, in the order of the file. If the footer,
     * the summary or the root is damaged, the other parts cannot be located and only this damage is
     * reported.
     *
     * @param metadata the expected metadata
     * @param problems receives each problem as it is found, since they may exceed the memory
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

    /** Reports a failed check, including an unreadable page, and continues. */
    private void attempt(Runnable check) {
        try {
            check.run();
        } catch (StorageException | InternalError problem) {
            intact = false;
            problems.accept(whole.suspect(problem));
        }
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
        if (intact) {
            // Every part is intact: check that they are consistent.
            attempt(whole::verify);
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
            // Reading the entries verifies them.
        }
    }
}

package dev.quorate.storage.sstable;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Looks at a table from outside of a store. Changes nothing. */
public final class TableInspection {

    private final SSTable table;
    private final List<CorruptionException> damages = new ArrayList<>();
    private final BlockReader block = new BlockReader();

    private TableInspection(SSTable table) {
        this.table = table;
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
     * Everything that is damaged in a table, in the order of the file. Without footer, summary and
     * root there is no way to the rest: then theirs is the only damage that is told.
     *
     * @param metadata what the table should be
     */
    public static List<CorruptionException> damages(
            StorageFiles files, Path directory, TableMetadata metadata) {
        SSTable table;
        try {
            table = SSTable.open(files, directory, metadata);
        } catch (CorruptionException damage) {
            return List.of(damage);
        }
        try {
            TableInspection inspection = new TableInspection(table);
            inspection.run();
            return inspection.damages;
        } catch (InternalError unreadable) {
            throw table.unreadable(unreadable);
        } finally {
            table.release();
        }
    }

    private void run() {
        for (int i = 0; i < table.root().count(); i++) {
            inspectPart(i);
        }
        BloomFilter filter = table.filter();
        if (filter != null) {
            for (int section = 0; section < filter.sections(); section++) {
                checkSection(filter, section);
            }
        }
        if (damages.isEmpty()) {
            // Every piece is whole. Do they fit each other?
            try {
                table.verify();
            } catch (CorruptionException damage) {
                damages.add(damage);
            }
        }
    }

    private void inspectPart(int number) {
        IndexBlock part;
        try {
            part = table.part(number);
            part.check();
        } catch (CorruptionException damage) {
            damages.add(damage);
            return;
        }
        for (int slot = 0; slot < part.count(); slot++) {
            try {
                block.load(table.file(), part.targetOffset(slot), part.targetLength(slot));
                while (block.next()) {
                    // That it can be read is all that is asked.
                }
            } catch (CorruptionException damage) {
                damages.add(damage);
            }
        }
    }

    private void checkSection(BloomFilter filter, int section) {
        try {
            filter.check(section);
        } catch (CorruptionException damage) {
            damages.add(damage);
        }
    }
}

package dev.quorate.storage.engine;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.StoreVersion;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.LogSegment;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Creates a directory that opens as a store with the tables of one version, as hard links.
 *
 * <p>Log segments are not linked: they are written in place and recycled, so a linked one would
 * change. The caller flushes the memtables first, and the checkpoint begins with an empty segment
 * of its own.
 *
 * <p>CURRENT is written first, with a line that names no manifest, and replaced last: until then
 * the directory does not open, not even as an empty store.
 */
record Checkpoint(StorageFiles files, Path from, Path to) {

    /**
     * Creates the checkpoint durably.
     *
     * @param version the caller retains its tables
     */
    void write(StoreVersion version) throws IOException {
        files.createDirectories(to);
        if (!files.list(to).isEmpty()) {
            throw new StorageException.Io(to + " is not empty", null);
        }
        VersionSet.markUnfinished(files, to);
        for (TableMetadata table : version.tables()) {
            String name = FileNames.table(table.number());
            files.link(from.resolve(name), to.resolve(name));
        }
        long segment = version.nextFileNumber();
        LogSegment.create(files, to, segment, 0).file().close();
        long manifest = segment + 1;
        StoreVersion linked =
                new StoreVersion(version.tables(), segment, manifest + 1, version.newest());
        VersionSet.create(files, to, linked, manifest);
    }
}

package dev.quorate.storage.engine;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.manifest.Version;
import dev.quorate.storage.manifest.VersionSet;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.LogSegment;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A second directory that opens as a store with the tables of one version, which both then share as
 * hard links.
 *
 * <p>The log is not linked: its segments are written in place, and used again when they are no
 * longer needed, so that a link to one would go on changing. The memtables are flushed before
 * instead, and the checkpoint begins with an empty segment of its own.
 *
 * <p>CURRENT comes first, as a line that names no manifest, and is replaced last: until then nobody
 * opens the directory, not even as an empty store.
 */
final class Checkpoint {

    private final StorageFiles files;
    private final Path from;
    private final Path to;

    Checkpoint(StorageFiles files, Path from, Path to) {
        this.files = files;
        this.from = from;
        this.to = to;
    }

    /**
     * Makes it, durably.
     *
     * @param version whose tables the caller keeps from being deleted
     */
    void write(Version version) throws IOException {
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
        Version linked = new Version(version.tables(), segment, manifest + 1, version.newest());
        VersionSet.create(files, to, linked, manifest);
    }
}

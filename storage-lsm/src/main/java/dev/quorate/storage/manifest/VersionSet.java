package dev.quorate.storage.manifest;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The current version and its manifest. Not thread-safe: the store's manifest lock guards {@link
 * #commit}.
 *
 * <p>Opening only reads, so that a store opens on a full disk. The first commit, the commit after a
 * failed one, and a commit to a manifest above its maximum size write a new manifest that begins
 * with a snapshot of the version, and point CURRENT to it. So no record is ever appended after a
 * torn one.
 */
public final class VersionSet {

    /** A commit to a manifest larger than this rewrites it. */
    private static final long MAX_MANIFEST_BYTES = 1 << 20;

    /** Far above its real size; bounds the read of a damaged file. */
    private static final long MAX_CURRENT_BYTES = 1_000;

    private final StorageFiles files;
    private final Path directory;
    private final boolean fresh;
    private final long tornBytes;
    private StoreVersion version;
    private long manifest;
    private long mark;
    private @Nullable WritableFile file;
    private long fileBytes;
    private int sequence;

    private VersionSet(
            StorageFiles files,
            Path directory,
            StoreVersion version,
            long manifest,
            long tornBytes) {
        this.files = files;
        this.directory = directory;
        this.version = version;
        this.manifest = manifest;
        this.fresh = manifest == 0;
        this.tornBytes = tornBytes;
    }

    /**
     * Reads the version of a directory; {@link StoreVersion#EMPTY} without a manifest.
     *
     * @throws CorruptionException if the manifest is missing or damaged
     */
    public static VersionSet open(StorageFiles files, Path directory) throws IOException {
        Path current = directory.resolve(FileNames.CURRENT);
        if (!files.exists(current)) {
            return new VersionSet(files, directory, StoreVersion.EMPTY, 0, 0);
        }
        long manifest;
        try (MappedFile mapped = files.map(current)) {
            if (mapped.bytes().byteSize() > MAX_CURRENT_BYTES) {
                throw new CorruptionException(
                        FileNames.CURRENT, 0, "it has " + mapped.bytes().byteSize() + " bytes");
            }
            manifest = ManifestFormat.readCurrent(mapped.bytes().asByteBuffer());
        }
        Path path = directory.resolve(FileNames.manifest(manifest));
        if (!files.exists(path)) {
            throw new CorruptionException(
                    FileNames.CURRENT, 0, "it names " + path.getFileName() + ", which is gone");
        }
        try (MappedFile mapped = files.map(path)) {
            ByteBuffer bytes = ByteBuffer.wrap(mapped.bytes().toArray(ValueLayout.JAVA_BYTE));
            ManifestFormat.Contents contents = ManifestFormat.read(bytes, manifest);
            return new VersionSet(
                    files, directory, contents.version(), manifest, contents.tornBytes());
        }
    }

    /**
     * Durably marks a directory as unfinished: it does not open until {@link #create} returns.
     *
     * @throws IOException also if the directory contains a version
     */
    public static void markUnfinished(StorageFiles files, Path directory) throws IOException {
        try (WritableFile current = files.create(directory.resolve(FileNames.CURRENT))) {
            current.write(ManifestFormat.unfinished(), 0);
            current.force();
        }
        files.syncDirectory(directory);
    }

    /**
     * Durably makes {@code version} the version of a directory, which already contains its files.
     *
     * @param manifest a number that no file of the directory has
     */
    public static void create(
            StorageFiles files, Path directory, StoreVersion version, long manifest)
            throws IOException {
        VersionSet created = new VersionSet(files, directory, version, 0, 0);
        created.rewrite(version, manifest);
        created.close();
    }

    /** Whether the directory contained no version when it was opened. */
    public boolean isFresh() {
        return fresh;
    }

    public StoreVersion version() {
        return version;
    }

    /** Bytes of a torn record that were dropped. */
    public long tornBytes() {
        return tornBytes;
    }

    /** The number of the manifest in use; 0 if none. */
    public long manifestNumber() {
        return manifest;
    }

    /**
     * Makes {@code edit} durable and advances to the version after it.
     *
     * <p>After a failure the version is unchanged, but recovery may find either version: a retry
     * must commit the same edit, and none of its files may be deleted before.
     */
    public void commit(VersionEdit edit, LongSupplier fileNumbers) throws IOException {
        StoreVersion next = version.apply(edit);
        WritableFile open = file;
        if (open == null || fileBytes > MAX_MANIFEST_BYTES) {
            rewrite(next, fileNumbers.getAsLong());
        } else {
            file = null;
            ByteBuffer record = ManifestFormat.record(fileBytes, mark, sequence, edit);
            int length = record.remaining();
            try {
                open.write(record, fileBytes);
                open.force();
            } catch (IOException | RuntimeException | Error e) {
                closeAfter(e, open);
                throw e;
            }
            fileBytes += length;
            sequence++;
            file = open;
            version = next;
        }
    }

    private void rewrite(StoreVersion next, long number) throws IOException {
        close();
        // The manifest's own number may be above the edit's next file number.
        StoreVersion numbered =
                new StoreVersion(
                        next.tables(),
                        next.oldestSegment(),
                        Math.max(next.nextFileNumber(), number + 1),
                        next.newest());
        long drawn = files.randomMark();
        ByteBuffer record =
                ManifestFormat.record(ManifestFormat.HEADER_BYTES, drawn, 1, numbered.snapshot());
        long bytes = (long) ManifestFormat.HEADER_BYTES + record.remaining();
        WritableFile created = files.create(directory.resolve(FileNames.manifest(number)));
        try {
            created.write(ManifestFormat.header(number, drawn), 0);
            created.write(record, ManifestFormat.HEADER_BYTES);
            created.force();
            files.syncDirectory(directory);
            files.replace(directory.resolve(FileNames.CURRENT), ManifestFormat.current(number));
        } catch (IOException | RuntimeException | Error e) {
            closeAfter(e, created);
            throw e;
        }
        long old = manifest;
        file = created;
        fileBytes = bytes;
        sequence = 2;
        manifest = number;
        mark = drawn;
        version = numbered;
        if (old != 0) {
            deleteOld(old);
        }
    }

    private void deleteOld(long number) {
        try {
            files.delete(directory.resolve(FileNames.manifest(number)));
        } catch (IOException leftBehind) {
            // The commit succeeded and must not be reported as failed. The next opening deletes the
            // old manifest.
        }
    }

    private static void closeAfter(Throwable cause, WritableFile file) {
        try {
            file.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Closes the manifest's file; a later commit writes a new one. */
    public void close() throws IOException {
        WritableFile open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }
}

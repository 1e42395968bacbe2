package dev.quorate.testkit;

import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The disk of a machine for one life of its process: the real disk with injected faults. After the
 * end of the life every use fails, except closing a file.
 */
final class ProcessFiles implements StorageFiles {

    /** A fault of the disk. */
    enum Fault {
        FORCES("fsync fails"),
        READS("reads fail"),
        GROWTH("full");

        final String words;

        Fault(String words) {
            this.words = words;
        }
    }

    private interface Use<T> {
        T run() throws IOException;
    }

    private final StorageFiles real;
    private final Life life;
    private final Set<Fault> faults;
    private final UnsyncedChanges unsynced;
    private final Set<Mapping> mappings = ConcurrentHashMap.newKeySet();

    /** Each use of the disk locks it for reading, so that the end of all uses can be awaited. */
    private final ReentrantReadWriteLock inUse = new ReentrantReadWriteLock();

    /** Guarded by {@code inUse}. */
    private boolean ended;

    /**
     * @param faults the active faults
     */
    ProcessFiles(StorageFiles real, Life life, Set<Fault> faults, UnsyncedChanges unsynced) {
        this.real = real;
        this.life = life;
        this.faults = faults;
        this.unsynced = unsynced;
    }

    private <T> T use(Use<T> use) throws IOException {
        boolean isAlive = life.pass();
        inUse.readLock().lock();
        try {
            if (ended || !isAlive || life.isOver()) {
                throw new IOException("the process is gone");
            }
            return use.run();
        } finally {
            inUse.readLock().unlock();
        }
    }

    /** Waits for the last use of the disk to end; later uses fail. */
    void awaitEnd() {
        inUse.writeLock().lock();
        try {
            ended = true;
        } finally {
            inUse.writeLock().unlock();
        }
    }

    List<Path> mapped() {
        return mappings.stream().map(Mapping::file).distinct().toList();
    }

    private void check(Fault fault, Path file) throws IOException {
        if (faults.contains(fault)) {
            throw fault == Fault.GROWTH
                    ? new DiskFullException(file + ": No space left on device")
                    : new IOException(file + ": Input/output error");
        }
    }

    private void change(UnsyncedChanges.DiskChange change) throws IOException {
        var _ =
                use(
                        () -> {
                            change.run();
                            return true;
                        });
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        change(() -> real.createDirectories(directory));
    }

    @Override
    public void createPrivateDirectory(Path directory) throws IOException {
        change(() -> real.createPrivateDirectory(directory));
    }

    @Override
    public boolean isDirectory(Path path) throws IOException {
        return use(() -> real.isDirectory(path));
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return use(() -> real.list(directory));
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return use(() -> real.exists(file));
    }

    @Override
    public WritableFile create(Path file) throws IOException {
        return use(
                () -> {
                    check(Fault.GROWTH, file);
                    WritableFile created = real.create(file);
                    unsynced.created(file, null);
                    return new OpenFile(file, created);
                });
    }

    @Override
    public WritableFile open(Path file) throws IOException {
        return use(() -> new OpenFile(file, real.open(file)));
    }

    @Override
    public MappedFile map(Path file) throws IOException {
        return use(
                () -> {
                    check(Fault.READS, file);
                    Mapping mapping = new Mapping(file, real.map(file));
                    mappings.add(mapping);
                    return mapping;
                });
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        change(
                () -> {
                    unsynced.beforeRename(from, to);
                    real.rename(from, to);
                });
    }

    @Override
    public void link(Path file, Path link) throws IOException {
        change(
                () -> {
                    check(Fault.GROWTH, link);
                    real.link(file, link);
                    unsynced.created(link, file);
                });
    }

    @Override
    public void delete(Path file) throws IOException {
        change(
                () -> {
                    unsynced.beforeDelete(file);
                    real.delete(file);
                });
    }

    @Override
    public void deleteTree(Path directory) throws IOException {
        if (!isDirectory(directory)) {
            return;
        }
        StorageFiles.super.deleteTree(directory);
        change(() -> real.delete(directory));
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        change(
                () -> {
                    check(Fault.FORCES, directory);
                    real.syncDirectory(directory);
                    unsynced.synced(directory);
                });
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        return use(() -> real.lock(file));
    }

    @Override
    public long freeBytes(Path directory) throws IOException {
        return use(() -> faults.contains(Fault.GROWTH) ? 0 : real.freeBytes(directory));
    }

    @Override
    public long randomMark() {
        return real.randomMark();
    }

    private final class OpenFile implements WritableFile {
        private final Path file;
        private final WritableFile inner;
        private final UnsyncedChanges.Contents contents;
        private final FileChannel reading;

        OpenFile(Path file, WritableFile inner) throws IOException {
            this.file = file;
            this.inner = inner;
            this.contents = unsynced.contentsOf(file);
            this.reading = FileChannel.open(file, StandardOpenOption.READ);
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            change(
                    () -> {
                        int length = bytes.remaining();
                        if (offset + length > reading.size()) {
                            check(Fault.GROWTH, file);
                        }
                        UnsyncedChanges.beforeWrite(contents, reading, offset, length);
                        inner.write(bytes, offset);
                    });
        }

        @Override
        public void force() throws IOException {
            change(
                    () -> {
                        check(Fault.FORCES, file);
                        inner.force();
                        contents.forced();
                    });
        }

        @Override
        public long size() throws IOException {
            return use(inner::size);
        }

        @Override
        public void truncate(long size) throws IOException {
            change(
                    () -> {
                        UnsyncedChanges.beforeWrite(contents, reading, size, Integer.MAX_VALUE);
                        inner.truncate(size);
                    });
        }

        @Override
        public void close() throws IOException {
            try (reading) {
                inner.close();
            }
        }
    }

    private final class Mapping implements MappedFile {
        private final Path file;
        private final MappedFile inner;

        Mapping(Path file, MappedFile inner) {
            this.file = file;
            this.inner = inner;
        }

        Path file() {
            return file;
        }

        @Override
        public MemorySegment bytes() {
            return inner.bytes();
        }

        @Override
        public boolean isResident(long offset, long length) {
            return inner.isResident(offset, length);
        }

        @Override
        public void close() {
            mappings.remove(this);
            inner.close();
        }
    }
}

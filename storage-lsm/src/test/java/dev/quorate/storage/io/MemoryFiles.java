package dev.quorate.storage.io;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * A disk on the heap, for tests that write many small files. Tests can modify bytes, make writes
 * fail, and make pages non-resident.
 */
public final class MemoryFiles implements StorageFiles {

    private final Map<Path, byte[]> contents = new TreeMap<>();
    private long writesLeft = Long.MAX_VALUE;
    private LongPredicate residentOffset = offset -> true;
    private int open;
    private long marks;

    /** After {@code writes} more, every write and force fails. */
    public synchronized void failAfter(long writes) {
        writesLeft = writes;
    }

    /** A range is resident if all its offsets satisfy the predicate. */
    public synchronized void setResident(LongPredicate offset) {
        residentOffset = offset;
    }

    public synchronized byte[] read(Path file) {
        return contents.get(file).clone();
    }

    public synchronized void replace(Path file, byte[] bytes) {
        contents.put(file, bytes);
    }

    /** Files open for writing, and files mapped. */
    public synchronized int openFiles() {
        return open;
    }

    @Override
    public void createDirectories(Path directory) {}

    @Override
    public synchronized List<String> list(Path directory) {
        List<String> names = new ArrayList<>();
        for (Path file : contents.keySet()) {
            if (directory.equals(file.getParent())) {
                names.add(String.valueOf(file.getFileName()));
            }
        }
        return names;
    }

    @Override
    public synchronized boolean exists(Path file) {
        return contents.containsKey(file);
    }

    @Override
    public synchronized WritableFile create(Path file) throws IOException {
        if (contents.containsKey(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        requireWrites();
        contents.put(file, new byte[0]);
        return open(file);
    }

    @Override
    public synchronized WritableFile open(Path file) throws IOException {
        requireFile(file);
        open++;
        return new HeapFile(file);
    }

    private void requireFile(Path file) throws IOException {
        if (!contents.containsKey(file)) {
            throw new NoSuchFileException(file.toString());
        }
    }

    private void requireWrites() throws IOException {
        if (writesLeft-- <= 0) {
            writesLeft = 0;
            throw new IOException("the disk fails");
        }
    }

    @Override
    public synchronized MappedFile map(Path file) throws IOException {
        requireFile(file);
        open++;
        return new HeapMapping(MemorySegment.ofArray(contents.get(file)).asReadOnly());
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        requireFile(from);
        contents.put(to, contents.remove(from));
    }

    @Override
    public synchronized void link(Path file, Path link) throws IOException {
        requireFile(file);
        if (contents.containsKey(link)) {
            throw new FileAlreadyExistsException(link.toString());
        }
        contents.put(link, contents.get(file));
    }

    @Override
    public synchronized void delete(Path file) throws IOException {
        requireFile(file);
        contents.remove(file);
    }

    @Override
    public void syncDirectory(Path directory) {}

    @Override
    public Closeable lock(Path file) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long freeBytes(Path directory) {
        return Long.MAX_VALUE;
    }

    @Override
    public long randomMark() {
        return ++marks;
    }

    private final class HeapFile implements WritableFile {
        private final Path path;
        private boolean closed;

        HeapFile(Path path) {
            this.path = path;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            synchronized (MemoryFiles.this) {
                requireWrites();
                byte[] held = contents.get(path);
                int end = Math.toIntExact(offset + bytes.remaining());
                byte[] grown = end > held.length ? Arrays.copyOf(held, end) : held;
                bytes.get(grown, (int) offset, bytes.remaining());
                contents.put(path, grown);
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (MemoryFiles.this) {
                requireWrites();
            }
        }

        @Override
        public long size() {
            return read(path).length;
        }

        @Override
        public void truncate(long size) {
            replace(path, Arrays.copyOf(read(path), (int) size));
        }

        @Override
        public void close() {
            synchronized (MemoryFiles.this) {
                open -= closed ? 0 : 1;
                closed = true;
            }
        }
    }

    private final class HeapMapping implements MappedFile {
        private final MemorySegment bytes;

        HeapMapping(MemorySegment bytes) {
            this.bytes = bytes;
        }

        @Override
        public MemorySegment bytes() {
            return bytes;
        }

        @Override
        public boolean isResident(long offset, long length) {
            synchronized (MemoryFiles.this) {
                for (long at = offset; at < offset + length; at++) {
                    if (!residentOffset.test(at)) {
                        return false;
                    }
                }
                return true;
            }
        }

        @Override
        public void close() {
            synchronized (MemoryFiles.this) {
                open--;
            }
        }
    }
}

package dev.quorate.node.clock;

import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A disk in memory that forgets, when the power fails, whatever was not forced: bytes that were not
 * forced are gone, and names that were not forced are as they were.
 */
final class MemoryDisk implements StorageFiles {

    private Map<Path, Content> names = new HashMap<>();
    private Map<Path, Content> durableNames = new HashMap<>();
    private int stepsUntilPowerLoss = Integer.MAX_VALUE;

    private static final class Content {
        byte[] bytes = new byte[0];
        byte[] durableBytes = new byte[0];
    }

    /** From now on, the power fails at the step after {@code steps} more changes. */
    synchronized void losePowerAfter(int steps) {
        stepsUntilPowerLoss = steps;
    }

    /** The power is back: what was not durable is gone. */
    synchronized void restorePower() {
        stepsUntilPowerLoss = Integer.MAX_VALUE;
        names = new HashMap<>(durableNames);
        for (Content content : names.values()) {
            content.bytes = content.durableBytes.clone();
        }
    }

    private synchronized void step() throws IOException {
        if (stepsUntilPowerLoss-- <= 0) {
            throw new IOException("no power");
        }
    }

    /** The file's bytes, to damage them. */
    synchronized byte[] bytes(Path file) {
        return names.get(file).bytes;
    }

    synchronized void put(Path file, byte[] bytes) {
        Content content = new Content();
        content.bytes = bytes;
        content.durableBytes = bytes.clone();
        names.put(file, content);
        durableNames.put(file, content);
    }

    @Override
    public void createDirectories(Path directory) {}

    @Override
    public synchronized List<String> list(Path directory) {
        return names.keySet().stream()
                .filter(file -> directory.equals(file.getParent()))
                .map(file -> file.getFileName().toString())
                .toList();
    }

    @Override
    public synchronized boolean exists(Path file) {
        return names.containsKey(file);
    }

    @Override
    public synchronized WritableFile create(Path file) throws IOException {
        step();
        if (names.containsKey(file)) {
            throw new IOException(file + " exists");
        }
        Content content = new Content();
        names.put(file, content);
        return new Writing(content);
    }

    @Override
    public synchronized WritableFile open(Path file) throws IOException {
        return new Writing(content(file));
    }

    private Content content(Path file) throws IOException {
        Content content = names.get(file);
        if (content == null) {
            throw new NoSuchFileException(file.toString());
        }
        return content;
    }

    @Override
    public synchronized MappedFile map(Path file) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(content(file).bytes.clone());
        return new MappedFile() {
            @Override
            public MemorySegment bytes() {
                return bytes;
            }

            @Override
            public boolean isResident(long offset, long length) {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        step();
        names.put(to, content(from));
        names.remove(from);
    }

    @Override
    public synchronized void link(Path file, Path link) throws IOException {
        step();
        names.put(link, content(file));
    }

    @Override
    public synchronized void delete(Path file) throws IOException {
        step();
        content(file);
        names.remove(file);
    }

    @Override
    public synchronized void syncDirectory(Path directory) throws IOException {
        step();
        durableNames = new HashMap<>(names);
    }

    @Override
    public Closeable lock(Path file) {
        return () -> {};
    }

    @Override
    public long freeBytes(Path directory) {
        return Long.MAX_VALUE;
    }

    @Override
    public long randomMark() {
        return 1;
    }

    private final class Writing implements WritableFile {

        private final Content content;

        Writing(Content content) {
            this.content = content;
        }

        @Override
        public void write(ByteBuffer from, long offset) throws IOException {
            synchronized (MemoryDisk.this) {
                step();
                int end = (int) offset + from.remaining();
                content.bytes = Arrays.copyOf(content.bytes, Math.max(end, content.bytes.length));
                from.get(content.bytes, (int) offset, from.remaining());
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (MemoryDisk.this) {
                step();
                content.durableBytes = content.bytes.clone();
            }
        }

        @Override
        public long size() {
            return content.bytes.length;
        }

        @Override
        public void truncate(long size) {
            throw new UncheckedIOException(new IOException("not needed"));
        }

        @Override
        public void close() {}
    }
}

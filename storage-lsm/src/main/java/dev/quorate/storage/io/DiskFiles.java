package dev.quorate.storage.io;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The real disk. Stateless except for the locks held by this process. */
public final class DiskFiles implements StorageFiles {

    /**
     * Lock files held by this process. POSIX releases a process's locks on a file when any
     * descriptor of it is closed, so a second attempt must fail before it opens the file.
     */
    private static final Set<Path> HELD_LOCKS = ConcurrentHashMap.newKeySet();

    /**
     * The JDK copies a heap buffer through a cached direct buffer of its size, which this bounds.
     */
    private static final int HEAP_SLICE_BYTES = 256 << 10;

    private static final int LINK_ATTEMPTS = 1000;

    @Override
    public void createDirectories(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath();
        Path existing = absolute;
        while (!Files.exists(existing)) {
            existing = parentOf(existing);
        }
        Files.createDirectories(absolute);
        for (Path made = absolute; !made.equals(existing); made = parentOf(made)) {
            syncDirectory(parentOf(made));
        }
    }

    @Override
    public void createPrivateDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (isDirectory(directory)) {
                return;
            }
            throw new IOException(directory + " is not a directory", e);
        } catch (IOException e) {
            throw classified(e, directory);
        }
        PosixFileAttributeView posix =
                Files.getFileAttributeView(directory, PosixFileAttributeView.class);
        if (posix != null) {
            posix.setPermissions(PosixFilePermissions.fromString("rwx------"));
        }
        syncDirectory(parentOf(directory.toAbsolutePath()));
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void deleteTree(Path directory) throws IOException {
        if (isDirectory(directory)) {
            StorageFiles.super.deleteTree(directory);
        }
        Files.deleteIfExists(directory);
    }

    private static Path parentOf(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IOException(path + " has no parent directory");
        }
        return parent;
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                names.add(String.valueOf(file.getFileName()));
            }
        }
        return names;
    }

    @Override
    public boolean exists(Path file) {
        return Files.exists(file);
    }

    @Override
    public WritableFile create(Path file) throws IOException {
        try {
            return new DiskFile(
                    file,
                    FileChannel.open(
                            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        } catch (IOException e) {
            throw classified(e, file);
        }
    }

    @Override
    public WritableFile open(Path file) throws IOException {
        return new DiskFile(file, FileChannel.open(file, StandardOpenOption.WRITE));
    }

    @Override
    public MappedFile map(Path file) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment bytes =
                    uninterrupted(
                            () ->
                                    channel.map(
                                            FileChannel.MapMode.READ_ONLY,
                                            0,
                                            channel.size(),
                                            arena));
            return new Mapping(arena, bytes);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            // A directory that grows, or is copied on write, needs space.
            throw classified(e, to);
        }
    }

    @Override
    public void link(Path file, Path link) throws IOException {
        try {
            for (int attempt = 1; ; attempt++) {
                try {
                    Files.createLink(link, file);
                    return;
                } catch (NoSuchFileException e) {
                    // Linux fails so, too, if it found a file that was replaced meanwhile.
                    if (attempt == LINK_ATTEMPTS || !Files.exists(file)) {
                        throw e;
                    }
                    Thread.onSpinWait();
                }
            }
        } catch (IOException e) {
            throw classified(e, link);
        } catch (UnsupportedOperationException e) {
            throw new IOException(link + ": this file system has no hard links", e);
        }
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.delete(file);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            uninterrupted(() -> forced(channel, true));
        } catch (IOException e) {
            throw classified(e, directory);
        }
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        Path held = parentOf(file.toAbsolutePath()).toRealPath().resolve(file.getFileName());
        if (!HELD_LOCKS.add(held)) {
            throw new FileLockedException(file + " is held by this process");
        }
        FileChannel channel = null;
        try {
            channel = FileChannel.open(held, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw new FileLockedException(file + " is held by another process");
            }
            FileChannel locked = channel;
            return () -> {
                locked.close();
                HELD_LOCKS.remove(held);
            };
        } catch (OverlappingFileLockException e) {
            abandon(channel, held);
            throw new FileLockedException(file + " is held by this process");
        } catch (IOException | RuntimeException | Error e) {
            abandon(channel, held);
            throw e;
        }
    }

    private static void abandon(@Nullable FileChannel channel, Path held) throws IOException {
        HELD_LOCKS.remove(held);
        if (channel != null) {
            channel.close();
        }
    }

    @Override
    public long freeBytes(Path directory) {
        return directory.toFile().getUsableSpace();
    }

    @Override
    public long randomMark() {
        return new SecureRandom().nextLong();
    }

    private interface Io<T> {
        T run() throws IOException;
    }

    /**
     * Runs I/O with the thread's interrupt flag cleared, because an interrupted thread that uses a
     * channel closes it. Completions may leave a thread of the store interrupted, and the thread
     * that opens a store may be interrupted.
     */
    private static <T> T uninterrupted(Io<T> io) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            return io.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static FileChannel forced(FileChannel channel, boolean metadata) throws IOException {
        channel.force(metadata);
        return channel;
    }

    /**
     * Java has no exception type for ENOSPC. Its message is the C library's, which may be
     * translated, so a disk without free space also counts as full.
     */
    private static IOException classified(IOException e, Path file) {
        String message = String.valueOf(e.getMessage());
        boolean full =
                message.contains("No space left on device")
                        || message.contains("Disk quota exceeded");
        Path directory = file.toAbsolutePath().getParent();
        if (!full && directory != null) {
            full =
                    directory.toFile().getTotalSpace() > 0
                            && directory.toFile().getUsableSpace() == 0;
        }
        return full ? new DiskFullException(file + ": " + message, e) : e;
    }

    private static final class DiskFile implements WritableFile {
        private final Path file;

        /** Replaced when an interrupt has closed it. */
        private FileChannel channel;

        private @Nullable DirectWrites direct;
        private boolean isDirectTried;

        DiskFile(Path file, FileChannel channel) {
            this.file = file;
            this.channel = channel;
        }

        @Override
        public boolean writeDurably(ByteBuffer bytes, long offset) throws IOException {
            boolean isFirst = !isDirectTried;
            if (isFirst) {
                isDirectTried = true;
                direct = DirectWrites.open(file);
            }
            if (direct != null) {
                int from = bytes.position();
                try {
                    direct.write(bytes, offset);
                    return true;
                } catch (IOException e) {
                    if (!isFirst) {
                        throw classified(e, file);
                    }
                    // A file system may refuse this only now, and may accept the usual way.
                    bytes.position(from);
                    direct.close();
                    direct = null;
                }
            }
            write(bytes, offset);
            return false;
        }

        private void forgetTail() {
            if (direct != null) {
                direct.forget();
            }
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            forgetTail();
            try {
                long at = offset;
                int end = bytes.limit();
                while (bytes.position() < end) {
                    if (!bytes.isDirect() && end - bytes.position() > HEAP_SLICE_BYTES) {
                        bytes.limit(bytes.position() + HEAP_SLICE_BYTES);
                    }
                    long next = at;
                    at += writeOnce(bytes, next);
                    bytes.limit(end);
                }
            } catch (IOException e) {
                throw classified(e, file);
            }
        }

        /**
         * Writers append on their own threads, which may be interrupted at any time. That closes
         * the channel, and the write, whose extent is unknown then, is repeated.
         */
        private int writeOnce(ByteBuffer bytes, long offset) throws IOException {
            int start = bytes.position();
            boolean interrupted = Thread.interrupted();
            try {
                while (true) {
                    try {
                        return channel.write(bytes, offset);
                    } catch (ClosedByInterruptException e) {
                        interrupted |= Thread.interrupted();
                        bytes.position(start);
                        channel = FileChannel.open(file, StandardOpenOption.WRITE);
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void force() throws IOException {
            // fdatasync: it includes a change of size, and no other metadata matters.
            try {
                uninterrupted(() -> forced(channel, false));
            } catch (IOException e) {
                throw classified(e, file);
            }
        }

        @Override
        public long size() throws IOException {
            return uninterrupted(channel::size);
        }

        @Override
        public void truncate(long size) throws IOException {
            forgetTail();
            uninterrupted(() -> channel.truncate(size));
        }

        @Override
        public void close() throws IOException {
            if (direct != null) {
                direct.close();
            }
            channel.close();
        }
    }

    private record Mapping(Arena arena, MemorySegment bytes) implements MappedFile {

        @Override
        public boolean isResident(long offset, long length) {
            return length == 0 || bytes.asSlice(offset, length).isLoaded();
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}

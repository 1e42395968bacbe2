package dev.quorate.storage.simulated;

import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.FileLockedException;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory disk that distinguishes written from durable state and injects faults: power loss at
 * any step, failed fsyncs, a full disk, flipped bits.
 *
 * <p>A step is any change of the disk. {@link #afterPowerLoss} returns the state after a power
 * loss: bytes survive by sector, and names individually. The disk itself is unaffected, so one run
 * yields the images of all its steps.
 */
public final class FaultyDisk implements StorageFiles {

    private static final int SECTOR_BYTES = 512;
    private static final long MARKS_SEED = 20_261_122;

    /** Which unsynced changes survive a power loss. */
    public enum Keep {
        NOTHING,
        EVERYTHING,
        /** Each sector and each name with a probability of one half. */
        SOME
    }

    private static final class Inode {
        private byte[] durable = new byte[0];
        private byte[] bytes = new byte[0];
        private final List<Write> unsynced = new ArrayList<>();

        /** Whether another inode shares {@code durable}, so that it must not be modified. */
        private boolean isDurableShared;

        /** Whether a failed fsync has discarded writes. */
        private boolean hasDiscardedWrites;

        private Inode durableCopy() {
            Inode copy = new Inode();
            copy.bytes = durable.clone();
            return copy;
        }

        /**
         * Applies only the unsynced writes: copying the unchanged sectors of a log dominated the
         * cost.
         */
        private void makeDurable() {
            if (isDurableShared || hasDiscardedWrites) {
                setDurable(bytes.clone());
                return;
            }
            for (Write write : unsynced) {
                byte[] written = write.bytes();
                durable =
                        written == null
                                ? Arrays.copyOf(durable, (int) write.offset())
                                : written(durable, write.offset(), written, 0, written.length);
            }
        }

        private void setDurable(byte[] own) {
            durable = own;
            isDurableShared = false;
            hasDiscardedWrites = false;
        }
    }

    /** Bytes written at an offset; null bytes truncate the file to the offset. */
    private record Write(long offset, byte @Nullable [] bytes) {}

    /** A change of a directory: adds {@code inode} as {@code to} and removes {@code from}. */
    private record NameChange(@Nullable Path from, @Nullable Path to, Inode inode) {}

    private final Map<Path, Inode> names = new TreeMap<>();
    private final Map<Path, Inode> durableNames = new TreeMap<>();
    private final List<NameChange> unsyncedNames = new ArrayList<>();
    private final Set<Path> locks = new HashSet<>();

    private final SplittableRandom marks;
    private LongConsumer beforeStep = step -> {};
    private long steps;
    private long forces;
    private long failingForce = -1;
    private long capacity = Long.MAX_VALUE;
    private boolean overwritesNeedSpace;
    private final Set<Mapping> mappings = Collections.newSetFromMap(new IdentityHashMap<>());
    private int openFiles;
    private volatile boolean resident = true;

    public FaultyDisk() {
        this(new SplittableRandom(MARKS_SEED));
    }

    /** Continues the marks of another disk, so that none repeats. */
    private FaultyDisk(SplittableRandom marks) {
        this.marks = marks;
    }

    // ---- faults

    /** Sets whether mapped bytes count as resident. */
    public void setResident(boolean inMemory) {
        resident = inMemory;
    }

    /** Called with the number of each step just before it happens. */
    public synchronized void beforeStep(LongConsumer action) {
        beforeStep = action;
    }

    /** The number of steps so far. */
    public synchronized long steps() {
        return steps;
    }

    /** The number of fsyncs of files and directories so far. */
    public synchronized long forces() {
        return forces;
    }

    /** Makes one fsync, by its number from 1, fail and discard its writes. */
    public synchronized void failForce(long number) {
        failingForce = number;
    }

    /** Sets the size of the disk, in bytes. */
    public synchronized void setCapacity(long bytes) {
        capacity = bytes;
    }

    /** Sets whether overwriting needs space, as on a copy-on-write file system. */
    public synchronized void setOverwritesNeedSpace(boolean need) {
        overwritesNeedSpace = need;
    }

    public synchronized long usedBytes() {
        long used = 0;
        for (Inode inode : new HashSet<>(names.values())) {
            used += inode.bytes.length;
        }
        return used;
    }

    public synchronized byte[] read(Path file) {
        Inode inode = names.get(file);
        if (inode == null) {
            throw new IllegalArgumentException("there is no " + file);
        }
        return inode.bytes.clone();
    }

    /** Durably replaces a file's bytes without a step. */
    public synchronized void replace(Path file, byte[] bytes) {
        Inode inode = names.computeIfAbsent(file, none -> new Inode());
        durableNames.put(file, inode);
        inode.bytes = bytes.clone();
        inode.setDurable(bytes.clone());
        inode.unsynced.clear();
    }

    /** Flips the lowest bit of a byte, also in existing mappings of the file. */
    public synchronized void flip(Path file, int at) {
        byte[] flipped = read(file);
        flipped[at] ^= 1;
        replace(file, flipped);
        Inode inode = names.get(file);
        for (Mapping mapping : mappings) {
            if (mapping.inode == inode) {
                mapping.copy[at] ^= 1;
            }
        }
    }

    /** Durably removes a file without a step. */
    public synchronized void remove(Path file) {
        names.remove(file);
        durableNames.remove(file);
    }

    /** The number of files open for writing or mapped. */
    public synchronized int openFiles() {
        return openFiles;
    }

    /** A copy of this disk after a power loss now. */
    public synchronized FaultyDisk afterPowerLoss(Keep keep, SplittableRandom random) {
        FaultyDisk after = new FaultyDisk(marks.split());
        Map<Path, Inode> surviving = new TreeMap<>(durableNames);
        for (NameChange change : unsyncedNames) {
            if (survives(keep, random)) {
                applyTo(surviving, change);
            }
        }
        IdentityHashMap<Inode, Inode> copies = new IdentityHashMap<>();
        for (Map.Entry<Path, Inode> name : surviving.entrySet()) {
            Inode copy =
                    copies.computeIfAbsent(
                            name.getValue(), inode -> survivingInode(inode, keep, random));
            after.names.put(name.getKey(), copy);
            after.durableNames.put(name.getKey(), copy);
        }
        return after;
    }

    /**
     * A copy of this disk after a kill of the process now: the state of the page cache, durable or
     * not, including pages whose fsync failed, which read as written and never become durable.
     */
    public synchronized FaultyDisk afterKill() {
        FaultyDisk after = new FaultyDisk(marks.split());
        IdentityHashMap<Inode, Inode> copies = new IdentityHashMap<>();
        names.forEach((name, inode) -> after.names.put(name, copy(inode, copies)));
        durableNames.forEach((name, inode) -> after.durableNames.put(name, copy(inode, copies)));
        for (NameChange change : unsyncedNames) {
            after.unsyncedNames.add(
                    new NameChange(change.from(), change.to(), copy(change.inode(), copies)));
        }
        return after;
    }

    private static Inode copy(Inode inode, IdentityHashMap<Inode, Inode> copies) {
        return copies.computeIfAbsent(
                inode,
                original -> {
                    Inode copy = new Inode();
                    copy.durable = original.durable;
                    copy.isDurableShared = true;
                    original.isDurableShared = true;
                    copy.hasDiscardedWrites = original.hasDiscardedWrites;
                    copy.bytes = original.bytes.clone();
                    copy.unsynced.addAll(original.unsynced);
                    return copy;
                });
    }

    private static void applyTo(Map<Path, Inode> directory, NameChange change) {
        Path from = change.from();
        if (from != null && directory.get(from) == change.inode()) {
            directory.remove(from);
        }
        Path to = change.to();
        if (to != null) {
            directory.put(to, change.inode());
        }
    }

    private static Inode survivingInode(Inode inode, Keep keep, SplittableRandom random) {
        Inode copy = inode.durableCopy();
        for (Write write : inode.unsynced) {
            byte[] bytes = write.bytes();
            if (bytes == null) {
                if (survives(keep, random)) {
                    copy.bytes = Arrays.copyOf(copy.bytes, (int) write.offset());
                }
                continue;
            }
            int done = 0;
            while (done < bytes.length) {
                long at = write.offset() + done;
                int sector = SECTOR_BYTES - (int) (at % SECTOR_BYTES);
                int length = Math.min(sector, bytes.length - done);
                if (survives(keep, random)) {
                    copy.bytes = written(copy.bytes, at, bytes, done, length);
                }
                done += length;
            }
        }
        copy.setDurable(copy.bytes.clone());
        return copy;
    }

    private static boolean survives(Keep keep, SplittableRandom random) {
        return switch (keep) {
            case NOTHING -> false;
            case EVERYTHING -> true;
            case SOME -> random.nextBoolean();
        };
    }

    private static byte[] written(byte[] to, long offset, byte[] from, int start, int length) {
        int end = Math.toIntExact(offset + length);
        byte[] result = end > to.length ? Arrays.copyOf(to, end) : to;
        System.arraycopy(from, start, result, (int) offset, length);
        return result;
    }

    private void step() {
        steps++;
        beforeStep.accept(steps);
    }

    private void forced() throws IOException {
        forces++;
        if (forces == failingForce) {
            throw new IOException("Input/output error");
        }
    }

    // ---- StorageFiles

    @Override
    public void createDirectories(Path directory) {}

    @Override
    public synchronized List<String> list(Path directory) {
        List<String> found = new ArrayList<>();
        for (Path file : names.keySet()) {
            if (directory.equals(file.getParent())) {
                found.add(String.valueOf(file.getFileName()));
            }
        }
        return found;
    }

    @Override
    public synchronized boolean exists(Path file) {
        return names.containsKey(file);
    }

    @Override
    public synchronized WritableFile create(Path file) throws IOException {
        step();
        if (names.containsKey(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        if (freeBytes(file) == 0) {
            throw new DiskFullException(file + ": No space left on device");
        }
        Inode inode = new Inode();
        change(new NameChange(null, file, inode));
        return new OpenFile(inode);
    }

    private void change(NameChange change) {
        applyTo(names, change);
        unsyncedNames.add(change);
    }

    @Override
    public synchronized WritableFile open(Path file) throws IOException {
        return new OpenFile(inode(file));
    }

    private Inode inode(Path file) throws IOException {
        Inode inode = names.get(file);
        if (inode == null) {
            throw new NoSuchFileException(file.toString());
        }
        return inode;
    }

    @Override
    public synchronized MappedFile map(Path file) throws IOException {
        Inode inode = inode(file);
        return new Mapping(inode, inode.bytes.clone());
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        step();
        if (overwritesNeedSpace && freeBytes(to) == 0) {
            throw new DiskFullException(to + ": No space left on device");
        }
        change(new NameChange(from, to, inode(from)));
    }

    @Override
    public synchronized void link(Path file, Path link) throws IOException {
        step();
        if (names.containsKey(link)) {
            throw new FileAlreadyExistsException(link.toString());
        }
        change(new NameChange(null, link, inode(file)));
    }

    @Override
    public synchronized void delete(Path file) throws IOException {
        step();
        change(new NameChange(file, null, inode(file)));
    }

    @Override
    public synchronized void syncDirectory(Path directory) throws IOException {
        step();
        forced();
        List<NameChange> elsewhere = new ArrayList<>();
        for (NameChange change : unsyncedNames) {
            boolean isFromHere = isIn(directory, change.from());
            boolean isToHere = isIn(directory, change.to());
            Path from = isFromHere ? null : change.from();
            Path to = isToHere ? null : change.to();
            applyTo(
                    durableNames,
                    new NameChange(
                            isFromHere ? change.from() : null,
                            isToHere ? change.to() : null,
                            change.inode()));
            if (from != null || to != null) {
                elsewhere.add(new NameChange(from, to, change.inode()));
            }
        }
        unsyncedNames.clear();
        unsyncedNames.addAll(elsewhere);
    }

    private static boolean isIn(Path directory, @Nullable Path name) {
        return name != null && directory.equals(name.getParent());
    }

    @Override
    public synchronized Closeable lock(Path file) throws IOException {
        if (!locks.add(file)) {
            throw new FileLockedException(file + " is held");
        }
        return () -> {
            synchronized (this) {
                locks.remove(file);
            }
        };
    }

    @Override
    public synchronized long freeBytes(Path directory) {
        return capacity == Long.MAX_VALUE ? capacity : Math.max(0, capacity - usedBytes());
    }

    /** Unpredictable for the code under test, but the same in each run. */
    @Override
    public synchronized long randomMark() {
        return marks.nextLong();
    }

    private final class OpenFile implements WritableFile {
        private final Inode inode;
        private boolean closed;

        OpenFile(Inode inode) {
            this.inode = inode;
            openFiles++;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            synchronized (FaultyDisk.this) {
                requireOpen();
                step();
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                long growth = offset + copy.length - inode.bytes.length;
                long need = overwritesNeedSpace ? copy.length : growth;
                if (need > 0 && capacity < Long.MAX_VALUE && usedBytes() + need > capacity) {
                    // Writes what fits before it fails, as a real disk does.
                    long room = Math.max(0, capacity - usedBytes());
                    int taken = (int) (Math.max(0, copy.length - need) + room);
                    put(Arrays.copyOf(copy, taken), offset);
                    throw new DiskFullException("No space left on device");
                }
                put(copy, offset);
            }
        }

        private void put(byte[] bytes, long offset) {
            inode.unsynced.add(new Write(offset, bytes));
            inode.bytes = written(inode.bytes, offset, bytes, 0, bytes.length);
        }

        @Override
        public void force() throws IOException {
            synchronized (FaultyDisk.this) {
                requireOpen();
                step();
                try {
                    forced();
                    inode.makeDurable();
                } catch (IOException e) {
                    inode.hasDiscardedWrites = true;
                    throw e;
                } finally {
                    // A failed fsync marks the pages clean, so the next one does not write them.
                    inode.unsynced.clear();
                }
            }
        }

        @Override
        public long size() {
            synchronized (FaultyDisk.this) {
                return inode.bytes.length;
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (FaultyDisk.this) {
                requireOpen();
                step();
                inode.unsynced.add(new Write(size, null));
                inode.bytes = Arrays.copyOf(inode.bytes, (int) size);
            }
        }

        private void requireOpen() throws IOException {
            if (closed) {
                throw new IOException("the file is closed");
            }
        }

        @Override
        public void close() {
            synchronized (FaultyDisk.this) {
                openFiles -= closed ? 0 : 1;
                closed = true;
            }
        }
    }

    private final class Mapping implements MappedFile {
        private final Inode inode;
        private final byte[] copy;
        private final MemorySegment bytes;

        Mapping(Inode inode, byte[] copy) {
            this.inode = inode;
            this.copy = copy;
            this.bytes = MemorySegment.ofArray(copy).asReadOnly();
            mappings.add(this);
            openFiles++;
        }

        @Override
        public MemorySegment bytes() {
            return bytes;
        }

        @Override
        public boolean isResident(long offset, long length) {
            return resident;
        }

        @Override
        public void close() {
            synchronized (FaultyDisk.this) {
                mappings.remove(this);
                openFiles--;
            }
        }
    }
}

package dev.quorate.testkit;

import dev.quorate.storage.io.DiskFiles;
import dev.quorate.testkit.ProcessFiles.Fault;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A machine's disk: a real directory with injected faults. Tests can read and change its files. */
public final class TestDisk {

    /** The name of the data directory in the directory of the machine. */
    static final String DATA = "data";

    private final String node;
    private final Path directory;
    private final FaultLog log;
    private final Set<Fault> faults = ConcurrentHashMap.newKeySet();
    private final UnsyncedChanges unsynced;
    private final UnreadableFiles unreadable;

    /** Whether the disk ever had a fault, which may have ended the node's process. */
    private volatile boolean wasEverBroken;

    // Both guarded by this.
    private @Nullable ProcessFiles process;
    private boolean losesUnsynced;

    TestDisk(String node, Path machine, FaultLog log) throws IOException {
        this.node = node;
        this.log = log;
        this.directory = machine.resolve(DATA);
        this.unsynced = new UnsyncedChanges(Files.createDirectories(machine.resolve("replaced")));
        this.unreadable =
                new UnreadableFiles(Files.createDirectories(machine.resolve("unreadable")));
    }

    FaultLog log() {
        return log;
    }

    /** Begins a life: the files as its process uses them. */
    synchronized ProcessFiles begin(Life life) {
        ProcessFiles files = new ProcessFiles(new DiskFiles(), life, faults, unsynced);
        process = files;
        return files;
    }

    /** Ends the life and waits for its last use of the disk. */
    synchronized void end() {
        if (process != null) {
            process.awaitEnd();
            process = null;
        }
    }

    /** Called after the process has ended: loses unsynced data if a test asked for it. */
    synchronized void ended() {
        if (!losesUnsynced) {
            return;
        }
        losesUnsynced = false;
        try {
            unsynced.undo();
            log.record(node + ": its disk has lost all unsynced data");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- faults

    /** Fails each fsync of a file or directory. The node ends itself at the first one. */
    public void failForces() {
        begin(Fault.FORCES, "fails each fsync");
    }

    private void begin(Fault fault, String how) {
        faults.add(fault);
        wasEverBroken = true;
        log.record(node + ": its disk " + how);
    }

    /** Fails reads of the disk. Reads from memory, such as of recent writes, succeed. */
    public synchronized void failReads() {
        if (!unreadable.isEmpty()) {
            return;
        }
        begin(Fault.READS, "fails each read");
        try {
            for (Path file : process == null ? List.<Path>of() : process.mapped()) {
                if (Files.exists(file)) {
                    unreadable.add(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fills the disk: no file can be created or grow. The node notices within a second. */
    public void fillUp() {
        begin(Fault.GROWTH, "is full");
    }

    /** Ends the fault of {@link #fillUp}. */
    public void free() {
        faults.remove(Fault.GROWTH);
        log.record(node + ": its disk has free space");
    }

    /** Ends all faults. Lost data and flipped bits remain. */
    public synchronized void heal() {
        try {
            unreadable.restore();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        faults.clear();
        log.record(node + ": its disk is healed");
    }

    /**
     * Makes the node's next {@code kill} lose all bytes and names of files that no fsync has made
     * durable, as a power loss does.
     */
    public synchronized void loseUnsyncedAtNextKill() {
        losesUnsynced = true;
    }

    /** The node's files, relative to {@link #directory}, sorted. */
    public List<Path> files() {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).map(directory::relativize).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The node's data directory. */
    public Path directory() {
        return directory;
    }

    /**
     * Flips a bit of a file, unnoticed by the node.
     *
     * @param file one of {@link #files}
     * @param bit from 0; each byte has eight
     * @throws IllegalArgumentException if the file is shorter
     */
    public void flipBit(Path file, long bit) {
        wasEverBroken = true;
        try (RandomAccessFile bytes =
                new RandomAccessFile(directory.resolve(file).toFile(), "rw")) {
            if (bit < 0 || bit / Byte.SIZE >= bytes.length()) {
                throw new IllegalArgumentException(file + " has no bit " + bit);
            }
            bytes.seek(bit / Byte.SIZE);
            int flipped = bytes.read() ^ 1 << bit % Byte.SIZE;
            bytes.seek(bit / Byte.SIZE);
            bytes.write(flipped);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log.record(node + ": bit " + bit + " of its file " + file + " is flipped");
    }

    boolean wasEverBroken() {
        return wasEverBroken;
    }

    /** The active faults in words; empty if there are none. */
    @Override
    public String toString() {
        return faults.stream().sorted().map(each -> each.words).collect(Collectors.joining(" "));
    }

    /**
     * Makes mapped files unreadable. A read of mapped memory makes no call that could fail, so the
     * files are truncated under their mappings: a read past the end raises the same signal as an
     * unreadable page. The bytes are saved in another directory.
     */
    private static final class UnreadableFiles {

        /** The channel identifies the file after a rename or deletion. */
        private record Cut(FileChannel file, Path bytes) {}

        private final Path directory;
        private final List<Cut> cuts = new ArrayList<>();
        private int made;

        /**
         * @param directory an empty directory for the saved bytes
         */
        UnreadableFiles(Path directory) {
            this.directory = directory;
        }

        boolean isEmpty() {
            return cuts.isEmpty();
        }

        void add(Path file) throws IOException {
            Path aside = directory.resolve("unreadable-" + made++);
            Files.copy(file, aside, StandardCopyOption.REPLACE_EXISTING);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
            cuts.add(new Cut(channel, aside));
            channel.truncate(0);
        }

        /** Makes the files readable again, also through earlier mappings. */
        void restore() throws IOException {
            for (Cut cut : cuts) {
                try (FileChannel file = cut.file();
                        FileChannel bytes =
                                FileChannel.open(cut.bytes(), StandardOpenOption.READ)) {
                    long size = bytes.size();
                    long done = 0;
                    while (done < size) {
                        done += bytes.transferTo(done, size - done, file);
                    }
                }
                Files.delete(cut.bytes());
            }
            cuts.clear();
        }
    }
}

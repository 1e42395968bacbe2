package dev.quorate.testkit.cluster;

import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A machine's disk: a real directory, in which faults can be. Its files can be looked at, and
 * changed, as any others.
 */
public final class TestDisk {

    /** The name of the directory, within the machine's. */
    static final String DATA = "data";

    private final String node;
    private final Path directory;
    private final Story story;
    private final DiskFaults faults = new DiskFaults();
    private final UnsyncedChanges unsynced;
    private final UnreadableFiles unreadable;

    // Both guarded by this.
    private @Nullable ProcessFiles process;
    private boolean losesUnsynced;

    TestDisk(String node, Path machine, Story story) throws IOException {
        this.node = node;
        this.story = story;
        this.directory = machine.resolve(DATA);
        this.unsynced = new UnsyncedChanges(Files.createDirectories(machine.resolve("replaced")));
        this.unreadable =
                new UnreadableFiles(Files.createDirectories(machine.resolve("unreadable")));
    }

    /** What the process of this life sees of the disk. */
    synchronized ProcessFiles begin(Life life) {
        ProcessFiles files = new ProcessFiles(new DiskFiles(), life, faults, unsynced);
        process = files;
        return files;
    }

    /** The life is over: what it was doing to the disk comes to its end. */
    synchronized void end() {
        if (process != null) {
            process.awaitEnd();
            process = null;
        }
    }

    /** All that used the disk is gone. */
    synchronized void ended() {
        if (losesUnsynced) {
            losesUnsynced = false;
            loseUnsynced();
        }
    }

    private void loseUnsynced() {
        try {
            unsynced.takeBack();
            story.tell(node + ": its disk has lost what was not synced");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- faults

    /** From now on each fsync, of a file or a directory, fails. The node then ends itself. */
    public void failForces() {
        faults.failForces();
        story.tell(node + ": its disk fails each fsync");
    }

    /**
     * From now on nothing can be read that has to come from the disk. What is in memory, such as
     * the latest writes, is not touched by that.
     */
    public synchronized void failReads() {
        if (!unreadable.isEmpty()) {
            return;
        }
        faults.failReads();
        try {
            for (Path file : process == null ? List.<Path>of() : process.mapped()) {
                if (Files.exists(file)) {
                    unreadable.add(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        story.tell(node + ": its disk fails each read");
    }

    /**
     * From now on there is no space: no file can be made or grow. The node notices within a second.
     */
    public void fillUp() {
        faults.fillUp();
        story.tell(node + ": its disk is full");
    }

    /** There is space again. */
    public void free() {
        faults.free();
        story.tell(node + ": its disk has space again");
    }

    /** As good as new, apart from what is lost or flipped. */
    public synchronized void heal() {
        try {
            unreadable.restore();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        faults.heal();
        story.tell(node + ": its disk is healed");
    }

    /**
     * At the node's next {@code kill}, all is lost that no fsync has made durable: bytes and names
     * of files. That is what a loss of power may do, and a mere kill never does.
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

    /** Where the node keeps its data. */
    public Path directory() {
        return directory;
    }

    /**
     * Flips a bit, behind everybody's back.
     *
     * @param file one of {@link #files}
     * @param bit from 0; each byte has eight
     * @throws IllegalArgumentException if the file is shorter
     */
    public void flipBit(Path file, long bit) {
        faults.damaged();
        try (FileChannel channel =
                FileChannel.open(
                        directory.resolve(file),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            if (bit < 0 || channel.read(one, bit / Byte.SIZE) != 1) {
                throw new IllegalArgumentException(file + " has no bit " + bit);
            }
            byte flipped = (byte) (one.get(0) ^ (1 << (int) (bit % Byte.SIZE)));
            channel.write(ByteBuffer.wrap(new byte[] {flipped}), bit / Byte.SIZE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        story.tell(node + ": bit " + bit + " of its file " + file + " is flipped");
    }

    boolean wasEverBroken() {
        return faults.wereThereAny();
    }

    /** What is wrong now, in words; empty if nothing is. */
    @Override
    public String toString() {
        return faults.toString();
    }
}

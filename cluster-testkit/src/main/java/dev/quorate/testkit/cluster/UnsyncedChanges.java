package dev.quorate.testkit.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What has been changed on a real disk since it was last synced, and how to take it back: what a
 * loss of power does to it.
 *
 * <p>Before bytes are overwritten or cut off, the old ones are kept until the file is forced;
 * before a name goes or is given to another file, the old file gets a second name in a directory
 * beside, until its directory is synced. All that is unsynced is lost, nothing of it by chance:
 * which part survives is what the storage engine's own tests are about.
 *
 * <p>Calls come in the order of the changes, and before them. A disk's changes of one file come
 * from one thread at a time.
 */
final class UnsyncedChanges {

    /** The bytes of a file, whatever its name is. */
    static final class Contents {
        private final List<Overwritten> changes = new ArrayList<>();

        private synchronized void add(Overwritten change) {
            changes.add(change);
        }

        /** All that was written is durable. */
        synchronized void forced() {
            changes.clear();
        }

        private synchronized void takeBack(Path file) throws IOException {
            if (changes.isEmpty()) {
                return;
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (Overwritten change : changes.reversed()) {
                    write(channel, change.bytes(), change.offset());
                    channel.truncate(change.size());
                }
            }
            changes.clear();
        }
    }

    /**
     * @param offset of the bytes that were there
     * @param size of the file
     */
    private record Overwritten(long offset, byte[] bytes, long size) {}

    /**
     * A name that has changed.
     *
     * @param from the name that is gone; null if none is
     * @param moved what was there
     * @param to the name that is new; null if none is
     * @param buried where what {@code to}, or a {@code from} that was deleted, stood for is kept
     * @param replaced what that is
     */
    private record Renaming(
            @Nullable Path from,
            @Nullable Contents moved,
            @Nullable Path to,
            @Nullable Path buried,
            @Nullable Contents replaced) {

        boolean isIn(Path directory) {
            return directory.equals(Objects.requireNonNull(to == null ? from : to).getParent());
        }
    }

    private final Path graveyard;

    // All guarded by this.
    private final Map<Path, Contents> names = new HashMap<>();
    private final List<Renaming> renamings = new ArrayList<>();
    private long graves;

    /**
     * @param graveyard an empty directory in the same file system
     */
    UnsyncedChanges(Path graveyard) {
        this.graveyard = graveyard;
    }

    synchronized Contents contentsOf(Path file) {
        return names.computeIfAbsent(file, _ -> new Contents());
    }

    /**
     * So many bytes are about to be written.
     *
     * @param channel to read the old ones with
     */
    static void beforeWrite(Contents contents, FileChannel channel, long offset, int length)
            throws IOException {
        long size = channel.size();
        int old = Math.clamp(size - offset, 0, length);
        contents.add(new Overwritten(offset, read(channel, offset, old), size));
    }

    /** The file is about to be cut off. */
    static void beforeTruncate(Contents contents, FileChannel channel, long to) throws IOException {
        long size = channel.size();
        int old = (int) Math.max(0, size - to);
        contents.add(new Overwritten(to, read(channel, to, old), size));
    }

    private static byte[] read(FileChannel channel, long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
            // goes on
        }
        return bytes.array();
    }

    private static void write(FileChannel channel, byte[] bytes, long offset) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
            channel.write(left, offset + left.position());
        }
    }

    /**
     * There is a new name: of a new file, or, as a second one, of that with the name {@code of}.
     */
    synchronized void created(Path file, @Nullable Path of) {
        names.put(file, of == null ? new Contents() : contentsOf(of));
        renamings.add(new Renaming(null, null, file, null, null));
    }

    synchronized void beforeRename(Path from, Path to) throws IOException {
        if (Files.exists(to) && Files.isSameFile(from, to)) {
            return; // changes nothing, and both names stay
        }
        Contents moved = contentsOf(from);
        Path buried = Files.exists(to) ? bury(to) : null;
        renamings.add(
                new Renaming(from, moved, to, buried, buried == null ? null : contentsOf(to)));
        names.remove(from);
        names.put(to, moved);
    }

    synchronized void beforeDelete(Path file) throws IOException {
        Contents gone = contentsOf(file);
        renamings.add(new Renaming(file, null, null, bury(file), gone));
        names.remove(file);
    }

    private Path bury(Path file) throws IOException {
        Path grave = graveyard.resolve("" + graves++);
        Files.createLink(grave, file);
        return grave;
    }

    /** The names in a directory are durable. */
    synchronized void synced(Path directory) throws IOException {
        for (Renaming renaming : List.copyOf(renamings)) {
            if (renaming.isIn(directory)) {
                renamings.remove(renaming);
                if (renaming.buried() != null) {
                    Files.delete(renaming.buried());
                }
            }
        }
    }

    /** The power is lost: what is unsynced is taken back. Nothing may use the disk. */
    synchronized void takeBack() throws IOException {
        for (Renaming renaming : renamings.reversed()) {
            takeBack(renaming);
        }
        renamings.clear();
        for (Map.Entry<Path, Contents> each : names.entrySet()) {
            each.getValue().takeBack(each.getKey());
        }
        names.clear();
    }

    private void takeBack(Renaming renaming) throws IOException {
        Path from = renaming.from();
        Path to = renaming.to();
        if (to != null) {
            names.remove(to);
            if (from != null) {
                Files.move(to, from);
                names.put(from, Objects.requireNonNull(renaming.moved()));
            } else {
                Files.delete(to);
            }
        }
        if (renaming.buried() != null) {
            Path back = Objects.requireNonNull(to == null ? from : to);
            Files.move(renaming.buried(), back);
            names.put(back, Objects.requireNonNull(renaming.replaced()));
        }
    }
}

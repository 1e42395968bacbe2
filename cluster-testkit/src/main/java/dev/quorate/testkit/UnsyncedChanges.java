package dev.quorate.testkit;

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
 * The changes of a real disk since the last sync. Undoing them simulates a power loss.
 *
 * <p>Before bytes are overwritten or truncated, the old bytes are saved until the file is forced.
 * Before a name is removed or replaced, the old file is linked into another directory until its
 * directory is synced. A power loss always loses all unsynced changes; tests of the storage engine
 * cover partial losses.
 *
 * <p>Each call precedes its change, in the order of the changes. One thread at a time changes a
 * file.
 */
final class UnsyncedChanges {

    /** The unsynced changes of the bytes of one file, which may be renamed. */
    static final class Contents {
        private final List<Overwritten> changes = new ArrayList<>();

        private synchronized void add(Overwritten change) {
            changes.add(change);
        }

        synchronized void forced() {
            changes.clear();
        }

        private synchronized void undo(Path file) throws IOException {
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
     * @param offset of the old bytes
     * @param size the old size of the file
     */
    private record Overwritten(long offset, byte[] bytes, long size) {}

    interface DiskChange {
        void run() throws IOException;
    }

    /**
     * @param saved a link to the file that had the name before; null if none had
     */
    private record Renaming(Path directory, @Nullable Path saved, DiskChange undo) {}

    private final Path links;

    // All guarded by this.
    private final Map<Path, Contents> names = new HashMap<>();
    private final List<Renaming> renamings = new ArrayList<>();
    private long linkCount;

    /**
     * @param links an empty directory in the same file system
     */
    UnsyncedChanges(Path links) {
        this.links = links;
    }

    synchronized Contents contentsOf(Path file) {
        return names.computeIfAbsent(file, _ -> new Contents());
    }

    /**
     * Records a write or, with the largest length, a truncation.
     *
     * @param channel reads the old bytes
     */
    static void beforeWrite(Contents contents, FileChannel channel, long offset, int length)
            throws IOException {
        long size = channel.size();
        int old = Math.clamp(size - offset, 0, length);
        contents.add(new Overwritten(offset, read(channel, offset, old), size));
    }

    private static byte[] read(FileChannel channel, long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
            // Reads the rest.
        }
        return bytes.array();
    }

    private static void write(FileChannel channel, byte[] bytes, long offset) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
            channel.write(left, offset + left.position());
        }
    }

    /** Records the name of a new file, or a second name of the file {@code of}. */
    synchronized void created(Path file, @Nullable Path of) {
        names.put(file, of == null ? new Contents() : contentsOf(of));
        add(
                file,
                null,
                () -> {
                    Files.delete(file);
                    names.remove(file);
                });
    }

    synchronized void beforeRename(Path from, Path to) throws IOException {
        boolean isReplaced = Files.exists(to);
        if (isReplaced && Files.isSameFile(from, to)) {
            return; // changes nothing: both names remain
        }
        Contents moved = contentsOf(from);
        Contents replaced = contentsOf(to);
        Path saved = isReplaced ? link(to) : null;
        add(
                to,
                saved,
                () -> {
                    move(to, from, moved);
                    if (saved != null) {
                        move(saved, to, replaced);
                    }
                });
        names.remove(from);
        names.put(to, moved);
    }

    synchronized void beforeDelete(Path file) throws IOException {
        Contents gone = contentsOf(file);
        Path saved = link(file);
        add(file, saved, () -> move(saved, file, gone));
        names.remove(file);
    }

    private void add(Path name, @Nullable Path saved, DiskChange undo) {
        renamings.add(new Renaming(Objects.requireNonNull(name.getParent()), saved, undo));
    }

    private void move(Path from, Path to, Contents contents) throws IOException {
        Files.move(from, to);
        names.remove(from);
        names.put(to, contents);
    }

    private Path link(Path file) throws IOException {
        Path link = links.resolve("" + linkCount++);
        Files.createLink(link, file);
        return link;
    }

    /** Records that the names in a directory are durable. */
    synchronized void synced(Path directory) throws IOException {
        for (Renaming renaming : List.copyOf(renamings)) {
            if (renaming.directory().equals(directory)) {
                renamings.remove(renaming);
                if (renaming.saved() != null) {
                    Files.delete(renaming.saved());
                }
            }
        }
    }

    /** Undoes all unsynced changes. Nothing may use the disk meanwhile. */
    synchronized void undo() throws IOException {
        for (Renaming renaming : renamings.reversed()) {
            renaming.undo().run();
        }
        renamings.clear();
        for (Map.Entry<Path, Contents> each : names.entrySet()) {
            each.getValue().undo(each.getKey());
        }
        names.clear();
    }
}

package dev.quorate.node;

import dev.quorate.node.clock.ClockReservation;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What a node keeps on disk: {@code store/} (entries), {@code hints/} (entries that other members
 * missed), {@code clock} (how far it may have stamped), and {@code member}, the name of the member
 * whose data this is. Data that one member wrote is not another's: its replicas would be where
 * nobody looks for them.
 */
final class DataDirectory {

    private static final String MEMBER = "member";
    private static final String MEMBER_NEXT = "member.next";
    static final String STORE = "store";
    private static final String HINTS = "hints";

    private final StorageFiles files;
    private final Path directory;

    private DataDirectory(StorageFiles files, Path directory) {
        this.files = files;
        this.directory = directory;
    }

    /**
     * Opens the directory, which is created and claimed for {@code member} if it is new.
     *
     * @throws IOException if it is another member's, or the disk fails
     */
    static DataDirectory open(StorageFiles files, Path directory, String member)
            throws IOException {
        DataDirectory data = new DataDirectory(files, directory);
        files.createDirectories(directory);
        Path file = directory.resolve(MEMBER);
        if (files.exists(file)) {
            String owner = read(files, file);
            if (!owner.equals(member)) {
                throw new IOException(
                        directory + " holds the data of " + owner + ", not of " + member + ".");
            }
        } else {
            data.write(file, member);
        }
        return data;
    }

    /**
     * Checks what a node that does not run keeps beside its store; what is not there is no damage.
     *
     * @param damaged told of each file that is not what was written
     */
    static void verify(StorageFiles files, Path store, Consumer<StorageException> damaged)
            throws IOException {
        Path directory = store.getParent();
        if (directory == null || !store.endsWith(STORE)) {
            return;
        }
        Path member = directory.resolve(MEMBER);
        try {
            if (files.exists(member)) {
                read(files, member);
            }
        } catch (CorruptionException e) {
            damaged.accept(e);
        }
        try {
            ClockReservation.verify(files, directory);
        } catch (CorruptionException e) {
            damaged.accept(e);
        }
    }

    private static String read(StorageFiles files, Path file) throws IOException {
        try (MappedFile mapped = files.map(file)) {
            byte[] bytes = mapped.bytes().toArray(ValueLayout.JAVA_BYTE);
            String text = new String(bytes, StandardCharsets.UTF_8);
            if (text.length() < 2 || !text.endsWith("\n")) {
                throw new CorruptionException(file.toString(), 0, "expected a member's name");
            }
            return text.strip();
        }
    }

    private void write(Path file, String member) throws IOException {
        Path next = directory.resolve(MEMBER_NEXT);
        if (files.exists(next)) {
            files.delete(next); // left by a start that was interrupted
        }
        try (WritableFile writable = files.create(next)) {
            writable.write(ByteBuffer.wrap((member + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            writable.force();
        }
        files.rename(next, file);
        files.syncDirectory(directory);
    }

    Path path() {
        return directory;
    }

    /** Where writes are kept for other members. Not there while there are none. */
    Path hints() {
        return directory.resolve(HINTS);
    }

    Path store() {
        return directory.resolve(STORE);
    }
}

package dev.quorate.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.node.clock.ClockReservation;
import dev.quorate.node.clock.MomentFile;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What a node keeps on disk: {@code store/} (entries), {@code hints/} (entries that other members
 * missed), {@code clock} (how far it may have stamped), {@code settled} (how old tombstones are
 * that it may have dropped), and {@code member}: the name of the member whose data this is, and, in
 * a line of its own, {@code empty} until the member has all that it may have acknowledged before it
 * found nothing here. Data that one member wrote is not another's: its replicas would be where
 * nobody looks for them.
 */
final class DataDirectory {

    /** The file that makes a directory a data directory. */
    static final String MEMBER = "member";

    private static final String EMPTY = "empty";
    private static final String SETTLED = "settled";
    private static final int SETTLED_MAGIC = 0x51534554;
    static final String STORE = "store";
    private static final String HINTS = "hints";

    private final StorageFiles files;
    private final Path directory;
    private final String member;
    private final boolean empty;

    private DataDirectory(StorageFiles files, Path directory, String member, boolean empty) {
        this.files = files;
        this.directory = directory;
        this.member = member;
        this.empty = empty;
    }

    /**
     * Opens the directory, which is created and claimed for {@code member} if it is new.
     *
     * @throws IOException if it is another member's, or the disk fails
     */
    static DataDirectory open(StorageFiles files, Path directory, String member)
            throws IOException {
        files.createDirectories(directory);
        Path file = directory.resolve(MEMBER);
        if (!files.exists(file)) {
            DataDirectory data = new DataDirectory(files, directory, member, true);
            data.write(member + "\n" + EMPTY + "\n");
            return data;
        }
        String text = read(files, file);
        boolean empty = text.endsWith("\n" + EMPTY);
        String owner = empty ? text.substring(0, text.length() - EMPTY.length() - 1) : text;
        if (!owner.equals(member)) {
            throw new IOException(
                    directory + " holds the data of " + owner + ", not of " + member + ".");
        }
        return new DataDirectory(files, directory, member, empty);
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
        try {
            settled(files, directory).read();
        } catch (CorruptionException e) {
            damaged.accept(e);
        }
    }

    private static String read(StorageFiles files, Path file) throws IOException {
        try (MappedFile mapped = files.map(file)) {
            byte[] bytes = mapped.bytes().toArray(ValueLayout.JAVA_BYTE);
            String text = new String(bytes, UTF_8);
            if (text.length() < 2 || !text.endsWith("\n")) {
                throw new CorruptionException(file.toString(), 0, "expected a member's name");
            }
            return text.strip();
        }
    }

    /** Whether this member began with nothing here, and was not said to be whole since. */
    boolean isEmpty() {
        return empty;
    }

    /** From now on this member has whatever it acknowledged. */
    void becomeWhole() throws IOException {
        write(member + "\n");
    }

    private void write(String text) throws IOException {
        files.replace(directory.resolve(MEMBER), ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    /** What all members are known to have, as the watermark says. */
    MomentFile settled() {
        return settled(files, directory);
    }

    private static MomentFile settled(StorageFiles files, Path directory) {
        return new MomentFile(files, directory.resolve(SETTLED), SETTLED_MAGIC);
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

package dev.quorate.storage.io;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;

/**
 * A small private file, such as tokens or keys. Read only if its owner is the user of this process
 * or root, others have no permission, and its group may at most read, as with secrets that
 * Kubernetes mounts. Links are followed. POSIX file systems only.
 */
public final class PrivateFile {

    private static final int OTHERS_AND_GROUP_WRITES = 0027;
    private static final int WRITES_OF_OTHERS = 0022;
    private static final int PERMISSIONS = 0777;

    /** The state of a file: unequal after every change of its content, owner or permissions. */
    public record Stamp(Object inode, Object changed, Object bytes) {}

    private PrivateFile() {}

    /** The current state of a file. */
    public static Stamp stamp(Path file) throws IOException {
        return stamp(Files.readAttributes(file, "unix:ino,ctime,size"));
    }

    private static Stamp stamp(Map<String, Object> attributes) {
        return new Stamp(
                Objects.requireNonNull(attributes.get("ino")),
                Objects.requireNonNull(attributes.get("ctime")),
                Objects.requireNonNull(attributes.get("size")));
    }

    /**
     * Reads a file.
     *
     * @throws IOException also if the file is too long, is not private, or changes meanwhile
     */
    public static byte[] read(Path file, int maxBytes) throws IOException {
        return read(file, maxBytes, OTHERS_AND_GROUP_WRITES);
    }

    /** Like {@link #read}, for a file that every user may read, such as a certificate. */
    public static byte[] readPublic(Path file, int maxBytes) throws IOException {
        return read(file, maxBytes, WRITES_OF_OTHERS);
    }

    private static byte[] read(Path file, int maxBytes, int forbidden) throws IOException {
        Map<String, Object> attributes =
                Files.readAttributes(file, "unix:ino,ctime,size,uid,mode,isRegularFile");
        if (!Boolean.TRUE.equals(attributes.get("isRegularFile"))) {
            throw new IOException(file + " is not a file");
        }
        requirePrivate(file, attributes, forbidden);
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(maxBytes + 1);
        }
        if (bytes.length > maxBytes) {
            throw new IOException(file + " has more than " + maxBytes + " bytes");
        }
        if (!stamp(file).equals(stamp(attributes))) {
            throw new IOException(file + " changed while it was read");
        }
        return bytes;
    }

    private static void requirePrivate(Path file, Map<String, Object> attributes, int forbidden)
            throws IOException {
        long owner = ((Number) Objects.requireNonNull(attributes.get("uid"))).longValue();
        long self = new UnixSystem().getUid();
        if (owner != self && owner != 0) {
            throw new IOException(
                    "%s belongs to user %s: it must belong to user %s, who runs this process, or to root"
                            .formatted(file, owner, self));
        }
        int mode = (Integer) Objects.requireNonNull(attributes.get("mode")) & PERMISSIONS;
        if ((mode & forbidden) != 0) {
            throw new IOException(
                    file
                            + " has the permissions "
                            + Integer.toOctalString(mode)
                            + ": "
                            + (forbidden == WRITES_OF_OTHERS
                                    ? "other users must not be able to write it; chmod 644 is right"
                                    : "others must have none, and its group may only read; chmod 600"
                                            + " is right"));
        }
    }

    /** Atomically replaces or creates a file, with permissions 0600. */
    public static void replace(Path file, byte[] bytes) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path target = Files.exists(absolute) ? absolute.toRealPath() : absolute;
        Path directory = Objects.requireNonNull(target.getParent(), "no parent directory");
        Path made =
                Files.createTempFile(
                        directory,
                        "." + target.getFileName(),
                        ".new",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        try {
            try (FileChannel channel = FileChannel.open(made, StandardOpenOption.WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(bytes);
                while (rest.hasRemaining()) {
                    int ignored = channel.write(rest);
                }
                channel.force(true);
            }
            Files.move(made, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(made);
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}

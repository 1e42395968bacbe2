package dev.quorate.cli.local;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/**
 * Restricts the files of nodes (values, logs and secrets) to their owner. The launcher script sets
 * a umask for new files; this class changes existing files.
 */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> OWNERS =
            EnumSet.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE);

    private PrivateFiles() {}

    /**
     * Removes the permissions of other users from a directory and everything in it, if it contains
     * the marker file. Does not follow links, and does not change files of other users.
     */
    public static void tighten(Path directory, String marker) throws IOException {
        if (!Files.exists(directory.resolve(marker))) {
            return;
        }
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<Path>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path each, BasicFileAttributes attributes) {
                        tightenOne(each);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) {
                        tightenOne(each);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path each, IOException e) {
                        return FileVisitResult.CONTINUE; // deleted meanwhile
                    }
                });
    }

    private static void tightenOne(Path file) {
        PosixFileAttributeView view =
                Files.getFileAttributeView(
                        file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (view == null || Files.isSymbolicLink(file)) {
            return;
        }
        try {
            Set<PosixFilePermission> permissions = view.readAttributes().permissions();
            if (!OWNERS.containsAll(permissions)) {
                Set<PosixFilePermission> kept = EnumSet.copyOf(OWNERS);
                kept.retainAll(permissions);
                view.setPermissions(kept);
            }
        } catch (IOException e) {
            // The file belongs to another user, or was deleted.
        }
    }
}

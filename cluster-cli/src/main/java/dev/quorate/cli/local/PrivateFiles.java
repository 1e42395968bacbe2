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
 * What a node and the local launcher write is for their own user: values, logs and secrets. The
 * launcher script sees to that for new files by its mask; here is what was written without one.
 */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> OWNERS =
            EnumSet.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE);

    private PrivateFiles() {}

    /**
     * Takes everybody else's permissions from a directory and all in it, if it contains the file of
     * that name: a directory that is something else is left as it is. Links are not followed. What
     * belongs to another user stays as it is.
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
                        return FileVisitResult.CONTINUE; // It may be gone by now.
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
            // Another user's, or gone.
        }
    }
}

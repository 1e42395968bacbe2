package dev.quorate.cli.backup;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;

/** What {@code quorate verify} checks of a backup, beside the stores in it. */
public final class BackupCheck {

    private BackupCheck() {}

    /** Whether this is the directory of one backup, with all of its parts or not. */
    public static boolean isBackup(StorageFiles files, Path directory) throws IOException {
        return files.exists(directory.resolve(Backup.FILE))
                || files.exists(directory.resolve(BackupFolder.SUMS));
    }

    /**
     * Compares each file of a backup with the sum that it had when it was copied.
     *
     * @param problems takes each file that is missing, or is not what was copied
     * @return how many files were compared
     */
    public static int verify(
            StorageFiles files, Path directory, Consumer<CorruptionException> problems)
            throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Backup backup = Backup.read(files, absolute);
        Path folder = Objects.requireNonNull(absolute.getParent(), "a backup is in a folder");
        return new BackupFolder(files, folder).verify(backup, problems);
    }
}

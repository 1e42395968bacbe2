package dev.quorate.node.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Figures;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LastBackupTest {

    @TempDir Path data;
    private final ManualTime time = new ManualTime();

    private LastBackup open() {
        return new LastBackup(new DiskFiles(), data, time);
    }

    private static double seconds(LastBackup backup) {
        Figures figures = new Figures();
        backup.register(figures);
        return figures.value("last_backup_timestamp_seconds");
    }

    @Test
    void theTimeOutlivesTheProcess() throws IOException {
        LastBackup backup = open();
        assertThat(seconds(backup)).isZero();
        backup.complete();
        double completed = time.wallMillis() / 1e3;
        assertThat(completed).isPositive();
        assertThat(seconds(backup)).isEqualTo(completed);
        assertThat(seconds(open())).isEqualTo(completed);
    }

    /** A node starts without it, and the next backup replaces the file. */
    @Test
    void aDamagedFileMeansThatTheTimeIsUnknown() throws IOException {
        open().complete();
        Path file = data.resolve(LastBackup.FILE_NAME);
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1;
            Files.write(file, damaged);
            assertThat(seconds(open())).as("byte %d", i).isZero();
        }
        Files.write(file, new byte[3]);
        LastBackup backup = open();
        assertThat(seconds(backup)).isZero();
        backup.complete();
        assertThat(seconds(open())).isPositive();
    }
}

package dev.quorate.storage.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskFilesTest {

    @TempDir private Path folder;

    private final DiskFiles files = new DiskFiles();

    /** Linux reports a file as absent if it is replaced between two steps of link(2). */
    @Test
    void aFileIsLinkedWhileItIsReplaced() throws Exception {
        Path file = Files.writeString(folder.resolve("clock"), "1");
        AtomicBoolean isDone = new AtomicBoolean();
        Thread replacing =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!isDone.get()) {
                                        replace(file);
                                    }
                                });
        try {
            for (int i = 0; i < 20_000; i++) {
                Path link = folder.resolve("link");
                files.link(file, link);
                assertThat(Files.readString(link)).isEqualTo("1");
                files.delete(link);
            }
        } finally {
            isDone.set(true);
            replacing.join();
        }
    }

    private void replace(Path file) {
        try {
            files.rename(Files.writeString(folder.resolve("new"), "1"), file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anAbsentFileIsNotLinked() {
        assertThatThrownBy(() -> files.link(folder.resolve("absent"), folder.resolve("link")))
                .isInstanceOf(NoSuchFileException.class);
    }
}

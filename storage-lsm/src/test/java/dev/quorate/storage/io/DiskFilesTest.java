package dev.quorate.storage.io;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskFilesTest {

    /** At least that of the file system. */
    private static final int BLOCK = 64 << 10;

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

    /**
     * Groups of a log, as it writes them: mostly one after the other; at times again at the same
     * place, by the usual way, or by a thread that is interrupted.
     */
    @RepeatedTest(20)
    void durableWritesChangeNothingBeforeThemOrInLaterBlocks(RepetitionInfo repetition)
            throws Exception {
        Random random = new Random(repetition.getCurrentRepetition());
        byte[] expected = new byte[1 << 20];
        random.nextBytes(expected);
        Path path = Files.write(folder.resolve("log"), expected);
        int offset = 512;
        try (WritableFile file = files.open(path)) {
            while (true) {
                byte[] bytes = new byte[1 + random.nextInt(1 << random.nextInt(18))];
                random.nextBytes(bytes);
                if (offset + bytes.length > expected.length) {
                    break;
                }
                System.arraycopy(bytes, 0, expected, offset, bytes.length);
                boolean isInterrupted = random.nextInt(8) == 0;
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
                if (random.nextInt(8) == 0) {
                    file.write(ByteBuffer.wrap(bytes), offset);
                } else if (!file.writeDurably(ByteBuffer.wrap(bytes), offset)) {
                    file.force();
                }
                assertThat(Thread.interrupted()).isEqualTo(isInterrupted);
                int end = offset + bytes.length;
                byte[] written = Files.readAllBytes(path);
                assertThat(Arrays.mismatch(written, 0, end, expected, 0, end)).isEqualTo(-1);
                int later = Math.min((end + BLOCK - 1) / BLOCK * BLOCK, expected.length);
                assertThat(Arrays.copyOfRange(written, later, written.length))
                        .isEqualTo(Arrays.copyOfRange(expected, later, expected.length));
                System.arraycopy(written, end, expected, end, later - end);
                offset = random.nextInt(8) == 0 ? offset : end;
            }
        }
        assertThat(path).hasSize(expected.length);
    }

    @Test
    void aFileWithAPartOfABlockIsWrittenDurably() throws Exception {
        Path path = Files.write(folder.resolve("log"), new byte[BLOCK + 700]);
        byte[] bytes = "value".getBytes(US_ASCII);
        try (WritableFile file = files.open(path)) {
            if (!file.writeDurably(ByteBuffer.wrap(bytes), BLOCK + 600)) {
                file.force();
            }
        }
        assertThat(path).hasSize(BLOCK + 700);
        assertThat(Arrays.copyOfRange(Files.readAllBytes(path), BLOCK + 600, BLOCK + 605))
                .isEqualTo(bytes);
    }

    @Test
    void anAbsentFileIsNotLinked() {
        assertThatThrownBy(() -> files.link(folder.resolve("absent"), folder.resolve("link")))
                .isInstanceOf(NoSuchFileException.class);
    }
}

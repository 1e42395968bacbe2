package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.storage.Durability;
import dev.quorate.storage.Scale;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same keys written over and over on a real disk, in the small heap that the tests have: the
 * directory stays small, and neither files nor descriptors are left behind.
 */
class ChurnTest {

    private static final int KEYS = 1_000;
    private static final int VALUE_BYTES = 2_000;
    private static final int ROUNDS = Scale.of(1_000, 50);
    private static final long SEGMENT_BYTES = 256 << 10;
    private static final StorageOptions OPTIONS =
            StorageOptions.defaults()
                    .withMemtableBytes(256 << 10)
                    .withSegmentBytes(SEGMENT_BYTES)
                    .withDurability(Durability.ASYNC)
                    .withReservedDiskBytes(0);

    /** Active, two sealed, one prepared, two spare. */
    private static final long MAX_SEGMENTS = 6;

    @TempDir Path directory;

    @Test
    void theDirectoryStaysSmallAndNothingIsLeftOpen() throws IOException {
        SplittableRandom random = new SplittableRandom(Scale.seed("ChurnTest"));
        long descriptorsBefore = descriptors();
        LsmStore store =
                LsmStore.open(
                        new DiskFiles(),
                        directory,
                        OPTIONS,
                        StoreExecutors.threads("churn"),
                        System::nanoTime,
                        cause -> {
                            throw cause;
                        });
        long clock = 0;
        for (int round = 0; round < ROUNDS; round++) {
            CompletableFuture<?> last = CompletableFuture.completedFuture(null);
            for (int i = 0; i < KEYS; i++) {
                byte[] value = new byte[VALUE_BYTES];
                random.nextBytes(value);
                last = Writes.put(store, "key " + random.nextInt(KEYS), ++clock, value);
            }
            last.join();
        }
        long live = (long) KEYS * VALUE_BYTES;
        // What compaction is still at when the last write is told, it soon is no more.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> store.statistics().tableBytes() < live * 5 / 2);
        store.close();
        List<Path> files;
        try (Stream<Path> found = Files.list(directory)) {
            files = found.toList();
        }
        long bytes = 0;
        for (Path file : files) {
            bytes += Files.size(file);
        }
        // One more table, since closing flushes nothing but may end in the middle of a flush.
        assertThat(bytes).isLessThan(live * 5 / 2 + (MAX_SEGMENTS + 1) * SEGMENT_BYTES);
        assertThat(files).hasSizeLessThan(40);
        assertThat(descriptors()).isLessThan(descriptorsBefore + 10);
    }

    private static long descriptors() throws IOException {
        Path own = Path.of("/proc/self/fd");
        if (!Files.isDirectory(own)) {
            return 0;
        }
        try (Stream<Path> open = Files.list(own)) {
            return open.count();
        }
    }
}

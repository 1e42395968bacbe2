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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Repeated overwrites of the same keys on a real disk, in the small heap of the tests: memory and
 * directory stay bounded, and neither files nor descriptors leak.
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

    /** Tables of level 0 at most, of the levels below, manifests, CURRENT and LOCK. */
    private static final int MAX_FILES = 100;

    private static final int SAMPLES = 10;

    /** One measurement of the process and its directory. */
    private record Sample(long heapBytes, long descriptors, long files) {}

    @TempDir Path directory;

    /** After a garbage collection, so that it measures live objects only. */
    @SuppressWarnings("ExplicitGC")
    private Sample sample() throws IOException {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        try (Stream<Path> found = Files.list(directory)) {
            return new Sample(
                    runtime.totalMemory() - runtime.freeMemory(), descriptors(), found.count());
        }
    }

    /** No figure grows after the first tenth of the time. */
    private static void checkFlat(List<Sample> samples, long descriptorsBefore) {
        long firstHeap = samples.getFirst().heapBytes();
        for (Sample each : samples) {
            // One more memtable, and a running compaction.
            assertThat(each.heapBytes()).as("%s", samples).isLessThan(firstHeap + (8 << 20));
            assertThat(each.files()).as("%s", samples).isLessThan(MAX_FILES);
            assertThat(each.descriptors())
                    .as("%s", samples)
                    .isLessThan(descriptorsBefore + MAX_FILES);
        }
    }

    @Test
    void memoryAndDirectoryStayBoundedAndNoFileStaysOpen() throws IOException {
        SplittableRandom random = new SplittableRandom(Scale.seed("ChurnTest"));
        long descriptorsBefore = descriptors();
        LsmStore store =
                LsmStore.open(
                        new DiskFiles(),
                        directory,
                        OPTIONS,
                        StoreExecutors.threads("churn"),
                        new StoreClocks(System::nanoTime),
                        cause -> {
                            throw cause;
                        });
        long clock = 0;
        List<Sample> samples = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            CompletableFuture<?> last = CompletableFuture.completedFuture(null);
            for (int i = 0; i < KEYS; i++) {
                byte[] value = new byte[VALUE_BYTES];
                random.nextBytes(value);
                last = Writes.put(store, "key " + random.nextInt(KEYS), ++clock, value);
            }
            last.join();
            if (round % (ROUNDS / SAMPLES) == ROUNDS / SAMPLES - 1) {
                samples.add(sample());
            }
        }
        checkFlat(samples, descriptorsBefore);
        long live = (long) KEYS * VALUE_BYTES;
        // A compaction that still runs after the last write ends soon.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> store.figures().count("sstable_size_bytes") < live * 5 / 2);
        store.close();
        List<Path> files;
        try (Stream<Path> found = Files.list(directory)) {
            files = found.toList();
        }
        long bytes = 0;
        for (Path file : files) {
            bytes += Files.size(file);
        }
        // One more table, since closing does not flush but may interrupt a flush.
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

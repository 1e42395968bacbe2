package dev.quorate.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * Not a test, since it looks at the time: prints what it takes until a member of three whose disk
 * was lost votes again. Arguments: how many keys, how many bytes of value, and the bytes a second
 * (0: no limit).
 */
final class RebuildTimes {

    private static final long HOUR_MILLIS = 3_600_000;
    private static final int BATCH = 10_000;

    private RebuildTimes() {}

    public static void main(String[] arguments) throws IOException {
        int keys = Integer.parseInt(arguments[0]);
        int valueBytes = Integer.parseInt(arguments[1]);
        Path data = Files.createTempDirectory("rebuild-times");
        Map<String, String> options =
                Map.of(
                        "request-timeout", "500ms",
                        "memtable-bytes", "16MiB",
                        "segment-bytes", "16MiB",
                        "durability", "fsync",
                        "rebuild-bytes-per-second", arguments[2]);
        try (NodesWithoutSockets nodes = new NodesWithoutSockets(data, 3, options)) {
            for (int from = 0; from < keys; from += BATCH) {
                List<Entry> batch = batch(from, Math.min(keys, from + BATCH), valueBytes);
                for (int node = 1; node <= 3; node++) {
                    nodes.write(node, batch);
                }
            }
            nodes.stop(3);
            delete(data.resolve("n3"));
            long begun = System.nanoTime();
            nodes.start(3);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(20))
                    .until(() -> nodes.core(3).membership().votes());
            double seconds = (System.nanoTime() - begun) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "%,d keys of %d bytes in %.1f s: %,.0f keys/s%n",
                    keys,
                    valueBytes,
                    seconds,
                    keys / seconds);
        } finally {
            delete(data);
        }
    }

    private static List<Entry> batch(int from, int to, int valueBytes) {
        long hourAgo = System.currentTimeMillis() - HOUR_MILLIS;
        List<Entry> entries = new ArrayList<>();
        for (int i = from; i < to; i++) {
            byte[] key = "key-%09d".formatted(i).getBytes(US_ASCII);
            entries.add(
                    Entry.value(
                            key,
                            Timestamp.of(hourAgo + i / 1_000, i % 1_000, 1),
                            new byte[valueBytes],
                            3));
        }
        return entries;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

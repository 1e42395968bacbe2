package dev.quorate.loadtest.engine;

import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** A folder with an engine's files. */
final class Folder {

    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private Folder() {}

    /** Bytes of all files. */
    static long bytes(Path folder) {
        return sizes(folder).values().stream().mapToLong(Long::longValue).sum();
    }

    private static Map<String, Long> sizes(Path folder) {
        Map<String, Long> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                try {
                    sizes.put(file.toString(), Files.size(file));
                } catch (NoSuchFileException gone) {
                    // Engines delete files as they like.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sizes;
    }

    /**
     * Waits until no file has come, gone or grown for half a second: the one sign of an end of
     * compaction that every engine offers.
     */
    static void awaitQuiet(Path folder, LongSupplier nanoClock) {
        Map<String, Long> seen = sizes(folder);
        long since = nanoClock.getAsLong();
        while (nanoClock.getAsLong() - since < QUIET_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
            Map<String, Long> now = sizes(folder);
            if (!now.equals(seen)) {
                seen = now;
                since = nanoClock.getAsLong();
            }
        }
    }

    static void delete(Path folder) {
        try {
            new DiskFiles().deleteTree(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

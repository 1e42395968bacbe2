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

/** A folder with the files of an engine. */
final class Folder {

    private Folder() {}

    /** The size of all files, in bytes. */
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
                    // The engine deleted the file meanwhile.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sizes;
    }

    /**
     * Waits until no file has appeared, disappeared or grown for half a second. This is the only
     * sign of the end of compaction that all engines have.
     */
    static void awaitQuiet(Path folder, LongSupplier nanoClock) {
        Map<String, Long> seen = sizes(folder);
        long since = nanoClock.getAsLong();
        while (nanoClock.getAsLong() - since < TimeUnit.MILLISECONDS.toNanos(500)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
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

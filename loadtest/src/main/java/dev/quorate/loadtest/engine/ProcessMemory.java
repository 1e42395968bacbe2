package dev.quorate.loadtest.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** The memory of this process as Linux reports it; empty on other systems. */
final class ProcessMemory {

    private static final double KIB_PER_MIB = 1024;

    private ProcessMemory() {}

    /** Resident now and not of a file: what no other process could use, in MiB. */
    static OptionalDouble anonymousMebibytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("RssAnon:")) {
                    return OptionalDouble.of(
                            Long.parseLong(line.replaceAll("[^0-9]", "")) / KIB_PER_MIB);
                }
            }
        } catch (IOException e) {
            // Not Linux.
        }
        return OptionalDouble.empty();
    }
}

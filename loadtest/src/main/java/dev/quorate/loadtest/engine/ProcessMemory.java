package dev.quorate.loadtest.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** The memory of this process as Linux reports it; empty on other systems. */
final class ProcessMemory {

    private static final double KIB_PER_MIB = 1024;

    private ProcessMemory() {}

    /** The most memory that was ever resident, mapped files included, in MiB. */
    static OptionalDouble peakMebibytes() {
        return field("VmHWM:");
    }

    /** Resident now and not of a file: what no other process could use, in MiB. */
    static OptionalDouble anonymousMebibytes() {
        return field("RssAnon:");
    }

    private static OptionalDouble field(String name) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(name)) {
                    String number = line.substring(name.length()).replaceAll("[^0-9]", "");
                    return OptionalDouble.of(Long.parseLong(number) / KIB_PER_MIB);
                }
            }
        } catch (IOException e) {
            // Not Linux.
        }
        return OptionalDouble.empty();
    }
}

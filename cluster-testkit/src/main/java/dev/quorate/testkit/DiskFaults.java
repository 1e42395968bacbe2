package dev.quorate.testkit;

import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The active faults of a disk. Thread-safe. */
final class DiskFaults {

    enum Fault {
        FORCES("fsync fails"),
        READS("reads fail"),
        GROWTH("full");

        private final String words;

        Fault(String words) {
            this.words = words;
        }
    }

    private final Set<Fault> active = ConcurrentHashMap.newKeySet();
    private volatile boolean everBroken;

    void begin(Fault fault) {
        active.add(fault);
        everBroken = true;
    }

    /** Records permanent damage, such as a flipped bit. */
    void damaged() {
        everBroken = true;
    }

    void end(Fault fault) {
        active.remove(fault);
    }

    void heal() {
        active.clear();
    }

    boolean isActive(Fault fault) {
        return active.contains(fault);
    }

    /** Whether the disk ever had a fault, which may have ended the node's process. */
    boolean wereThereAny() {
        return everBroken;
    }

    void check(Fault fault, Path file) throws IOException {
        if (isActive(fault)) {
            throw fault == Fault.GROWTH
                    ? new DiskFullException(file + ": No space left on device")
                    : new IOException(file + ": Input/output error");
        }
    }

    /** The active faults in words; empty if there are none. */
    @Override
    public String toString() {
        return active.stream().sorted().map(fault -> fault.words).collect(Collectors.joining(" "));
    }
}

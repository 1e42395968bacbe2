package dev.quorate.testkit;

import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;
import java.nio.file.Path;

/** The active faults of a disk. */
final class DiskFaults {

    private volatile boolean forcesFail;
    private volatile boolean readsFail;
    private volatile boolean full;
    private volatile boolean everBroken;

    void failForces() {
        forcesFail = true;
        everBroken = true;
    }

    void failReads() {
        readsFail = true;
        everBroken = true;
    }

    void damaged() {
        everBroken = true;
    }

    void fillUp() {
        full = true;
        everBroken = true;
    }

    void free() {
        full = false;
    }

    void heal() {
        forcesFail = false;
        readsFail = false;
        full = false;
    }

    boolean isFull() {
        return full;
    }

    /** Whether the disk ever had a fault, which may have ended a node. */
    boolean wereThereAny() {
        return everBroken;
    }

    void onForce(Path what) throws IOException {
        if (forcesFail) {
            throw new IOException(what + ": Input/output error");
        }
    }

    void onRead(Path file) throws IOException {
        if (readsFail) {
            throw new IOException(file + ": Input/output error");
        }
    }

    void onGrowth(Path file) throws IOException {
        if (full) {
            throw new DiskFullException(file + ": No space left on device");
        }
    }

    /** The active faults in words; empty if there are none. */
    @Override
    public String toString() {
        return ((forcesFail ? " fsync fails" : "")
                        + (readsFail ? " reads fail" : "")
                        + (full ? " full" : ""))
                .strip();
    }
}

package dev.quorate.storage.engine;

import dev.quorate.storage.Figures;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.wal.Delays;
import dev.quorate.storage.wal.GroupCommit;
import dev.quorate.storage.wal.SerialTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Rejects writes while the disk is full, and accepts them when space is free again.
 *
 * <p>The disk counts as full when less than the reserve is free, or when a write fails for lack of
 * space. Flushes and compactions are still retried, since they may use the reserve and can free
 * space.
 */
final class SpaceWatch {

    private static final long RECHECK_MILLIS = 200;
    private static final long HEALTHY_CHECK_NANOS = 500_000_000;

    private final StorageFiles files;
    private final Path directory;
    private final long reservedBytes;
    private final Delays delays;
    private final LongSupplier nanoClock;
    private final GroupCommit commit;
    private final Runnable resume;
    private final SerialTask check;

    /** Guards the fields below. */
    private final Object lock = new Object();

    private boolean full;
    private boolean recheckPending;

    private volatile long freeBytes;
    private volatile long checkedAt;

    /**
     * @param resume retries the work that failed for lack of space
     */
    SpaceWatch(StoreRuntime runtime, GroupCommit commit, Runnable resume) {
        this.files = runtime.files();
        this.directory = runtime.directory();
        this.reservedBytes = runtime.options().reservedDiskBytes();
        this.delays = runtime.executors().delays();
        this.nanoClock = runtime.clocks().nanos();
        this.commit = commit;
        this.resume = resume;
        this.check = new SerialTask(runtime.executors().background(), this::check);
        this.checkedAt = nanoClock.getAsLong();
    }

    /** Schedules a check of the free space unless a recent one exists. Cheap. */
    void touch() {
        long now = nanoClock.getAsLong();
        if (now - checkedAt >= HEALTHY_CHECK_NANOS) {
            checkedAt = now;
            check.schedule();
        }
    }

    /** Records a failure for lack of space. */
    void full(StorageException.Full cause) {
        synchronized (lock) {
            full = true;
            if (!recheckPending) {
                recheckPending = true;
                delays.runAfter(RECHECK_MILLIS, check::schedule);
            }
        }
        commit.reject(cause);
    }

    private void check() {
        boolean wasFull;
        synchronized (lock) {
            wasFull = full;
            full = false;
            recheckPending = false;
        }
        try {
            freeBytes = files.freeBytes(directory);
        } catch (IOException e) {
            commit.fail(Failures.of("reading the free space", e));
            return;
        }
        boolean enough = freeBytes >= reservedBytes;
        if (!enough) {
            full(
                    new StorageException.Full(
                            "the disk is full: %d bytes free, %d reserved"
                                    .formatted(freeBytes, reservedBytes),
                            null));
        }
        if (wasFull) {
            if (enough) {
                commit.accept();
            }
            resume.run();
        }
    }

    void register(Figures figures) {
        figures.gauge(
                "disk_free_bytes",
                "Free bytes of the store's disk.",
                () -> {
                    // Without this, the value would be as old as the last write.
                    touch();
                    return freeBytes;
                });
    }

    void checkNow() {
        check.runNow();
    }

    void stop() {
        Failures.await(check.stop());
    }
}

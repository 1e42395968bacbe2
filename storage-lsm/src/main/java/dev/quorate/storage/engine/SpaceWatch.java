package dev.quorate.storage.engine;

import dev.quorate.storage.StorageException;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.wal.Delays;
import dev.quorate.storage.wal.GroupCommit;
import dev.quorate.storage.wal.SerialTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Turns writes away while the disk is full, and lets them in when it no longer is.
 *
 * <p>Full is: less than the reserve is free, or something failed for want of space. Flushes and
 * compactions go on trying, since they may use the reserve and can make room.
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
     * @param resume tries again whatever has failed for want of space
     */
    SpaceWatch(
            StorageFiles files,
            Path directory,
            long reservedBytes,
            Executor background,
            Delays delays,
            LongSupplier nanoClock,
            GroupCommit commit,
            Runnable resume) {
        this.files = files;
        this.directory = directory;
        this.reservedBytes = reservedBytes;
        this.delays = delays;
        this.nanoClock = nanoClock;
        this.commit = commit;
        this.resume = resume;
        this.check = new SerialTask(background, this::check);
        this.checkedAt = nanoClock.getAsLong();
    }

    /** Looks at the disk if that was not done for a while. Cheap. */
    void touch() {
        long now = nanoClock.getAsLong();
        if (now - checkedAt >= HEALTHY_CHECK_NANOS) {
            checkedAt = now;
            check.schedule();
        }
    }

    /** Something failed for want of space. */
    void full(StorageException.Full cause) {
        synchronized (lock) {
            full = true;
            if (!recheckPending) {
                recheckPending = true;
                delays.runAfter(RECHECK_MILLIS, check::schedule);
            }
        }
        commit.refuse(cause);
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
            commit.breakOff(Failures.of("reading the free space", e));
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

    /** Free bytes as of the last look, which is not far back. */
    long freeBytes() {
        return freeBytes;
    }

    /** Looks now, in place. */
    void checkNow() {
        check.runNow();
    }

    void stop() {
        Failures.await(check.stop());
    }
}

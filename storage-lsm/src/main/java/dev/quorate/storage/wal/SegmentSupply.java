package dev.quorate.storage.wal;

import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.DiskFullException;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the next log segment in advance, and recycles obsolete ones. Zero-filling a segment
 * takes as long as hundreds of groups, so it happens in the background.
 */
public final class SegmentSupply {

    /** Maximum number of obsolete segments retained for recycling; others are deleted. */
    static final int MAX_SPARES = 2;

    /** Receives the outcome of each preparation, in the background. */
    public interface Listener {

        void segmentReady();

        /** After a {@link DiskFullException}, another request may succeed later. */
        void segmentFailed(IOException cause);
    }

    private final StorageFiles files;
    private final Path directory;
    private final LongSupplier numbers;
    private final long segmentBytes;
    private final long reservedBytes;
    private final Listener listener;
    private final SerialTask preparation;

    // All guarded by this: the log takes segments, flushes recycle them. No I/O with the lock.
    private final ArrayDeque<Long> spares = new ArrayDeque<>();
    private @Nullable LogSegment ready;
    private long wantedBytes;
    private boolean closed;

    /**
     * @param numbers returns numbers never used in the directory
     * @param segmentBytes the usual size of a segment
     * @param reservedBytes free space that a new segment must leave
     */
    public SegmentSupply(
            StorageFiles files,
            Path directory,
            LongSupplier numbers,
            long segmentBytes,
            long reservedBytes,
            Executor background,
            Listener listener) {
        this.files = files;
        this.directory = directory;
        this.numbers = numbers;
        this.segmentBytes = segmentBytes;
        this.reservedBytes = reservedBytes;
        this.listener = listener;
        this.preparation = new SerialTask(background, this::prepareWanted);
    }

    /** Schedules the preparation of a segment of at least {@code bytes}. */
    public void request(long bytes) {
        synchronized (this) {
            if (closed) {
                return;
            }
            wantedBytes = Math.max(wantedBytes, Math.max(bytes, segmentBytes));
        }
        preparation.schedule();
    }

    /** A prepared segment of at least {@code bytes}, or null: then {@link #request} one. */
    public synchronized @Nullable LogSegment take(long bytes) {
        LogSegment taken = ready;
        if (taken == null || taken.bytes() < bytes) {
            return null;
        }
        ready = null;
        return taken;
    }

    private void prepareWanted() {
        long bytes;
        LogSegment tooSmall;
        synchronized (this) {
            bytes = wantedBytes;
            wantedBytes = 0;
            if (bytes == 0 || closed || (ready != null && ready.bytes() >= bytes)) {
                return;
            }
            tooSmall = ready;
            ready = null;
        }
        try {
            if (tooSmall != null) {
                tooSmall.file().close();
                recycle(tooSmall.number());
            }
            LogSegment prepared = prepare(bytes);
            if (offer(prepared)) {
                listener.segmentReady();
            } else {
                prepared.file().close();
            }
        } catch (IOException e) {
            listener.segmentFailed(e);
        }
    }

    /** Runs a scheduled preparation on this thread; returns whether there was one. */
    public boolean runPending() {
        return preparation.tryRun();
    }

    private synchronized boolean offer(LogSegment prepared) {
        if (!closed) {
            ready = prepared;
        }
        return !closed;
    }

    /**
     * Prepares a segment on this thread; recycles a spare one if {@code bytes} is the usual size.
     *
     * @throws DiskFullException if the disk has no space for it
     */
    public LogSegment prepare(long bytes) throws IOException {
        Long spare = null;
        if (bytes == segmentBytes) {
            synchronized (this) {
                spare = spares.poll();
            }
        }
        if (spare != null) {
            return recycled(spare, bytes);
        }
        long free = files.freeBytes(directory);
        if (free - bytes < reservedBytes) {
            throw new DiskFullException(
                    "a log segment of %d bytes would leave less than %d of %d free bytes"
                            .formatted(bytes, reservedBytes, free));
        }
        return LogSegment.create(files, directory, numbers.getAsLong(), bytes);
    }

    private LogSegment recycled(long spare, long bytes) throws IOException {
        try {
            return LogSegment.recycle(files, directory, spare, numbers.getAsLong(), bytes);
        } catch (IOException e) {
            if (files.exists(directory.resolve(FileNames.log(spare)))) {
                synchronized (this) {
                    spares.addFirst(spare);
                }
            }
            throw e;
        }
    }

    /** Retains or deletes the file of an obsolete segment, which is not open. */
    public void recycle(long number) throws IOException {
        Path path = directory.resolve(FileNames.log(number));
        boolean usual = sizeOf(path) == segmentBytes;
        synchronized (this) {
            if (usual && spares.size() < MAX_SPARES) {
                spares.add(number);
                return;
            }
        }
        files.delete(path);
    }

    private long sizeOf(Path path) throws IOException {
        try (var file = files.open(path)) {
            return file.size();
        }
    }

    /** Bytes of spare and prepared segments. */
    public synchronized long idleBytes() {
        return spares.size() * segmentBytes + (ready == null ? 0 : ready.bytes());
    }

    public void close() throws IOException {
        LogSegment last;
        synchronized (this) {
            closed = true;
            last = ready;
            ready = null;
        }
        if (last != null) {
            last.file().close();
        }
    }
}

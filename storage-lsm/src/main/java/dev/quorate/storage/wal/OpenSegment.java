package dev.quorate.storage.wal;

import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The segment that the log task writes to, and the roll to the next segment. Only the log task uses
 * it, except for {@link #begin}.
 */
final class OpenSegment {

    enum Roll {
        /** No segment is ready, or the listener forbids it. The log task is woken later. */
        WAITS,
        /** The disk is full. The listener knows. */
        OUT_OF_SPACE,
        ROLLED
    }

    private final WriteAheadLog log;
    private final SegmentSupply supply;
    private final CommitListener listener;
    private final StorageOptions options;
    private final LongSupplier nanoClock;
    private final CommitFigures figures;
    private final AtomicReference<@Nullable LogSegment> first = new AtomicReference<>();
    private SegmentUsage usage;
    private @Nullable LogSegment reserved;
    private boolean stalled;
    private long stalledSince;

    OpenSegment(
            WriteAheadLog log,
            SegmentSupply supply,
            CommitListener listener,
            StorageOptions options,
            LongSupplier nanoClock,
            CommitFigures figures) {
        this.log = log;
        this.supply = supply;
        this.listener = listener;
        this.options = options;
        this.nanoClock = nanoClock;
        this.figures = figures;
        this.usage = new SegmentUsage(options.memtableBytes());
    }

    /** Sets the first segment, which {@link #startFirst} starts. Called from any thread. */
    void begin(LogSegment segment) {
        first.set(segment);
    }

    void startFirst() {
        LogSegment begun = first.getAndSet(null);
        if (begun != null) {
            start(begun);
        }
    }

    private void start(LogSegment next) {
        log.start(next);
        usage = new SegmentUsage(next.limit(options.memtableBytes()));
        supply.request(options.segmentBytes());
    }

    SegmentUsage usage() {
        return usage;
    }

    boolean fits(PendingWrite write) {
        int recordBytes = write.recordBytes();
        return log.fits(recordBytes)
                && (log.isEmpty() || !(log.isFullFor(recordBytes) || usage.isFullFor(recordBytes)));
    }

    /**
     * Seals the segment and starts the next one.
     *
     * @param recordBytes the size of the record that follows; 0 for none
     */
    Roll roll(int recordBytes) throws IOException {
        long bytes = Math.max(options.segmentBytes(), WriteAheadLog.segmentBytesFor(recordBytes));
        LogSegment next = listener.mayRoll() ? nextSegment(bytes) : null;
        if (next == null) {
            if (!stalled) {
                stalled = true;
                stalledSince = nanoClock.getAsLong();
            }
            return Roll.WAITS;
        }
        endStall();
        // If sealing fails, the seal may still be on disk and name this segment, so a retry must
        // use the same one.
        reserved = next;
        try {
            log.seal(next.number());
        } catch (DiskFullException e) {
            listener.outOfSpace(e);
            return Roll.OUT_OF_SPACE;
        }
        reserved = null;
        start(next);
        listener.rolling();
        return Roll.ROLLED;
    }

    private @Nullable LogSegment nextSegment(long bytes) {
        LogSegment next = reserved;
        reserved = null;
        if (next == null) {
            next = supply.take(bytes);
        }
        if (next == null) {
            supply.request(bytes);
            // If the supply runs in place, the segment is ready now.
            next = supply.take(bytes);
        }
        return next;
    }

    /** Ends the time in which writes wait for the next segment. */
    void endStall() {
        if (stalled) {
            stalled = false;
            figures.stalled(nanoClock.getAsLong() - stalledSince);
        }
    }

    /** Seals the last segment, and closes all files. */
    void end() throws IOException {
        if (log.isStarted()) {
            try {
                log.seal(0);
            } catch (DiskFullException e) {
                // Without a seal, the next opening recovers as after a crash.
                log.close();
            }
        }
        LogSegment begun = first.getAndSet(null);
        if (begun != null) {
            begun.file().close();
        }
        LogSegment unused = reserved;
        reserved = null;
        if (unused != null) {
            unused.file().close();
        }
    }

    /** Closes the segment of a log that has failed, for a reason already reported. */
    void abandon() {
        try {
            log.close();
        } catch (IOException e) {
            // The first failure was reported.
        }
    }
}

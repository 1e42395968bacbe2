package dev.quorate.node.membership;

import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves this member's GC watermark: the moment up to which every member is known to have every
 * tombstone. Checks periodically, and after each round of repairs, whether the cluster's {@link
 * Watermark} has moved. Then waits until the reads and transfers that began before are over and the
 * accepted values that older entries superseded are noted, records the watermark on disk, and lets
 * the store drop older tombstones, which no answer contains any more.
 *
 * <p>Its lock guards every field that changes; only the scheduler is called under it.
 */
public final class TombstoneGc implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TombstoneGc.class);

    private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

    public interface Disk {

        void record(long watermarkMillis) throws IOException;

        /** Lets the store drop older tombstones. */
        void collect(long watermarkMillis);
    }

    /** The records of conditional writes. */
    @FunctionalInterface
    public interface Notes {

        /**
         * Begins to note durably which accepted values are superseded: if a tombstone superseded a
         * value, nothing shows this once the tombstone is dropped.
         *
         * @param whenDone receives whether everything was noted
         */
        void begin(Consumer<Boolean> whenDone);
    }

    private final Membership membership;
    private final Notes notes;
    private final Disk disk;
    private final Duration untilAllIsOver;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor serial;

    /** The watermark that is being recorded; 0 if none is. */
    private long advancing;

    private boolean closed;
    private Scheduler.Cancellable checking = () -> {};

    /**
     * @param longestWrite the longest time that a client's write takes
     * @param longestTransfer the longest time that an entry of a repair takes
     */
    public TombstoneGc(
            Membership membership,
            Notes notes,
            Disk disk,
            Duration longestWrite,
            Duration longestTransfer,
            NodeRuntime runtime) {
        this.membership = membership;
        this.notes = notes;
        this.disk = disk;
        this.untilAllIsOver = longestWrite.multipliedBy(2).plus(longestTransfer.multipliedBy(2));
        this.ticker = runtime.ticker();
        this.scheduler = runtime.scheduler();
        this.serial = runtime.serial();
    }

    /** Starts to follow the watermark. */
    public void start(RepairRounds repairs) {
        repairs.whenRoundEnds((round, agreedWith) -> check());
        synchronized (this) {
            if (!closed) {
                checking = scheduler.every(CHECK_EVERY, this::check);
            }
        }
    }

    /** Begins to follow the cluster's watermark, if it has moved. */
    private void check() {
        membership.watermark().agreeAlone(ticker.wallMillis());
        long known = membership.watermark().knownMillis();
        synchronized (this) {
            if (closed
                    || !membership.votes()
                    || advancing != 0
                    || known <= membership.gcWatermarkMillis()) {
                return;
            }
            advancing = known;
        }
        scheduler.after(
                untilAllIsOver,
                () -> notes.begin(noted -> serial.execute(() -> advance(known, noted))));
    }

    private void advance(long known, boolean noted) {
        try {
            if (noted) {
                disk.record(known);
                // Before anything is dropped: whoever finds nothing says up to when that may be.
                membership.watermark().apply(known);
                disk.collect(known);
            }
        } catch (IOException e) {
            LOG.warn("The GC watermark cannot be recorded; tombstones are kept: {}", e.toString());
        } finally {
            synchronized (this) {
                advancing = 0;
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        checking.cancel();
    }
}

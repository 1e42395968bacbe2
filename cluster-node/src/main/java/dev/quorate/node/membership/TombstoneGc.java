package dev.quorate.node.membership;

import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has this member act on what all members say to be settled: looks, now and then and after each
 * round of repairs, whether the {@link Watermark} has moved; waits until what was read or sent
 * before that is over; notes it on disk; and from then on tombstones from before it are as good as
 * nothing here, and the store may drop them.
 *
 * <p>Its lock guards every field that changes; nothing is called under it.
 */
public final class TombstoneGc implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TombstoneGc.class);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    /** What it does on disk. */
    @FunctionalInterface
    public interface Disk {

        /** So much is settled, durably; and the store may drop tombstones from before that. */
        void settle(long millis) throws IOException;
    }

    private final Membership membership;
    private final Disk disk;
    private final Duration untilAllIsOver;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor blocking;

    /** What is about to be settled here; 0 if nothing is. */
    private long underWay;

    private boolean closed;
    private Scheduler.Cancellable looking = () -> {};

    /**
     * @param longestWrite a client's write is not under way for longer
     * @param blocking where the disk may be waited for
     */
    public TombstoneGc(
            Membership membership,
            Disk disk,
            Duration longestWrite,
            Ticker ticker,
            Scheduler scheduler,
            Executor blocking) {
        this.membership = membership;
        this.disk = disk;
        this.untilAllIsOver =
                longestWrite.multipliedBy(2).plus(Repairs.LONGEST_TRANSFER.multipliedBy(2));
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.blocking = blocking;
    }

    /** From now on repairs may move the watermark. */
    public void start(Repairs repairs) {
        repairs.whenRoundEnds((round, agreedWith) -> look());
        Scheduler.Cancellable every = scheduler.every(LOOK_EVERY, this::look);
        synchronized (this) {
            looking = every;
            if (closed) {
                every.cancel();
            }
        }
    }

    /** Begins to settle what is settled elsewhere, if there is anything new. */
    private void look() {
        membership.watermark().alone(ticker.wallMillis());
        long known = membership.watermark().knownMillis();
        synchronized (this) {
            if (closed
                    || !membership.votes()
                    || underWay != 0
                    || known <= membership.gcWatermarkMillis()) {
                return;
            }
            underWay = known;
        }
        scheduler.after(untilAllIsOver, () -> blocking.execute(() -> settle(known)));
    }

    private void settle(long known) {
        try {
            disk.settle(known);
            membership.watermark().apply(known);
        } catch (IOException e) {
            LOG.warn("It cannot be noted what is settled; tombstones stay: {}", e.toString());
        }
        synchronized (this) {
            underWay = 0;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        looking.cancel();
    }
}

package dev.quorate.node.clock;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prevents the node's clock from going back across a restart: a bound, always some seconds ahead,
 * is on disk before the clock may stamp up to it, and the next start begins at that bound.
 *
 * <p>The store's newest timestamp alone does not suffice: a node also stamps writes whose replicas
 * are all elsewhere. Recording each timestamp would cost one fsync each; a bound costs one for all
 * timestamps of {@code ahead / 4}. It is renewed on a background executor when a quarter of it is
 * used. While a renewal is late, the clock does not stamp, and writes are refused: waiting would
 * block threads, and stamping beyond the bound would be unsafe.
 *
 * <p>The file {@code clock} is a {@link MomentFile} with the magic "QCLK": no stamp is later than
 * its number, which is milliseconds shifted by 16, and a counter.
 */
public final class ClockReservation implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClockReservation.class);

    static final String FILE_NAME = "clock";
    private static final int MAGIC = 0x51434C4B;
    private static final int COUNTER_BITS = 16;

    private final MomentFile file;
    private final long aheadMillis;
    private final HybridClock clock;
    private final AtomicBoolean renewing = new AtomicBoolean();

    /** Guarded by {@code this}, like the file: a late renewal must not undo the stop. */
    private boolean stopped;

    /** Whether the last renewal failed: only the first of several failures is logged. */
    private volatile boolean failing;

    private volatile Scheduler.Cancellable renewal = () -> {};

    private ClockReservation(MomentFile file, Duration ahead, HybridClock clock) {
        this.file = file;
        this.aheadMillis = ahead.toMillis();
        this.clock = clock;
    }

    /**
     * Reads the bound of the last run, and creates a clock that starts after it. The clock does not
     * stamp until {@link #start}: runs that are killed while they wait for the wall clock do not
     * move the bound.
     *
     * @param directory the existing directory of the file
     * @param node breaks ties between timestamps: {@code Member.number()}
     * @param newestStored every timestamp will be later than this: {@code
     *     KeyValueStore.newestTimestamp()}
     * @param ahead how far ahead to reserve; the disk may hang for three quarters of it before
     *     writes are refused, and after a quick restart the clock may be this far ahead of the wall
     *     clock
     * @param maxDrift how far ahead of this wall clock other nodes' wall clocks may be. Since their
     *     clocks may run {@code ahead} of the wall clock after a restart, this clock follows them
     *     by the sum of both
     * @throws CorruptionException if the file is damaged
     * @throws IOException if the disk fails
     */
    public static ClockReservation open(
            StorageFiles files,
            Path directory,
            Ticker ticker,
            int node,
            Timestamp newestStored,
            Duration ahead,
            Duration maxDrift)
            throws IOException {
        if (ahead.toMillis() < 2) {
            throw new IllegalArgumentException("ahead of " + ahead);
        }
        MomentFile file = file(files, directory);
        long startAfter = newestStored.madeAt();
        long bound = file.read();
        startAfter = Long.compareUnsigned(bound, startAfter) > 0 ? bound : startAfter;
        HybridClock clock = HybridClock.reserved(ticker, node, startAfter, maxDrift.plus(ahead));
        return new ClockReservation(file, ahead, clock);
    }

    /** The clock, which stamps up to the bound. */
    public HybridClock clock() {
        return clock;
    }

    /**
     * Reserves a bound, and starts to renew it before it is used up. Waits for the disk.
     *
     * @param background runs renewals, which wait for the disk, and nothing else: writes are
     *     refused when a renewal is late
     * @throws IOException if the disk fails
     */
    public void start(Scheduler scheduler, Executor background) throws IOException {
        reserve();
        renewal = scheduler.every(Duration.ofMillis(aheadMillis / 8 + 1), () -> check(background));
    }

    private void check(Executor background) {
        if (clock.remainingMillis() >= aheadMillis / 4 * 3
                || !renewing.compareAndSet(false, true)) {
            return;
        }
        try {
            background.execute(this::renew);
        } catch (RejectedExecutionException stopping) {
            renewing.set(false);
        }
    }

    private void renew() {
        try {
            reserve();
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                failing = true;
                LOG.error(
                        "The clock's bound is not renewed, and writes are refused soon: {}",
                        e.toString());
            }
        } finally {
            renewing.set(false);
        }
    }

    private synchronized void reserve() throws IOException {
        if (stopped) {
            return;
        }
        long bound = clock.reading() + (aheadMillis << COUNTER_BITS);
        file.write(bound);
        clock.allowUpTo(bound);
    }

    /**
     * Checks the file of a stopped node; a missing file is not damage.
     *
     * @param directory the directory of the file
     * @throws CorruptionException if it is damaged
     * @throws IOException if the disk fails
     */
    public static void verify(StorageFiles files, Path directory) throws IOException {
        file(files, directory).read();
    }

    private static MomentFile file(StorageFiles files, Path directory) {
        return new MomentFile(files, directory.resolve(FILE_NAME), MAGIC);
    }

    /**
     * How long until the wall clock has caught up with the bound of a run that was killed, in
     * milliseconds: at most the length of a reservation. A node that waits for it stamps no further
     * ahead of the others than its wall clock is. If the wall clock was set back by more, this is
     * 0, and the clock continues from the bound.
     */
    public long catchUpMillis() {
        long ahead = clock.aheadMillis(clock.reading());
        return ahead > aheadMillis ? 0 : Math.max(ahead, 0);
    }

    /** Stops the clock, and records a bound that the next start need not wait for. */
    @Override
    public void close() {
        renewal.cancel();
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
            try {
                file.write(clock.stop());
            } catch (IOException e) {
                LOG.warn("The clock's bound stays as it was: {}", e.toString());
            }
        }
    }
}

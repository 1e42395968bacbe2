package dev.quorate.cli.client;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers several batches at once. The caller waits while as many are on their way as the nodes
 * take, or as memory allows.
 *
 * <p>Batches begin in the order in which they are given. After a failure none begins any more, and
 * those that have begun are ended: so everything before the first failure, in the order of lines,
 * is done.
 *
 * <p>The lock guards all fields that change; nothing is sent with it held.
 */
final class ImportLanes implements AutoCloseable {

    /** For each node: one batch is stored while the next one is on its way. */
    private static final int LANES_PER_NODE = 2;

    private static final int MIN_LANES = 4;
    private static final int MAX_LANES = 16;

    /** On their way at once; a larger batch, which is a single large value, goes alone. */
    private static final long MAX_BYTES = 8 << 20;

    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("import-", 0).factory());
    private final ArrayDeque<ImportLane> free = new ArrayDeque<>();
    private final ImportWindow window;
    private int inFlight;
    private long inFlightBytes;
    private ImportLane.@Nullable Failure failure;
    private @Nullable Throwable bug;

    /** Makes lanes. */
    @FunctionalInterface
    interface Maker {

        /**
         * Makes a lane.
         *
         * @param first the number of the node that it begins with
         */
        ImportLane lane(int first, BooleanSupplier pause);
    }

    ImportLanes(int nodes, BooleanSupplier pause, Maker maker) {
        int lanes = Math.clamp((long) LANES_PER_NODE * nodes, MIN_LANES, MAX_LANES);
        window = new ImportWindow(lanes);
        BooleanSupplier unlessFailed = () -> !hasFailed() && pause.getAsBoolean();
        for (int i = 0; i < lanes; i++) {
            free.add(maker.lane(i % nodes, unlessFailed));
        }
    }

    /** Delivers a batch, on a thread of its own; waits until it may begin. */
    void deliver(List<ImportItem> batch) throws InterruptedException {
        long bytes = batch.stream().mapToLong(ImportItem::bytes).sum();
        ImportLane lane;
        synchronized (this) {
            while (inFlight > 0
                    && (inFlight >= window.size() || inFlightBytes + bytes > MAX_BYTES)) {
                wait();
            }
            if (hasFailed()) {
                return;
            }
            inFlight++;
            inFlightBytes += bytes;
            lane = free.removeFirst();
        }
        threads.execute(() -> run(lane, batch, bytes));
    }

    private void run(ImportLane lane, List<ImportItem> batch, long bytes) {
        ImportLane.Outcome outcome = null;
        Throwable thrown = null;
        try {
            outcome = lane.deliver(batch);
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        synchronized (this) {
            if (outcome == null) {
                bug = thrown;
            } else {
                window.ended(outcome.wasTurnedAway());
                ImportLane.Failure failed = outcome.failure();
                if (failed != null && (failure == null || failed.line() < failure.line())) {
                    failure = failed;
                }
            }
            inFlight--;
            inFlightBytes -= bytes;
            free.add(lane);
            notifyAll();
        }
    }

    /** Whether a batch has failed: to give more is of no use. */
    synchronized boolean hasFailed() {
        return failure != null || bug != null;
    }

    /** Waits until every batch has ended; returns the failure with the lowest line. */
    synchronized ImportLane.@Nullable Failure await() throws InterruptedException {
        while (inFlight > 0) {
            wait();
        }
        if (bug != null) {
            throw new IllegalStateException("a batch failed by a bug", bug);
        }
        return failure;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        synchronized (this) {
            free.forEach(ImportLane::close);
        }
    }
}

package dev.quorate.router.replica;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs reads that wait for the disk: a few threads, named {@code read-0} and so on, behind a queue
 * of limited length. Further reads are rejected at once.
 */
public final class ReadExecutor extends ThreadPoolExecutor {

    public ReadExecutor(int threads, int queued) {
        super(
                threads,
                threads,
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(queued),
                Thread.ofPlatform().name("read-", 0).daemon().factory());
        allowCoreThreadTimeOut(true);
    }

    /** Accepts no more reads; accepted ones continue. */
    @Override
    public void close() {
        shutdown();
    }
}

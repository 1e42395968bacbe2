package dev.quorate.router.replica;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits the number of reads of one kind that wait in an executor, so that clients' reads leave
 * room for those of peers.
 */
public final class ShareOfReads implements Executor {

    private final Executor all;
    private final int most;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param all runs these reads, and others
     * @param most the maximum number of these reads that may wait
     */
    public ShareOfReads(Executor all, int most) {
        this.all = all;
        this.most = most;
    }

    /**
     * @throws RejectedExecutionException if too many wait
     */
    @Override
    public void execute(Runnable read) {
        if (waiting.incrementAndGet() > most) {
            waiting.decrementAndGet();
            throw new RejectedExecutionException("too many reads wait");
        }
        try {
            all.execute(
                    () -> {
                        waiting.decrementAndGet();
                        read.run();
                    });
        } catch (RejectedExecutionException e) {
            waiting.decrementAndGet();
            throw e;
        }
    }
}

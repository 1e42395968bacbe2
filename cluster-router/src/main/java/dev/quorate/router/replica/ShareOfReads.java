package dev.quorate.router.replica;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits how many reads of one kind may wait in an executor: however many reads clients send to
 * this node, there is room for those of its peers.
 */
public final class ShareOfReads implements Executor {

    private final Executor all;
    private final int most;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param all runs them, with those of others
     * @param most the most that may wait there through this
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

package dev.quorate.node.replica;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A part of what may wait for threads that read, for those who could otherwise take all of it:
 * however many reads clients bring to this node, there is room left for those of its peers.
 */
public final class ShareOfReads implements Executor {

    private final Executor all;
    private final int most;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param all where they run, together with others'
     * @param most may wait there by way of this
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

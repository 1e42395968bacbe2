package dev.quorate.storage.wal;

import dev.quorate.storage.StorageException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the results of the log task to the completion task, in order. Bounded by {@link
 * WriteQueue}, which counts a write until it leaves this queue.
 */
final class CompletionQueue {

    /** The handling of each result. */
    private final Queue<Runnable> items = new ConcurrentLinkedQueue<>();

    private final SerialTask task;
    private final WriteQueue queue;
    private final CommitListener listener;
    private final Runnable whenEmpty;

    /** Items added and not yet handled. */
    private final AtomicInteger unhandled = new AtomicInteger();

    private final Consumer<Throwable> onBug;

    /**
     * @param whenEmpty run by the completion task whenever every item is handled
     */
    CompletionQueue(
            Executor executor,
            WriteQueue queue,
            CommitListener listener,
            Runnable whenEmpty,
            Consumer<Throwable> onBug) {
        this.task = new SerialTask(executor, this::run);
        this.queue = queue;
        this.listener = listener;
        this.whenEmpty = whenEmpty;
        this.onBug = onBug;
    }

    /**
     * Adds writes that are durable.
     *
     * @param memtableBytes the approximate size of the entries in the memtable
     * @param here whether to run the completion task on this thread, unless it is already running
     */
    void committed(
            SegmentUsage usage, List<PendingWrite> writes, long memtableBytes, boolean here) {
        add(
                () -> {
                    // Before the completion, so that a writer's next write is not rejected because
                    // of this one.
                    queue.release(writes);
                    usage.applied(memtableBytes, listener.committed(writes));
                });
        if (!here || !task.runNow()) {
            task.schedule();
        }
    }

    void rolled(long next) {
        add(() -> listener.rolled(next));
        task.schedule();
    }

    void rejected(List<PendingWrite> writes, StorageException cause) {
        add(
                () -> {
                    queue.release(writes);
                    for (PendingWrite write : writes) {
                        write.completion().failed(cause);
                    }
                });
        task.schedule();
    }

    /** Completes {@code mark} after every earlier result. */
    void passed(CompletableFuture<@Nullable Void> mark) {
        add(() -> mark.complete(null));
        task.schedule();
    }

    private void add(Runnable item) {
        unhandled.incrementAndGet();
        items.add(item);
    }

    /** Whether any item is not yet handled. */
    boolean isBusy() {
        return unhandled.get() > 0;
    }

    boolean runPending() {
        return task.tryRun();
    }

    private void run() {
        try {
            Runnable item = items.poll();
            while (item != null) {
                item.run();
                if (unhandled.decrementAndGet() == 0) {
                    whenEmpty.run();
                }
                item = items.poll();
            }
        } catch (RuntimeException | Error e) {
            onBug.accept(e);
            throw e;
        }
    }
}

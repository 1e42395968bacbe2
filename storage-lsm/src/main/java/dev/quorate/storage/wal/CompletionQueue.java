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

    /** A result of the log task. */
    sealed interface Item {

        /**
         * Writes that are durable.
         *
         * @param memtableBytes the approximate size of the entries in the memtable
         */
        record Committed(SegmentUsage usage, List<PendingWrite> writes, long memtableBytes)
                implements Item {}

        record Rolled(long next) implements Item {}

        record Rejected(List<PendingWrite> writes, StorageException cause) implements Item {}

        /** Completes {@code mark} after every earlier item. */
        record Passed(CompletableFuture<@Nullable Void> mark) implements Item {}
    }

    private final Queue<Item> items = new ConcurrentLinkedQueue<>();
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

    void put(Item item) {
        unhandled.incrementAndGet();
        items.add(item);
        task.schedule();
    }

    /** Adds an item and runs the completion task on this thread, unless it is already running. */
    void putAndRun(Item item) {
        unhandled.incrementAndGet();
        items.add(item);
        if (!task.runNow()) {
            task.schedule();
        }
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
            Item item = items.poll();
            while (item != null) {
                handle(item);
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

    private void handle(Item item) {
        switch (item) {
            case Item.Committed(
                            SegmentUsage usage,
                            List<PendingWrite> writes,
                            long memtableBytes) -> {
                // Before the completion, so that a writer's next write is not rejected because of
                // this one.
                queue.release(writes);
                usage.applied(memtableBytes, listener.committed(usage.segment(), writes));
            }
            case Item.Rolled(long next) -> listener.rolled(next);
            case Item.Rejected(List<PendingWrite> writes, StorageException cause) -> {
                queue.release(writes);
                for (PendingWrite write : writes) {
                    write.completion().failed(cause);
                }
            }
            case Item.Passed(CompletableFuture<@Nullable Void> mark) -> mark.complete(null);
        }
    }
}

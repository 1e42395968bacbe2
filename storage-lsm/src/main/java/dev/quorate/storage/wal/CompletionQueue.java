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
 * Hands what the log task has finished to the completion task, in order. The queue in front of the
 * log bounds it: a write counts there until it leaves here.
 */
final class CompletionQueue {

    /** What the log task hands on. */
    sealed interface Item {

        /**
         * Writes that are durable.
         *
         * @param heapBytes about what the entries will take in the memtable
         */
        record Committed(SegmentUsage usage, List<PendingWrite> writes, long heapBytes)
                implements Item {}

        record Rolled(long next) implements Item {}

        record Refused(List<PendingWrite> writes, StorageException cause) implements Item {}

        /** Everything before this was seen. */
        record Passed(CompletableFuture<@Nullable Void> mark) implements Item {}
    }

    private final Queue<Item> items = new ConcurrentLinkedQueue<>();
    private final SerialTask task;
    private final WriteQueue queue;
    private final GroupCommit.Listener listener;
    private final Runnable whenEmpty;

    /** Items put here and not yet handled. */
    private final AtomicInteger underWay = new AtomicInteger();

    private final Consumer<Throwable> onBug;

    /**
     * @param whenEmpty run by the completion task whenever all was handled
     */
    CompletionQueue(
            Executor executor,
            WriteQueue queue,
            GroupCommit.Listener listener,
            Runnable whenEmpty,
            Consumer<Throwable> onBug) {
        this.task = new SerialTask(executor, this::run);
        this.queue = queue;
        this.listener = listener;
        this.whenEmpty = whenEmpty;
        this.onBug = onBug;
    }

    void put(Item item) {
        underWay.incrementAndGet();
        items.add(item);
        task.schedule();
    }

    /** Hands on, and does on this thread what follows, unless the task is at work already. */
    void putAndRun(Item item) {
        underWay.incrementAndGet();
        items.add(item);
        if (!task.runNow()) {
            task.schedule();
        }
    }

    /** Whether something put here is not handled yet. */
    boolean isTelling() {
        return underWay.get() > 0;
    }

    boolean help() {
        return task.tryRun();
    }

    private void run() {
        try {
            Item item = items.poll();
            while (item != null) {
                handle(item);
                if (underWay.decrementAndGet() == 0) {
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
            case Item.Committed(SegmentUsage usage, List<PendingWrite> writes, long heapBytes) -> {
                // First, so that a writer that goes on at once is not refused for its last write.
                queue.release(writes);
                usage.applied(heapBytes, listener.committed(usage.segment(), writes));
            }
            case Item.Rolled(long next) -> listener.rolled(next);
            case Item.Refused(List<PendingWrite> writes, StorageException cause) -> {
                queue.release(writes);
                for (PendingWrite write : writes) {
                    write.completion().failed(cause);
                }
            }
            case Item.Passed(CompletableFuture<@Nullable Void> mark) -> mark.complete(null);
        }
    }
}

package dev.quorate.storage.engine;

import dev.quorate.storage.Figures;
import dev.quorate.storage.Kept;
import dev.quorate.storage.sstable.TableMetadata;
import dev.quorate.storage.wal.GroupCommit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Determines which tables may contain entries that the caller wants discarded.
 *
 * <p>Numbers of tables increase. So once the memtables from the time of the request are flushed and
 * no merge is running, each later table has a larger number than those that exist: its entries were
 * tested by a merge, or written after the request.
 */
final class Discards {

    /** A test that counts. Its other fields are used by the task of compaction alone. */
    private final class Request implements Kept {
        private final Kept keep;
        private final Runnable whenDone;

        /** The memtables that may contain entries from before the request. */
        private @Nullable CompletableFuture<List<SegmentMemtable>> sealed;

        /** Tables with smaller numbers are untested; 0 while those are unknown. */
        private long firstTested;

        Request(Kept keep, Runnable whenDone) {
            this.keep = keep;
            this.whenDone = whenDone;
        }

        @Override
        public boolean keeps(byte[] key, int from) {
            boolean kept = keep.keeps(key, from);
            if (!kept) {
                discarded.increment();
            }
            return kept;
        }
    }

    private final LiveVersion live;
    private final GroupCommit commit;
    private final Runnable recheck;
    private final LongAdder discarded = new LongAdder();
    private final AtomicReference<@Nullable Request> current = new AtomicReference<>();

    /**
     * @param recheck schedules the task of compaction
     */
    Discards(LiveVersion live, GroupCommit commit, Runnable recheck) {
        this.live = live;
        this.commit = commit;
        this.recheck = recheck;
    }

    void register(Figures figures) {
        String what = "Entries of keys that moved away, left out by compactions, finished or not.";
        figures.counter("entries_discarded", what, discarded::sum);
        figures.gauge(
                "discarding",
                "1 while entries of keys that moved away are deleted.",
                () -> current.get() == null ? 0 : 1);
    }

    /** See {@link dev.quorate.storage.KeyValueStore#discard}. */
    void begin(Kept keep, Runnable whenDone) {
        current.set(new Request(keep, whenDone));
        recheck.run();
    }

    /** The test for the entries of a merge that begins now; null if all are kept. */
    @Nullable Kept kept() {
        return current.get();
    }

    /**
     * The numbers of the tables to rewrite. Once there are none, notifies the caller. Called by the
     * task of compaction while no merge is running.
     */
    List<Long> untested() {
        Request request = current.get();
        if (request == null || !isFlushed(request)) {
            return List.of();
        }
        if (request.firstTested == 0) {
            request.firstTested = live.takeFileNumber();
        }
        List<Long> numbers =
                live.tables().stream()
                        .map(TableMetadata::number)
                        .filter(number -> number < request.firstTested)
                        .toList();
        if (numbers.isEmpty() && current.compareAndSet(request, null)) {
            request.whenDone.run();
        }
        return numbers;
    }

    /** Whether all writes from before the request are in tables; flushes them. */
    @SuppressWarnings("FutureReturnValueIgnored") // A full disk fails it: the next call retries.
    private boolean isFlushed(Request request) {
        CompletableFuture<List<SegmentMemtable>> sealed = request.sealed;
        if (sealed == null || sealed.isCompletedExceptionally()) {
            // Writes may still be in the log's queue, where a roll overtakes them.
            sealed =
                    commit.mark()
                            .thenCompose(none -> commit.roll())
                            .thenApply(none -> live.current().sealed());
            request.sealed = sealed;
            sealed.thenRun(recheck);
        }
        return sealed.state() == Future.State.SUCCESS
                && Collections.disjoint(sealed.resultNow(), live.current().sealed());
    }
}

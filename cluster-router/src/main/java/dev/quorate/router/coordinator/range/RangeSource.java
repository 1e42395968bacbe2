package dev.quorate.router.coordinator.range;

import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Trace;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.replica.Replica;
import dev.quorate.storage.Entry;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One replica's part of a range: a page at a time. Pages need no budget: they leave out long
 * values, and few ranges have their turn. Used by one thread at a time.
 */
final class RangeSource {

    private final View view;
    private final Replica replica;
    private final @Nullable TraceParent trace;
    private final int pageBytes;

    private ScanRange remaining;
    private List<Entry> page = List.of();
    private int position;
    private boolean last;
    private boolean isCut;
    private boolean awaiting;
    private boolean wasAsked;
    private int listed;
    private long askedNanos;
    private @Nullable Failed failure;

    /** The answer that has arrived and is not absorbed yet; handed over between threads. */
    private volatile @Nullable ReplicaAnswer arrived;

    /** When the last answer arrived, in {@code Ticker.nanos} time; set before {@link #arrived}. */
    private volatile long arrivedNanos;

    RangeSource(
            View view,
            Replica replica,
            ScanRange range,
            @Nullable TraceParent trace,
            int pageBytes) {
        this.view = view;
        this.replica = replica;
        this.remaining = range;
        this.trace = trace;
        this.pageBytes = pageBytes;
    }

    Replica replica() {
        return replica;
    }

    /** Requests the next page; {@code onArrival} runs when it has arrived, perhaps at once. */
    void fetch(long deadlineNanos, LongSupplier nanoClock, Runnable onArrival) {
        awaiting = true;
        wasAsked = true;
        askedNanos = nanoClock.getAsLong();
        replica.ask(
                new ReplicaRequest.ScanPage(
                        remaining.start(),
                        remaining.end(),
                        pageBytes,
                        remaining.order(),
                        remaining.keysOnly()),
                deadlineNanos,
                new AskedReplica(view, trace) {

                    @Override
                    public void answered(ReplicaAnswer answer) {
                        arrivedNanos = nanoClock.getAsLong();
                        arrived = view.counted(replica, answer);
                        onArrival.run();
                    }
                });
    }

    void absorb() {
        ReplicaAnswer answer = arrived;
        if (answer == null) {
            return;
        }
        arrived = null;
        awaiting = false;
        switch (answer) {
            case ReplicaAnswer.Page next -> openPage(next);
            case ReplicaAnswer other -> {
                failure = other.failure();
                release();
            }
        }
    }

    private void openPage(ReplicaAnswer.Page next) {
        page = next.entries();
        listed += page.size();
        position = 0;
        last = next.last();
        isCut = next.isCut();
        if (!page.isEmpty()) {
            remaining = remaining.after(page.getLast().key());
        }
    }

    /** The reply of this replica so far. */
    Reply reply() {
        String name = replica.member().name();
        Failed failed = failure;
        if (awaiting || !wasAsked) {
            Result none = wasAsked ? Result.NotAwaited.NOT_AWAITED : Result.NotAsked.NOT_ASKED;
            return new Reply(name, none, Reply.NO_TIME);
        }
        Result result =
                failed == null
                        ? new Result.Listed(listed)
                        : new Result.Failed(failed.reason(), failed.detail());
        return new Reply(name, result, Trace.micros(arrivedNanos - askedNanos));
    }

    void release() {
        page = List.of();
        position = 0;
    }

    /** Drops its page; the entries of it that were not read will be requested again. */
    void dropPage() {
        Entry head = head();
        if (head != null) {
            remaining = remaining.from(head.key());
            last = false;
            listed -= page.size() - position;
        }
        release();
    }

    boolean isAwaiting() {
        return awaiting;
    }

    @Nullable Failed failure() {
        return failure;
    }

    /** Whether it was in another epoch than the range. */
    boolean isStale() {
        return failure != null && failure.reason() == Failure.STALE;
    }

    /** Whether it has to request another page. */
    boolean needsPage() {
        return failure == null && position == page.size() && !last;
    }

    /** Whether its page has further entries. */
    boolean hasMore() {
        return position < page.size();
    }

    /** Its next entry; null if it is dry, at its end, or has failed. */
    @Nullable Entry head() {
        return position < page.size() ? page.get(position) : null;
    }

    /** Whether the value of its next entry was left out, because it is longer than a page. */
    boolean isCut() {
        return isCut && position == page.size() - 1;
    }

    void advance() {
        position++;
    }
}

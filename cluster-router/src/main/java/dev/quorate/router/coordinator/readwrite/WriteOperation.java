package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.Redo;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A write in progress: asks, stamps and answers as its {@link WriteRound}s decide. Its lock guards
 * the rounds; no replica and no client is called with it held.
 */
public final class WriteOperation {

    private final OperationContext context;
    private final View view;
    private final Replica[] replicas;
    private final long deadlineNanos;
    private final Ending ending;
    private final OutcomeCallback callback;
    private final WriteRound first;

    /** Runs when no replica needs the value any more; null if its memory is not counted. */
    private @Nullable Runnable release;

    /** Counts replicas yet to answer, and loops that still ask. Used if {@code release} is set. */
    private final AtomicInteger users = new AtomicInteger();

    /**
     * Creates a write that has asked no replica yet.
     *
     * @param view in which it was planned
     * @param replicas the owners of the key, in the order in which they are asked
     * @param first its first round, with the same owners
     * @param deadlineNanos in {@code Ticker.nanos} time
     */
    public WriteOperation(
            OperationContext context,
            View view,
            Replica[] replicas,
            WriteRound first,
            long deadlineNanos,
            Ending ending,
            OutcomeCallback callback) {
        this.context = context;
        this.view = view;
        this.replicas = replicas;
        this.deadlineNanos = deadlineNanos;
        this.ending = ending;
        this.callback = callback;
        this.first = first;
    }

    /** Asks every replica, unless those asked so far have made the quorum impossible. */
    public void start() {
        release = callback.retainValue();
        start(first);
    }

    private void start(WriteRound round) {
        uses();
        WriteRound.Step step = next(round);
        while (step instanceof WriteRound.Step.Ask(int index, boolean isNeeded)) {
            uses();
            replicas[index].ask(round.request(), deadlineNanos, asked(round, index, isNeeded));
            step = next(round);
        }
        execute(step, round);
        usedNoMore();
    }

    private void uses() {
        if (release != null) {
            users.incrementAndGet();
        }
    }

    private void usedNoMore() {
        Runnable last = release;
        if (last != null && users.decrementAndGet() == 0) {
            last.run();
        }
    }

    private synchronized WriteRound.Step next(WriteRound round) {
        return round.next();
    }

    private AskedReplica asked(WriteRound round, int index, boolean isNeeded) {
        return new AskedReplica(view, callback.trace()) {

            @Override
            public boolean isNeeded() {
                return isNeeded;
            }

            @Override
            public void answered(ReplicaAnswer answer) {
                ReplicaAnswer counted = view.counted(replicas[index], answer);
                WriteOperation.this.answered(round, index, counted, leftNanos());
            }
        };
    }

    private void answered(WriteRound round, int index, ReplicaAnswer answer, long leftNanos) {
        long nowNanos = context.nanos();
        WriteRound.Step step;
        synchronized (this) {
            round.onSent(index, leftNanos);
            step = round.answered(index, answer, nowNanos);
        }
        execute(step, round);
        usedNoMore();
    }

    private void execute(WriteRound.Step step, WriteRound round) {
        switch (step) {
            case WriteRound.Step.Wait wait -> {}
            case WriteRound.Step.Ask ask -> throw new AssertionError(ask);
            case WriteRound.Step.Acknowledge(Outcome.Written written, long missed) ->
                    acknowledge(round, written, missed);
            case WriteRound.Step.Restamp(Timestamp newest) -> restamp(round, newest);
            case WriteRound.Step.Fail(Outcome outcome) -> {
                if (outcome instanceof Outcome.QuorumFailed failed && failed.isStale()) {
                    uses();
                    new Redo(
                                    context,
                                    view,
                                    deadlineNanos,
                                    () -> repeat(round),
                                    () -> fail(round, outcome))
                            .expire();
                } else {
                    ending.ended(outcome, callback, explanation(round, outcome));
                }
            }
            case WriteRound.Step.Hint(int index) ->
                    context.hints().missed(replicas[index].member(), round.request().entry());
        }
    }

    private void fail(WriteRound round, Outcome outcome) {
        ending.ended(outcome, callback, explanation(round, outcome));
        usedNoMore();
    }

    /** Repeats the round in the current epoch: the same write, perhaps with other owners. */
    private void repeat(WriteRound round) {
        View next = context.view();
        byte[] key = round.request().entry().key();
        QuorumSpec planned = round.electorate().spec();
        QuorumSpec spec = round.request().entry().from() == 0 ? planned.asDefault() : planned;
        long nowNanos = context.nanos();
        Replica[] owners = next.inAskOrder(key, spec, Lane.WRITE, nowNanos);
        WriteRound repeated;
        synchronized (this) {
            repeated = round.repeated(next.electorate(key, spec, owners), owners, nowNanos);
        }
        new WriteOperation(context, next, owners, repeated, deadlineNanos, ending, callback)
                .start();
        usedNoMore();
    }

    private void acknowledge(WriteRound round, Outcome.Written written, long missed) {
        Entry entry = round.request().entry();
        Explanation explanation =
                callback.isExplained() ? explanation(round, hinted(entry, missed)) : null;
        ending.ended(written, callback, explanation);
        for (int i = 0; missed >>> i != 0; i++) {
            if ((missed >>> i & 1) != 0) {
                context.hints().missed(replicas[i].member(), entry);
            }
        }
    }

    private List<String> hinted(Entry entry, long missed) {
        List<String> hinted = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            Member member = replicas[i].member();
            if ((missed >>> i & 1) != 0 && context.hints().isKept(member, entry)) {
                hinted.add(member.name());
            }
        }
        return hinted;
    }

    private @Nullable Explanation explanation(WriteRound round, Outcome outcome) {
        return switch (outcome) {
            case Outcome.QuorumFailed failed -> failed.explanation();
            case Outcome.TooOld tooOld -> tooOld.explanation();
            case Outcome.VersionTaken taken -> taken.explanation();
            case Outcome other -> callback.isExplained() ? explanation(round, List.of()) : null;
        };
    }

    private synchronized Explanation explanation(WriteRound round, List<String> hinted) {
        return round.explanation(hinted);
    }

    private void restamp(WriteRound round, Timestamp newest) {
        String why = null;
        Timestamp timestamp = null;
        if (!context.clock().observe(newest)) {
            why = newest + " is too far ahead of this node's clock";
        } else {
            timestamp = context.clock().next();
            if (timestamp == null) {
                why = "the clock's bound on disk is not renewed in time";
            }
        }
        if (timestamp == null) {
            WriteRound.Step step;
            synchronized (this) {
                step = round.notRestamped(view.local().name(), String.valueOf(why));
            }
            execute(step, round);
            return;
        }
        context.counters().restamps.increment();
        WriteRound next;
        synchronized (this) {
            next = round.restamped(timestamp, context.nanos());
        }
        start(next);
    }
}

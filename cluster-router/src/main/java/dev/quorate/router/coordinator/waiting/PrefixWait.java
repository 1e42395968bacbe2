package dev.quorate.router.coordinator.waiting;

import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.Scheduler.Cancellable;
import dev.quorate.router.topology.Member;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A wait of one client for a change below a prefix: registers at all members, and asks them once
 * more when one of them reports a change, is lost or returns, or the time is over. Their last
 * answers are the client's.
 */
public final class PrefixWait implements Waiting {

    /**
     * The request.
     *
     * @param since the positions that the client has; null to return those of now
     */
    public record Asked(byte[] prefix, @Nullable Positions since, Duration time) {}

    private enum Phase {
        WAITING,
        /** All members are asked once more. */
        ENDING,
        OVER
    }

    private final Wait.Context node;
    private final long id;
    private final Asked asked;
    private final Consumer<@Nullable Positions> answer;
    private final Runnable whenOver;
    private volatile Phase phase = Phase.WAITING;
    private Cancellable timer = () -> {};

    PrefixWait(
            Wait.Context node,
            long id,
            Asked asked,
            Consumer<@Nullable Positions> answer,
            Runnable whenOver) {
        this.node = node;
        this.id = id;
        this.asked = asked;
        this.answer = answer;
        this.whenOver = whenOver;
    }

    @Override
    public void start() {
        Positions since = asked.since();
        if (since == null) {
            changed();
            return;
        }
        Cancellable ending = node.scheduler().after(asked.time(), this::changed);
        synchronized (this) {
            timer = ending;
        }
        ask(
                asked.time().toMillis() + Wait.LONGER_MILLIS,
                now -> {
                    if (now.since(since) != Positions.Change.NONE) {
                        changed();
                    }
                });
        if (phase != Phase.WAITING) {
            // It ended in between, so that a member may have got the registration after its end.
            ask(0, ended -> {});
        }
    }

    /** A member reports a change, or may have lost the registration; or the time is over. */
    @Override
    public void changed() {
        if (moves(Phase.ENDING)) {
            ask(0, now -> end(() -> answer.accept(now)));
        }
    }

    @Override
    public void end(Outcome.@Nullable Refused last) {
        end(last == null ? () -> {} : () -> answer.accept(null));
    }

    private void end(Runnable last) {
        boolean isRegistered = phase == Phase.WAITING;
        if (moves(Phase.OVER)) {
            if (isRegistered) {
                ask(0, ended -> {});
            }
            whenOver.run();
            last.run();
        }
    }

    private synchronized boolean moves(Phase next) {
        timer.cancel();
        boolean isForward = phase.compareTo(next) < 0;
        phase = isForward ? next : phase;
        return isForward;
    }

    /**
     * Asks all members, each of which also registers this wait.
     *
     * @param millis how long the registration lasts; 0 ends it
     */
    private void ask(long millis, Consumer<Positions> receiver) {
        View view = node.operations().view();
        List<Member> members = view.topology().members();
        var request = new ReplicaRequest.Watch(node.self(), id, (int) millis, asked.prefix(), true);
        var now = new Positions(view.topology().fingerprint(), new long[members.size()]);
        AtomicInteger left = new AtomicInteger(members.size());
        long answerByNanos = node.operations().deadlineNanos();
        for (int i = 0; i < members.size(); i++) {
            int index = i;
            Replica member = view.of(members.get(i));
            member.ask(
                    request,
                    answerByNanos,
                    new AskedReplica(view, null) {
                        @Override
                        public void answered(ReplicaAnswer answer) {
                            if (view.counted(member, answer)
                                    instanceof ReplicaAnswer.Counted(long position)) {
                                now.counts()[index] = position;
                            }
                            if (left.decrementAndGet() == 0) {
                                receiver.accept(now);
                            }
                        }
                    });
        }
    }
}

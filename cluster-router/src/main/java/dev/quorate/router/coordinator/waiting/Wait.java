package dev.quorate.router.coordinator.waiting;

import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.coordinator.readwrite.Reads;
import dev.quorate.router.coordinator.waiting.WaitRound.Step;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Scheduler.Cancellable;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A wait of one client for a change of a key: registers, reads, times and answers as its {@link
 * WaitRound} decides. Its lock guards the round; no replica and no client is called with it held.
 */
public final class Wait implements Waiting {

    /** A registration outlives its wait by this, in case the message that ends it is lost. */
    static final long LONGER_MILLIS = 10_000;

    /**
     * The request.
     *
     * @param isSame whether the client still waits while the live value has this version; null if
     *     there is none
     */
    public record Asked(
            byte[] key, QuorumSpec spec, Predicate<@Nullable Timestamp> isSame, Duration time) {}

    /**
     * What the waits of a node share.
     *
     * @param self the number of this member
     */
    record Context(OperationContext operations, Reads reads, Scheduler scheduler, int self) {}

    private final Context node;
    private final OperationContext context;
    private final long id;
    private final Asked asked;
    private final Supplier<OutcomeCallback> answer;
    private final Runnable whenOver;
    private final long deadlineNanos;
    private final WaitRound round;

    /** The owners at which this wait is registered. */
    private List<Replica> owners = List.of();

    private Cancellable timer = () -> {};

    Wait(Context node, long id, Asked asked, Supplier<OutcomeCallback> answer, Runnable whenOver) {
        this.node = node;
        this.context = node.operations();
        this.id = id;
        this.asked = asked;
        this.answer = answer;
        this.whenOver = whenOver;
        this.deadlineNanos = context.nanos() + asked.time().toNanos();
        this.round = new WaitRound(asked.isSame(), deadlineNanos);
    }

    @Override
    public void start() {
        execute(Step.Simple.REGISTER);
    }

    /** An owner reports a write, or may have lost the registration. */
    @Override
    public void changed() {
        step(() -> round.changed(context.nanos()));
    }

    @Override
    public void lost(String member) {
        step(
                () ->
                        owners.stream().anyMatch(each -> each.name().equals(member))
                                ? round.changed(context.nanos())
                                : Step.Simple.REST);
    }

    @Override
    public void end(Outcome.@Nullable Refused last) {
        if (isEnded()) {
            release();
            if (last != null) {
                answer.get().completed(last);
            }
        }
    }

    private synchronized boolean isEnded() {
        return round.end();
    }

    private void step(Supplier<Step> decision) {
        Step step;
        synchronized (this) {
            step = decision.get();
        }
        execute(step);
    }

    private void execute(Step step) {
        switch (step) {
            case Step.Simple.REGISTER -> register();
            case Step.Simple.READ ->
                    node.reads().read(asked.key(), asked.spec(), new Reading(answer.get()));
            case Step.Pause(long untilNanos) -> pause(untilNanos);
            case Step.Simple.REST, Step.Simple.FINISH -> {}
        }
    }

    private synchronized void pause(long untilNanos) {
        timer.cancel();
        Duration pause = Duration.ofNanos(Math.max(0, untilNanos - context.nanos()));
        Runnable passed = () -> step(() -> round.timePassed(context.nanos()));
        timer = node.scheduler().after(pause, passed);
    }

    private void register() {
        View view = context.view();
        Replica[] all = view.owners(asked.key(), asked.spec());
        int number;
        synchronized (this) {
            owners = List.of(all);
            number = round.begin(view.electorate(asked.key(), asked.spec(), all));
        }
        long leftMillis = Math.max(0, (deadlineNanos - context.nanos()) / 1_000_000);
        ReplicaRequest request = watch(leftMillis + LONGER_MILLIS);
        long answerByNanos = context.deadlineNanos();
        for (int i = 0; i < all.length; i++) {
            Replica owner = all[i];
            int index = i;
            owner.ask(
                    request,
                    answerByNanos,
                    new AskedReplica(view, null) {
                        @Override
                        public void answered(ReplicaAnswer given) {
                            ReplicaAnswer counted = view.counted(owner, given);
                            long now = context.nanos();
                            long wall = context.wallMillis();
                            step(() -> round.answered(number, index, counted, now, wall));
                        }
                    });
        }
        if (isOver()) {
            // It ended in between, so that an owner may have got this registration after its end.
            unregister(List.of(all));
        }
    }

    private synchronized boolean isOver() {
        return round.isOver();
    }

    private ReplicaRequest watch(long millis) {
        return new ReplicaRequest.Watch(node.self(), id, (int) millis, asked.key());
    }

    /** Ends the registrations. */
    private void release() {
        List<Replica> registered;
        synchronized (this) {
            timer.cancel();
            registered = owners;
        }
        unregister(registered);
        whenOver.run();
    }

    private void unregister(List<Replica> registered) {
        for (Replica owner : registered) {
            owner.ask(watch(0), context.deadlineNanos(), ignored -> {});
        }
    }

    /** A read, whose outcome is the client's answer if it differs. */
    private final class Reading implements OutcomeCallback {

        private final OutcomeCallback client;
        private HeldRoom room = HeldRoom.NONE;

        Reading(OutcomeCallback client) {
            this.client = client;
        }

        @Override
        public @Nullable TraceParent trace() {
            return client.trace();
        }

        @Override
        public boolean isExplained() {
            return client.isExplained();
        }

        @Override
        public void acceptRoom(HeldRoom valueRoom) {
            room = valueRoom;
        }

        @Override
        public void completed(Outcome outcome) {
            if (isAnswer(outcome)) {
                client.completed(outcome);
            }
        }

        @Override
        public void completed(Outcome outcome, Explanation explanation) {
            if (isAnswer(outcome)) {
                client.completed(outcome, explanation);
            }
        }

        private boolean isAnswer(Outcome outcome) {
            boolean isSame =
                    switch (outcome) {
                        case Outcome.Found(var entry) -> asked.isSame().test(entry.timestamp());
                        case Outcome.Missing missing -> asked.isSame().test(null);
                        case Outcome.Refused refused -> refused.isOverload(); // read again later
                        case Outcome other -> false;
                    };
            Step step;
            synchronized (Wait.this) {
                step = round.read(isSame, context.nanos());
            }
            if (step == Step.Simple.FINISH) {
                release();
                client.acceptRoom(room);
                return true;
            }
            room.release();
            execute(step);
            return false;
        }
    }
}

package dev.quorate.router.coordinator.readwrite;

import dev.quorate.router.coordinator.operation.AskedReplica;
import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.Redo;
import dev.quorate.router.coordinator.operation.ValueRoom;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Owner;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.HeldRoom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read in progress: asks, times and answers as its {@link ReadRound} decides. Its lock guards the
 * round; no replica and no client is called with it held.
 */
public final class ReadOperation implements Deadlines.Expiring {

    private final OperationContext context;
    private final byte[] key;
    private final QuorumSpec spec;
    private final View view;
    private final Replica[] replicas;
    private final long begunNanos;
    private final long deadlineNanos;
    private final boolean isDeferredRepair;
    private final Ending ending;
    private final OutcomeCallback callback;
    private final ReadRound round;

    /** The size of a value for which there is room, because this read has waited for it. */
    private long grantedBytes;

    /** The size of a value for which room is reserved, and which is in memory. */
    private long heldBytes;

    /** Number of replicas that have not answered a repair. */
    private int repairing;

    /** The room of a large value that a repair still needs after the read is over. */
    private HeldRoom repairRoom = HeldRoom.NONE;

    /** The size of the value for which there was no room; 0 if there was. */
    private long wantedBytes;

    /** When the read becomes late, for the first or the second time. */
    private long lateNanos;

    /**
     * Creates a read that has asked no replica yet.
     *
     * @param deadlineNanos in {@code Ticker.nanos} time
     * @param isDeferredRepair whether another read has deferred this read, which repairs the key
     */
    public ReadOperation(
            OperationContext context,
            byte[] key,
            QuorumSpec spec,
            long deadlineNanos,
            boolean isDeferredRepair,
            Ending ending,
            OutcomeCallback callback) {
        this.context = context;
        this.key = key;
        this.spec = spec;
        this.begunNanos = context.nanos();
        this.view = context.view();
        this.replicas = view.inAskOrder(key, spec, Lane.READ, begunNanos);
        this.deadlineNanos = deadlineNanos;
        this.isDeferredRepair = isDeferredRepair;
        this.ending = ending;
        this.callback = callback;
        this.round =
                new ReadRound(
                        view.electorate(key, spec, replicas),
                        view.placement().effectiveFrom(0),
                        replicas,
                        begunNanos,
                        context.wallMillis(),
                        isDeferredRepair);
    }

    /** Repeats a read, with room for a value of {@code grantedBytes}. */
    private ReadOperation(ReadOperation other, long grantedBytes) {
        this(
                other.context,
                other.key,
                other.spec,
                other.deadlineNanos,
                other.isDeferredRepair,
                other.ending,
                other.callback);
        this.grantedBytes = grantedBytes;
    }

    /** Asks the first replicas, and watches for the read becoming late. */
    public void start() {
        execute(next());
        if (mayBecomeLate()) {
            context.deadlines().watch(this);
        }
    }

    private synchronized ReadRound.Step next() {
        return round.next();
    }

    private synchronized boolean mayBecomeLate() {
        lateNanos = begunNanos + context.lateReads().nanos();
        return !round.isComplete();
    }

    @Override
    public synchronized boolean isComplete() {
        return round.isComplete();
    }

    @Override
    public synchronized long deadlineNanos() {
        return lateNanos;
    }

    @Override
    public void expire() {
        ReadRound.Step step;
        synchronized (this) {
            lateNanos += context.lateReads().nanos();
            step = round.onDelay();
        }
        context.counters().hedges.increment();
        execute(step);
        if (!isComplete()) {
            context.deadlines().watch(this);
        }
    }

    /** Takes this step and the steps that follow immediately. */
    private void execute(ReadRound.Step first) {
        ReadRound.Step step = first;
        while (step instanceof ReadRound.Step.Ask(int index, boolean isForEntry)) {
            ReplicaRequest request =
                    isForEntry ? new ReplicaRequest.Read(key) : new ReplicaRequest.ReadDigest(key);
            replicas[index].ask(request, deadlineNanos, asked(index));
            step = next();
        }
        switch (step) {
            case ReadRound.Step.Wait wait -> {}
            case ReadRound.Step.Ask ask -> throw new AssertionError(ask);
            case ReadRound.Step.Answer(Outcome outcome, boolean isRepairDeferred) ->
                    finish(outcome, isRepairDeferred);
            case ReadRound.Step.Fail(Outcome outcome) -> finish(outcome, false);
            case ReadRound.Step.Repair repair -> repair(repair);
            case ReadRound.Step.DeferRepair defer ->
                    context.deferredRepairs().enqueue(key, spec.from());
        }
    }

    private AskedReplica asked(int index) {
        return new AskedReplica(view, callback.trace()) {

            @Override
            public void answered(ReplicaAnswer answer) {
                ReplicaAnswer counted = view.counted(replicas[index], answer);
                ReadOperation.this.answered(index, counted, leftNanos());
            }
        };
    }

    private void answered(int index, ReplicaAnswer answer, long leftNanos) {
        long nowNanos = context.nanos();
        ReadRound.Step step;
        long freedBytes;
        synchronized (this) {
            round.onSent(index, leftNanos);
            int before = round.replacements();
            long bytes = round.bytesToHold(answer);
            boolean isGranted = bytes > 0 && context.values().suffices(grantedBytes, bytes);
            boolean fits = bytes > 0 && !isGranted && context.values().suffices(heldBytes, bytes);
            boolean hasRoom = bytes == 0 || isGranted || fits || context.values().tryTake(bytes);
            step = round.answered(index, answer, hasRoom, nowNanos);
            if (!hasRoom) {
                wantedBytes = bytes;
            }
            if (fits) {
                freedBytes = 0; // It has the room of the older value, which it replaces.
            } else if (round.replacements() == before) {
                freedBytes = hasRoom && !isGranted ? bytes : 0;
            } else {
                freedBytes = heldBytes;
                heldBytes = isGranted ? grantedBytes : bytes;
                grantedBytes = isGranted ? 0 : grantedBytes;
            }
        }
        context.values().release(freedBytes);
        boolean isReached =
                step instanceof ReadRound.Step.Answer || step instanceof ReadRound.Step.Repair;
        if (isReached && index > 0) {
            context.lateReads().recordDuration(nowNanos - begunNanos);
        }
        execute(step);
    }

    private void repair(ReadRound.Step.Repair step) {
        QuorumSpec ofOwners = QuorumSpec.majority(step.from());
        Replica[] owners = view.owners(key, ofOwners);
        Electorate majority = view.electorate(key, ofOwners, owners);
        RepairRound repair;
        ReadRound.Step next;
        synchronized (this) {
            repair = round.repair(owners, majority, context.nanos());
            next = round.repaired(repair.begun());
        }
        execute(next);
        List<Owner> targets = repair.targets();
        if (targets.isEmpty()) {
            return;
        }
        context.counters().readRepairs.increment();
        ReplicaRequest request = ReplicaRequest.Write.copyOf(step.entry());
        synchronized (this) {
            repairing += targets.size();
        }
        for (int i = 0; i < targets.size(); i++) {
            int target = i;
            // The client waits until enough replicas store it, so late replicas are asked too.
            Replica replica = view.of(targets.get(i).member()).evenIfLate();
            replica.ask(request, deadlineNanos, askedToStore(repair, target, replica));
        }
    }

    private AnswerCallback askedToStore(RepairRound repair, int target, Replica replica) {
        return new AskedReplica(view, null) {

            @Override
            public void answered(ReplicaAnswer answer) {
                repairAnswered(repair, target, view.counted(replica, answer));
            }
        };
    }

    private void repairAnswered(RepairRound repair, int target, ReplicaAnswer answer) {
        long nowNanos = context.nanos();
        ReadRound.Step step;
        HeldRoom unused = HeldRoom.NONE;
        synchronized (this) {
            step = round.repaired(repair.answered(target, answer, nowNanos));
            repairing--;
            if (repairing == 0) {
                unused = repairRoom;
                repairRoom = HeldRoom.NONE;
            }
        }
        unused.release();
        execute(step);
    }

    private void finish(Outcome outcome, boolean isRepairDeferred) {
        Explanation explanation = explanation(outcome, isRepairDeferred);
        long held;
        long spare;
        long wanted;
        HeldRoom large = HeldRoom.NONE;
        boolean isStale;
        synchronized (this) {
            isStale = outcome instanceof Outcome.QuorumFailed failed && failed.isStale();
            held = heldBytes;
            if (ValueRoom.isLarge(held)) {
                large = context.values().transfer(held);
                repairRoom = repairing > 0 ? large.share() : HeldRoom.NONE;
            }
            spare = grantedBytes;
            wanted = wantedBytes;
            heldBytes = 0;
            grantedBytes = 0;
            round.forget();
        }
        context.values().release(spare);
        if (!ValueRoom.isLarge(held)) {
            context.values().release(held);
        } else if (outcome instanceof Outcome.Found) {
            callback.acceptRoom(large);
        } else {
            large.release();
        }
        if (outcome instanceof Outcome.Refused && ValueRoom.isLarge(wanted)) {
            Runnable giveUp = () -> ending.ended(outcome, callback, explanation);
            Runnable again = () -> new ReadOperation(this, wanted).start();
            context.values().await(wanted, deadlineNanos, context.deadlines(), again, giveUp);
            return;
        }
        if (isStale) {
            Runnable again = () -> new ReadOperation(this, 0).start();
            Runnable giveUp = () -> ending.ended(outcome, callback, explanation);
            new Redo(context, view, deadlineNanos, again, giveUp).expire();
            return;
        }
        ending.ended(outcome, callback, explanation);
        if (isRepairDeferred) {
            context.deferredRepairs().enqueue(key, spec.from());
        }
    }

    private @Nullable Explanation explanation(Outcome outcome, boolean isRepairDeferred) {
        if (!callback.isExplained()) {
            return null;
        }
        if (outcome instanceof Outcome.QuorumFailed failed) {
            return failed.explanation();
        }
        synchronized (this) {
            return round.explanation(outcome, isRepairDeferred);
        }
    }
}

package dev.quorate.node.membership;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Exchanges states with all other members: on request, and after a round of repairs that has
 * changed this member's state.
 */
public final class Announcements {

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(1);

    /**
     * Another member.
     *
     * @param replica the member, asked in the repair lane
     * @param isUp whether the member answers; a member that is down must not be asked too often
     */
    public record OtherMember(Replica replica, BooleanSupplier isUp) {}

    private final Membership membership;
    private final Supplier<List<OtherMember>> others;
    private final Ticker ticker;

    /** {@link Watermark#completeMillis} after the last round of repairs; -1 before the first. */
    private final AtomicLong completeMillis = new AtomicLong(-1);

    /**
     * @param others returns the other members of the topology in use
     */
    public Announcements(Membership membership, Supplier<List<OtherMember>> others, Ticker ticker) {
        this.membership = membership;
        this.others = others;
        this.ticker = ticker;
    }

    /** Starts: from now on the others can be reached. */
    public void start(RepairRounds repairs) {
        repairs.whenRoundEnds(
                (round, agreedWith) -> {
                    // Many members that return together are compared with one after the other.
                    long now = membership.watermark().completeMillis();
                    if (completeMillis.getAndSet(now) != now) {
                        announceToAll();
                    }
                });
    }

    /** The other members of the topology in use. */
    public List<OtherMember> others() {
        return others.get();
    }

    /**
     * Announces to all at once, and again after times that double, until a condition holds.
     *
     * @param again the first time
     * @param most the longest time
     */
    void announceUntil(BooleanSupplier isOver, Duration again, Duration most, Scheduler scheduler) {
        if (isOver.getAsBoolean()) {
            return;
        }
        announceToAll();
        Duration twice = again.multipliedBy(2);
        Duration next = twice.compareTo(most) < 0 ? twice : most;
        scheduler.after(again, () -> announceUntil(isOver, next, most, scheduler));
    }

    /** Announces to all members that are up. Returns at once. */
    public void announceToAll() {
        long deadlineNanos = ticker.nanos() + ANSWER_WITHIN.toNanos();
        for (OtherMember other : others.get()) {
            if (!other.isUp().getAsBoolean()) {
                continue;
            }
            int number = other.replica().member().number();
            other.replica()
                    .ask(
                            new ReplicaRequest.Announce(
                                    membership.self().number(), membership.stateFor(number)),
                            deadlineNanos,
                            answer -> {
                                if (answer instanceof ReplicaAnswer.Announced announced) {
                                    membership.onState(number, announced.state());
                                }
                            });
        }
    }
}

package dev.quorate.node.membership;

import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.node.runtime.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Tells all other members how it is here, and hears how it is there: when somebody says so, and
 * after each round of repairs, which may have changed what this member can say.
 */
public final class Announcements {

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(1);

    /**
     * Another member.
     *
     * @param replica the way to it, in the lane of repairs
     * @param isUp whether it answers: one that is not there yet is not to be tried too often
     */
    public record OtherMember(Replica replica, BooleanSupplier isUp) {}

    private final Membership membership;
    private final List<OtherMember> others;
    private final Ticker ticker;

    public Announcements(Membership membership, List<OtherMember> others, Ticker ticker) {
        this.membership = membership;
        this.others = List.copyOf(others);
        this.ticker = ticker;
    }

    /** From now on the others can be told. */
    public void start(RepairRounds repairs) {
        repairs.whenRoundEnds((round, agreedWith) -> tellAll());
    }

    List<OtherMember> others() {
        return others;
    }

    /** Tells all that are up. Returns at once. */
    void tellAll() {
        long deadlineNanos = ticker.nanos() + ANSWER_WITHIN.toNanos();
        for (OtherMember other : others) {
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
                                    membership.heard(number, announced.news());
                                }
                            });
        }
    }
}

package dev.quorate.node.admin;

import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.quorum.QuorumSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether the cluster still answers with the default replicas while one member is stopped:
 * every other owner of its keys must be up and vote, and they must be a majority of the owners of
 * each key. Pure.
 *
 * <p>If more than three members own each key, a majority would remain even with another owner down.
 * The rule is the same: a member that is down must be started before the next is stopped.
 */
final class StopRule {

    /**
     * Another owner of keys of the member, as the member sees it.
     *
     * @param standing its state
     * @param isAsked whether operations are sent to it
     * @param votes whether it has announced that it votes
     * @param isStopping whether it has announced that it is about to stop
     */
    record Owner(
            String name,
            PeerStanding standing,
            boolean isAsked,
            boolean votes,
            boolean isStopping) {}

    private StopRule() {}

    /**
     * The reasons, as sentences, why requests with the default replicas could fail without the
     * member; empty if it may stop.
     *
     * @param copies the number of copies of each key
     * @param others all other owners of the member's keys
     */
    static List<String> reasonsToStay(int copies, List<Owner> others) {
        if (others.isEmpty()) {
            return List.of("No other node owns the keys of this one.");
        }
        List<String> reasons = new ArrayList<>();
        int needed = QuorumSpec.majority(copies).ack();
        if (copies - 1 < needed) {
            reasons.add(
                    "Each key has %d copies, and %d of them are needed.".formatted(copies, needed));
        }
        for (Owner owner : others) {
            String reason = reasonOf(owner);
            if (!reason.isEmpty()) {
                reasons.add(owner.name() + " " + reason);
            }
        }
        return reasons;
    }

    /** Why this owner cannot stand in; empty if it can. */
    private static String reasonOf(Owner owner) {
        return switch (owner.standing()) {
            case UNKNOWN -> "has not been heard from since this node started.";
            case DOWN -> "is down.";
            case REFUSED -> "and this node refuse each other.";
            case UP -> {
                if (!owner.isAsked()) {
                    yield "was down a moment ago, and has not answered a probe yet.";
                } else if (owner.isStopping()) {
                    yield "is stopping.";
                }
                yield owner.votes() ? "" : "does not vote.";
            }
        };
    }
}

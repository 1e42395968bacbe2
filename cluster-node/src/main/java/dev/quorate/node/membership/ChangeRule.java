package dev.quorate.node.membership;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides which topologies may follow another. Pure. */
public final class ChangeRule {

    /** Whether only addresses may change: keys do not move yet. */
    private static final boolean ONLY_ADDRESSES = true;

    private ChangeRule() {}

    /** Why a topology cannot be proposed to follow another, in one sentence; null if it can. */
    static @Nullable String refusal(Topology current, Topology next) {
        return next.epoch() == current.epoch() + 1
                ? refusalOfLater(current, next)
                : "It is not the next epoch.";
    }

    /** Why a chosen topology cannot be used after another, in one sentence; null if it can. */
    static @Nullable String refusalOfLater(Topology current, Topology later) {
        if (!later.succeeds(current)) {
            return "It is not a later epoch of this cluster.";
        }
        return ONLY_ADDRESSES && !later.placesLike(current)
                ? "Only the addresses of members can change."
                : null;
    }

    /**
     * Why a member cannot go on without others, in one sentence; null if it can. Only if it owns
     * all keys, as all other members that are left: then no key gets an owner that lacks it.
     *
     * @param lost names of members that are lost for good
     */
    static @Nullable String refusalWithout(Topology current, String self, Set<String> lost) {
        for (String name : lost) {
            if (current.member(name) == null) {
                return "The cluster has no member '" + name + "'.";
            }
        }
        if (lost.contains(self)) {
            return "This is the directory of " + self + " itself.";
        }
        if (current.cluster() == null) {
            return "This member has not been in a cluster yet.";
        }
        if (current.size() - lost.size() > current.size() / 2) {
            return "A majority of the members is left, so each lost one can be replaced"
                    + " (docs/operations.md#replacing-a-dead-node).";
        }
        return current.replicationFactor() < current.size()
                ? "The members that are left do not have a copy of each key: %s of %s have one."
                        .formatted(current.replicationFactor(), current.size())
                : null;
    }

    /**
     * The next topology, in which some members have other addresses; the current one if these are
     * their addresses already.
     *
     * @param addresses by the names of members
     * @throws IllegalArgumentException with one sentence if there is no such member, or two have
     *     the same address
     */
    public static Topology withAddresses(Topology current, Map<String, URI> addresses) {
        for (String name : addresses.keySet()) {
            if (current.member(name) == null) {
                throw new IllegalArgumentException("The cluster has no member '" + name + "'.");
            }
        }
        List<Member> changed =
                current.members().stream()
                        .map(each -> each.at(addresses.getOrDefault(each.name(), each.url())))
                        .toList();
        boolean isSame = changed.stream().allMatch(current::hasAt);
        return isSame ? current : current.next(changed);
    }
}

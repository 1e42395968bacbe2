package dev.quorate.node.membership;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.List;
import java.util.Map;
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

package dev.quorate.node.admin;

import dev.quorate.node.membership.Membership;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.placement.CoOwners;
import dev.quorate.router.topology.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The other owners of a node's keys: collects the input of {@link StopRule}. */
final class OwnersBeside {

    private final NodeView node;
    private final List<Member> others;

    OwnersBeside(NodeView node) {
        this.node = node;
        this.others = CoOwners.of(node.ring(), node.self());
    }

    StopRule.Verdict verdict() {
        Membership membership = node.membership();
        List<StopRule.Owner> owners = new ArrayList<>();
        Map<String, PeerHealth> peers = new HashMap<>();
        node.peers().get().forEach(peer -> peers.put(peer.member(), peer));
        for (Member other : others) {
            PeerHealth peer = peers.get(other.name());
            owners.add(
                    new StopRule.Owner(
                            other.name(),
                            peer == null ? PeerStanding.UNKNOWN : peer.standing(),
                            peer != null && peer.asked(),
                            membership.hasSaidThatItVotes(other.number()),
                            membership.hasSaidThatItStops(other.number())));
        }
        return StopRule.judge(node.ring().topology().replicationFactor(), owners);
    }
}

package dev.quorate.router.placement;

import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.ArrayList;
import java.util.List;

/** Finds the members that own keys together with another member. */
public final class CoOwners {

    private CoOwners() {}

    /**
     * The other owners of a member's keys at the replication factor, in the order of the topology.
     * Walks the whole ring, in milliseconds for the largest.
     *
     * @throws IllegalArgumentException if the ring has no such member
     */
    public static List<Member> of(HashRing ring, Member member) {
        Topology topology = ring.topology();
        int self = topology.members().indexOf(member);
        if (self < 0) {
            throw new IllegalArgumentException(member.name() + " is not a member");
        }
        byte[] owners = new byte[topology.replicationFactor()];
        long together = 0;
        for (int point = 0; point < ring.pointCount(); point++) {
            RingWalk.distinctOwners(ring, point, owners);
            long mask = 0;
            for (byte owner : owners) {
                mask |= 1L << owner;
            }
            if ((mask & 1L << self) != 0) {
                together |= mask;
            }
        }
        List<Member> others = new ArrayList<>();
        for (int i = 0; i < topology.size(); i++) {
            if (i != self && (together & 1L << i) != 0) {
                others.add(topology.members().get(i));
            }
        }
        return List.copyOf(others);
    }
}

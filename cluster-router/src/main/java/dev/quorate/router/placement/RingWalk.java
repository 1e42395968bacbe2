package dev.quorate.router.placement;

import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Member;
import java.util.ArrayList;
import java.util.List;

/** The clockwise walk along the ring that defines placement. */
final class RingWalk {

    private RingWalk() {}

    /**
     * Fills {@code owners} with the indexes of the first distinct members clockwise.
     *
     * @param point the starting point
     * @param owners its length is the number of members to find, at most the size of the topology
     */
    static void distinctOwners(HashRing ring, int point, byte[] owners) {
        long seen = 0;
        int found = 0;
        int at = point;
        while (found < owners.length) {
            int owner = ring.ownerOf(at);
            long bit = 1L << owner;
            if ((seen & bit) == 0) {
                seen |= bit;
                owners[found] = (byte) owner;
                found++;
            }
            at++;
            if (at == ring.pointCount()) {
                at = 0;
            }
        }
    }

    static List<Member> members(HashRing ring, byte[] owners) {
        List<Member> members = new ArrayList<>(owners.length);
        for (byte owner : owners) {
            members.add(ring.topology().members().get(owner));
        }
        return List.copyOf(members);
    }
}

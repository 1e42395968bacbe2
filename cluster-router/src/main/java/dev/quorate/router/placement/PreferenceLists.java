package dev.quorate.router.placement;

import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Member;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The precomputed preference list of every point of a ring: the first {@code from} distinct members
 * clockwise. Equal lists share one object.
 */
final class PreferenceLists {

    private final List<List<Member>> distinct;
    private final int[] listOfPoint;

    PreferenceLists(HashRing ring, int from) {
        this.distinct = new ArrayList<>();
        this.listOfPoint = new int[ring.pointCount()];
        Map<ByteBuffer, Integer> numbers = new HashMap<>();
        byte[] walked = new byte[from];
        for (int point = 0; point < listOfPoint.length; point++) {
            RingWalk.distinctOwners(ring, point, walked);
            Integer number = numbers.get(ByteBuffer.wrap(walked));
            if (number == null) {
                number = distinct.size();
                numbers.put(ByteBuffer.wrap(walked.clone()), number);
                distinct.add(RingWalk.members(ring, walked));
            }
            listOfPoint[point] = number;
        }
    }

    List<Member> at(int point) {
        return distinct.get(listOfPoint[point]);
    }

    List<List<Member>> distinct() {
        return distinct;
    }
}

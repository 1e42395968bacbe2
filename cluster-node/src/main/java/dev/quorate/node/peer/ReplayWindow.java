package dev.quorate.node.peer;

import dev.quorate.router.message.Lane;
import dev.quorate.router.topology.Member;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Detects repeated numbers that arrive nearly in order: a sliding window of the largest and the 63
 * before it, as in IPsec (RFC 4303, 3.4.3).
 */
final class ReplayWindow {

    private static final int SIZE = Long.SIZE;

    private boolean begun;
    private long largest;

    /** Bit i: {@code largest - i} was received. */
    private long seen;

    /**
     * The windows of each lane of members, by their numbers.
     *
     * @param before the windows so far, which members retain
     */
    static Map<Integer, Map<Lane, ReplayWindow>> of(
            Collection<Member> members, Map<Integer, Map<Lane, ReplayWindow>> before) {
        Map<Integer, Map<Lane, ReplayWindow>> windows = new HashMap<>();
        for (Member member : members) {
            Map<Lane, ReplayWindow> fresh = new EnumMap<>(Lane.class);
            for (Lane lane : Lane.values()) {
                fresh.put(lane, new ReplayWindow());
            }
            windows.put(member.number(), before.getOrDefault(member.number(), fresh));
        }
        return windows;
    }

    /** Accepts a new number; returns false for one that is repeated or too old. */
    synchronized boolean accept(long number) {
        if (!begun) {
            begun = true;
            largest = number;
            seen = 1;
            return true;
        }
        if (Long.compareUnsigned(number, largest) > 0) {
            long ahead = number - largest;
            seen = Long.compareUnsigned(ahead, SIZE) >= 0 ? 1 : seen << ahead | 1;
            largest = number;
            return true;
        }
        long behind = largest - number;
        if (Long.compareUnsigned(behind, SIZE) >= 0 || (seen & 1L << behind) != 0) {
            return false;
        }
        seen |= 1L << behind;
        return true;
    }
}

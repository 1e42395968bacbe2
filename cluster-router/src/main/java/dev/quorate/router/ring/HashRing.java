package dev.quorate.router.ring;

import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Maps ranges of tokens to members: consistent hashing (Karger et al., 1997) with virtual nodes.
 *
 * <p>Every member has {@link Topology#virtualNodes} points, at the tokens of {@code name#0}, {@code
 * name#1} and so on. Their positions depend only on the member's name, not on its address or on
 * other members. A key belongs to the first point at or after its token, clockwise; the first point
 * follows the last. A range is the tokens between two adjacent points.
 *
 * <p>Immutable. A look-up is a binary search in one array and allocates nothing.
 */
public final class HashRing {

    private final Topology topology;

    /** Sorted, with the top bit flipped so that signed comparison orders them as unsigned. */
    private final long[] points;

    /** The index of the member that owns the point of the same index. */
    private final byte[] owners;

    public HashRing(Topology topology) {
        this.topology = topology;
        int count = topology.size() * topology.virtualNodes();
        this.points = new long[count];
        this.owners = new byte[count];
        placePoints();
    }

    private void placePoints() {
        // Each member's points are sorted separately and then merged, so that points of two
        // members with the same token (all but impossible in 64 bits) are ordered by name.
        int placed = 0;
        for (int member = 0; member < topology.size(); member++) {
            long[] own = pointsOf(topology.members().get(member), topology.virtualNodes());
            merge(own, (byte) member, placed);
            placed += own.length;
        }
    }

    private static long[] pointsOf(Member member, int virtualNodes) {
        long[] own = new long[virtualNodes];
        for (int i = 0; i < virtualNodes; i++) {
            String label = member.name() + "#" + i;
            own[i] = flipped(Token.hash(label.getBytes(StandardCharsets.US_ASCII)));
        }
        Arrays.sort(own);
        return own;
    }

    /** Merges backwards, in place, into the unused tail of the arrays. */
    private void merge(long[] own, byte member, int placed) {
        int old = placed - 1;
        int next = own.length - 1;
        int into = placed + own.length - 1;
        while (next >= 0) {
            if (old >= 0 && points[old] > own[next]) {
                points[into] = points[old];
                owners[into] = owners[old];
                old--;
            } else {
                points[into] = own[next];
                owners[into] = member;
                next--;
            }
            into--;
        }
    }

    private static long flipped(long token) {
        return token ^ Long.MIN_VALUE;
    }

    public Topology topology() {
        return topology;
    }

    /** The number of points, which is also the number of ranges. */
    public int pointCount() {
        return points.length;
    }

    /** The index of the first point at or after the token, clockwise. */
    public int pointAt(long token) {
        int found = Arrays.binarySearch(points, flipped(token));
        if (found >= 0) {
            // The search may find any of equal points; use the first.
            while (found > 0 && points[found - 1] == points[found]) {
                found--;
            }
            return found;
        }
        int after = -found - 1;
        return after == points.length ? 0 : after;
    }

    /** The token of a point, unsigned: the last token of the range that ends there. */
    public long tokenOf(int point) {
        return flipped(points[point]);
    }

    /** The index, in {@link Topology#members}, of the member that owns a point. */
    public int ownerOf(int point) {
        return owners[point];
    }

    /** The index, in {@link Topology#members}, of the member that owns a token. */
    public int ownerIndex(long token) {
        return owners[pointAt(token)];
    }

    /** The fraction of all tokens that each member owns, by member index. */
    public double[] shares() {
        double[] shares = new double[topology.size()];
        for (int point = 0; point < points.length; point++) {
            long previous = points[point == 0 ? points.length - 1 : point - 1];
            shares[owners[point]] += unsignedToDouble(points[point] - previous) / 0x1p64;
        }
        if (points.length == 1) {
            shares[0] = 1;
        }
        return shares;
    }

    private static double unsignedToDouble(long value) {
        return (value >>> 1) * 2.0 + (value & 1);
    }
}

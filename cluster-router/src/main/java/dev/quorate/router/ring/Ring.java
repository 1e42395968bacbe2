package dev.quorate.router.ring;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The owners of each key: consistent hashing (Karger et al., 1997) with virtual nodes.
 *
 * <p>Every member has {@link Topology#virtualNodes} points, times its weight, at the tokens of
 * {@code name#0}, {@code name#1} and so on. Their positions depend only on the member's name, not
 * on its address or on other members. A range is the tokens between two adjacent points; the first
 * point follows the last. The replicas of a key are the first {@code from} distinct members
 * clockwise, beginning with the first point at or after its token, in turns: each turn takes one
 * member of each zone that has any left. So copies share no zone while there are enough, the list
 * for a smaller {@code from} is a prefix of the list for a larger one, and the same topology gives
 * the same lists on every node.
 *
 * <p>Immutable. With three copies it takes 16 bytes for each point, and 2 more for each length of
 * lists that is shared. A look-up is a binary search. It allocates nothing where few lists of that
 * length are possible, such as for all {@code from} with up to seven members: those are shared.
 */
public final class Ring {

    /** Maximum number of shared lists of one length, which a {@code char} numbers. */
    private static final int MAX_LISTS = 8_192;

    private final Topology topology;

    /** Sorted, with the top bit flipped so that signed comparison orders them as unsigned. */
    private final long[] points;

    /** The index of the member that has the point of the same index. */
    private final short[] holders;

    /** The first {@code replicationFactor} owners of each range, as indexes of members. */
    private final short[] first;

    /** The zone of each member, from 0. */
    private final int[] zones;

    private final int[] zoneSizes;

    /** Indexed by {@code from} − 1; null where the lists of that length are not shared. */
    private final @Nullable SharedLists[] shared;

    public Ring(Topology topology) {
        this.topology = topology;
        int count = topology.members().stream().mapToInt(this::points).sum();
        this.points = new long[count];
        this.holders = new short[count];
        placePoints();
        this.zones = zones(topology);
        this.zoneSizes = new int[Arrays.stream(zones).max().orElse(0) + 1];
        Arrays.stream(zones).forEach(zone -> zoneSizes[zone]++);
        this.first = firstOwners(topology.replicationFactor());
        this.shared = new SharedLists[topology.size()];
        for (int from = 1; from <= topology.size(); from++) {
            if (possibleLists(from) <= MAX_LISTS) {
                shared[from - 1] = new SharedLists(from);
            }
        }
    }

    private void placePoints() {
        // Each member's points are sorted separately and then merged, so that points of two
        // members with the same token (all but impossible in 64 bits) are ordered by name.
        int placed = 0;
        for (int member = 0; member < topology.size(); member++) {
            long[] own = pointsOf(topology.members().get(member));
            merge(own, (short) member, placed);
            placed += own.length;
        }
    }

    private int points(Member member) {
        return Math.max(topology.virtualNodes() * member.place().weightPercent() / 100, 1);
    }

    private static int[] zones(Topology topology) {
        List<String> names =
                topology.members().stream().map(each -> each.place().zone()).distinct().toList();
        return topology.members().stream()
                .mapToInt(each -> names.indexOf(each.place().zone()))
                .toArray();
    }

    private long[] pointsOf(Member member) {
        long[] own = new long[points(member)];
        for (int i = 0; i < own.length; i++) {
            String label = member.name() + "#" + i;
            own[i] = flipped(Token.hash(label.getBytes(StandardCharsets.US_ASCII)));
        }
        Arrays.sort(own);
        return own;
    }

    /** Merges backwards, in place, into the unused tail of the arrays. */
    private void merge(long[] own, short member, int placed) {
        int old = placed - 1;
        int next = own.length - 1;
        int into = placed + own.length - 1;
        while (next >= 0) {
            if (old >= 0 && points[old] > own[next]) {
                points[into] = points[old];
                holders[into] = holders[old];
                old--;
            } else {
                points[into] = own[next];
                holders[into] = member;
                next--;
            }
            into--;
        }
    }

    private static long flipped(long token) {
        return token ^ Long.MIN_VALUE;
    }

    private short[] firstOwners(int from) {
        short[] owners = new short[points.length * from];
        for (int point = 0; point < points.length; point++) {
            System.arraycopy(walk(point, from), 0, owners, point * from, from);
        }
        return owners;
    }

    /** The indexes of the first owners clockwise, turn by turn. */
    private short[] walk(int point, int from) {
        int turns = turnsFor(from);
        int[] ofZone = new int[zoneSizes.length];
        short[] owners = new short[from];
        boolean[] isFound = new boolean[topology.size()];
        // The turns before the last take the first members of each zone, and the last the rest.
        int[] starts = new int[turns];
        for (int turn = 1; turn < turns; turn++) {
            starts[turn] = starts[turn - 1] + zonesWithMoreThan(turn - 1);
        }
        int found = 0;
        for (int next = point; found < from; next = next + 1 == points.length ? 0 : next + 1) {
            short holder = holders[next];
            int turn = ofZone[zones[holder]];
            if (!isFound[holder] && turn < turns && starts[turn] < from) {
                isFound[holder] = true;
                ofZone[zones[holder]]++;
                owners[starts[turn]++] = holder;
                found++;
            }
        }
        return owners;
    }

    /** The number of turns that find that many members. */
    private int turnsFor(int from) {
        int turns = 0;
        for (int found = 0; found < from; turns++) {
            found += zonesWithMoreThan(turns);
        }
        return turns;
    }

    private int zonesWithMoreThan(int members) {
        int zonesWithMore = 0;
        for (int size : zoneSizes) {
            zonesWithMore += size > members ? 1 : 0;
        }
        return zonesWithMore;
    }

    /** The number of possible ordered lists of that length; exact up to {@link #MAX_LISTS}. */
    private int possibleLists(int from) {
        int lists = 1;
        for (int i = 0; i < from && lists <= MAX_LISTS; i++) {
            lists *= topology.size() - i;
        }
        return lists;
    }

    /** The replica list of every range, for one {@code from}. Equal lists share one object. */
    private final class SharedLists {

        private final List<List<Member>> distinct = new ArrayList<>();
        private final char[] numbers = new char[points.length];

        SharedLists(int from) {
            Map<Long, Integer> known = new HashMap<>();
            for (int point = 0; point < numbers.length; point++) {
                short[] owners = owners(point, from);
                long key = 0; // few lists are possible, so they are short
                for (short owner : owners) {
                    key = key * topology.size() + owner;
                }
                Integer number = known.putIfAbsent(key, distinct.size());
                if (number == null) {
                    number = distinct.size();
                    distinct.add(members(owners));
                }
                numbers[point] = (char) (int) number;
            }
        }

        List<Member> at(int point) {
            return distinct.get(numbers[point]);
        }
    }

    /** The indexes of the owners of the range that ends at a point. */
    private short[] owners(int point, int from) {
        int kept = topology.replicationFactor();
        if (from <= kept) {
            return Arrays.copyOfRange(first, point * kept, point * kept + from);
        }
        return walk(point, from);
    }

    private List<Member> members(short[] owners) {
        Member[] members = new Member[owners.length];
        for (int i = 0; i < owners.length; i++) {
            members[i] = topology.members().get(owners[i]);
        }
        return List.of(members);
    }

    public Topology topology() {
        return topology;
    }

    /**
     * The replicas of a key, in the order of the ring. Immutable.
     *
     * @param from number of replicas, 1 to the number of members
     */
    public List<Member> replicas(byte[] key, int from) {
        return replicas(Token.hash(key), from);
    }

    /**
     * The replicas of the keys with a token, in the order of the ring. Immutable.
     *
     * @param token the result of {@link Token#hash} for the key
     * @param from number of replicas, 1 to the number of members
     */
    public List<Member> replicas(long token, int from) {
        requireFrom(from);
        SharedLists lists = shared[from - 1];
        int point = pointAt(token);
        return lists == null ? members(owners(point, from)) : lists.at(point);
    }

    private void requireFrom(int from) {
        if (from < 1 || from > topology.size()) {
            throw new IllegalArgumentException(
                    "'from' must be 1 to " + topology.size() + ", but is " + from + ".");
        }
    }

    /** The number of replicas that a stored {@code from} stands for, at most all members. */
    public int effectiveFrom(int storedFrom) {
        return storedFrom == 0
                ? topology.replicationFactor()
                : Math.min(storedFrom, topology.size());
    }

    /**
     * Whether every range has {@code ack} live members among its first {@code from}, so that a read
     * of the whole cluster can be complete. May walk the whole ring, in milliseconds.
     *
     * @param downMembers names of down members; names of non-members are ignored
     */
    public boolean everyRangeReaches(QuorumSpec spec, Set<String> downMembers) {
        requireFrom(spec.from());
        boolean[] isDown = new boolean[topology.size()];
        int down = 0;
        for (int i = 0; i < isDown.length; i++) {
            isDown[i] = downMembers.contains(topology.members().get(i).name());
            down += isDown[i] ? 1 : 0;
        }
        if (spec.from() - down >= spec.ack()) {
            return true;
        }
        if (topology.size() - down < spec.ack()) {
            return false;
        }
        for (int point = 0; point < points.length; point++) {
            int live = 0;
            for (short owner : owners(point, spec.from())) {
                live += isDown[owner] ? 0 : 1;
            }
            if (live < spec.ack()) {
                return false;
            }
        }
        return true;
    }

    /**
     * The other owners of a member's keys at the replication factor, in the order of the topology.
     * Walks the whole ring, in milliseconds.
     *
     * @throws IllegalArgumentException if the ring has no such member
     */
    public List<Member> coOwners(Member member) {
        int self = topology.members().indexOf(member);
        if (self < 0) {
            throw new IllegalArgumentException(member.name() + " is not a member");
        }
        boolean[] isTogether = new boolean[topology.size()];
        for (int point = 0; point < points.length; point++) {
            short[] owners = owners(point, topology.replicationFactor());
            for (short owner : owners) {
                if (owner == self) {
                    for (short other : owners) {
                        isTogether[other] = true;
                    }
                }
            }
        }
        List<Member> others = new ArrayList<>();
        for (int i = 0; i < isTogether.length; i++) {
            if (i != self && isTogether[i]) {
                others.add(topology.members().get(i));
            }
        }
        return List.copyOf(others);
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

    /** The index, in {@link Topology#members}, of the first owner of a token. */
    public int ownerIndex(long token) {
        return holders[pointAt(token)];
    }

    /** The fraction of all tokens that each member owns first, by member index. */
    public double[] shares() {
        double[] shares = new double[topology.size()];
        for (int point = 0; point < points.length; point++) {
            long previous = points[point == 0 ? points.length - 1 : point - 1];
            shares[holders[point]] += fraction(points[point] - previous);
        }
        if (points.length == 1) {
            shares[0] = 1;
        }
        return shares;
    }

    /** The fraction of all tokens that a number of them is, which is unsigned. */
    static double fraction(long tokens) {
        return ((tokens >>> 1) * 2.0 + (tokens & 1)) / 0x1p64;
    }
}

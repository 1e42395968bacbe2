package dev.quorate.router.placement;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects the replicas of a key: the first {@code from} distinct members clockwise from its token.
 *
 * <p>The list for a smaller {@code from} is a prefix of the list for a larger one, and the same
 * topology gives the same lists on every node and after every restart.
 *
 * <p>Preference lists are precomputed and shared between ranges, so a look-up is a binary search
 * and an array read, and allocates nothing. This covers every {@code from} up to the replication
 * factor, and every other {@code from} with at most {@link #MAX_LISTS} possible lists: all of them
 * in a cluster of up to seven members. The lists of 64 members for every {@code from} would exceed
 * a node's heap, so a request for any other {@code from}, which is rare, walks the ring.
 */
public final class ReplicaSelector {

    private static final int MAX_LISTS = 8_192;

    private final HashRing ring;
    private final Topology topology;

    /** Indexed by {@code from} − 1; null where the lists are not precomputed. */
    private final @Nullable PreferenceLists[] listsByFrom;

    public ReplicaSelector(HashRing ring) {
        this.ring = ring;
        this.topology = ring.topology();
        this.listsByFrom = new PreferenceLists[topology.size()];
        for (int from = 1; from <= topology.size(); from++) {
            if (from <= topology.replicationFactor() || possibleLists(from) <= MAX_LISTS) {
                listsByFrom[from - 1] = new PreferenceLists(ring, from);
            }
        }
    }

    /**
     * The number of possible ordered lists of {@code from} members; exact up to {@link #MAX_LISTS}.
     */
    private int possibleLists(int from) {
        int lists = 1;
        for (int i = 0; i < from && lists <= MAX_LISTS; i++) {
            lists *= topology.size() - i;
        }
        return lists;
    }

    /** The ring from which replicas are selected. */
    public HashRing ring() {
        return ring;
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
     * @param tokenHash the result of {@link Token#hash} for the key
     * @param from number of replicas, 1 to the number of members
     */
    public List<Member> replicas(long tokenHash, int from) {
        requireFrom(from);
        int point = ring.pointAt(tokenHash);
        PreferenceLists lists = listsByFrom[from - 1];
        if (lists != null) {
            return lists.at(point);
        }
        byte[] owners = new byte[from];
        RingWalk.distinctOwners(ring, point, owners);
        return RingWalk.members(ring, owners);
    }

    /**
     * The {@code from} to store with an entry or a record: 0 for the replication factor, whether
     * the client named it or not, so that stored entries follow a changed replication factor.
     *
     * @param from number of replicas, 1 to the number of members
     */
    public int storedFrom(int from) {
        return from == topology.replicationFactor() ? 0 : from;
    }

    /** The number of replicas that a stored {@code from} stands for, at most all members. */
    public int effectiveFrom(int storedFrom) {
        return storedFrom == 0
                ? topology.replicationFactor()
                : Math.min(storedFrom, topology.size());
    }

    private void requireFrom(int from) {
        if (from < 1 || from > topology.size()) {
            throw new IllegalArgumentException(
                    "'from' must be 1 to " + topology.size() + ", but is " + from + ".");
        }
    }

    /**
     * Whether every range of the ring has {@code ack} live members among its first {@code from}, so
     * that a read of the whole cluster can be complete.
     *
     * @param downMembers names of down members; names of non-members are ignored
     */
    public boolean everyRangeReaches(QuorumSpec spec, Set<String> downMembers) {
        requireFrom(spec.from());
        long down = maskOf(downMembers);
        int downCount = Long.bitCount(down);
        if (spec.from() - downCount >= spec.ack()) {
            return true;
        }
        if (topology.size() - downCount < spec.ack()) {
            return false;
        }
        PreferenceLists lists = listsByFrom[spec.from() - 1];
        return lists != null
                ? everyListReaches(lists, spec.ack(), downMembers)
                : everyPointReaches(spec, down);
    }

    private long maskOf(Set<String> names) {
        long mask = 0;
        for (int i = 0; i < topology.size(); i++) {
            if (names.contains(topology.members().get(i).name())) {
                mask |= 1L << i;
            }
        }
        return mask;
    }

    private static boolean everyListReaches(PreferenceLists lists, int ack, Set<String> down) {
        return lists.distinct().stream()
                .allMatch(
                        replicas ->
                                replicas.stream()
                                                .filter(each -> !down.contains(each.name()))
                                                .count()
                                        >= ack);
    }

    private boolean everyPointReaches(QuorumSpec spec, long down) {
        byte[] owners = new byte[spec.from()];
        for (int point = 0; point < ring.pointCount(); point++) {
            RingWalk.distinctOwners(ring, point, owners);
            int live = 0;
            for (byte owner : owners) {
                if ((down & 1L << owner) == 0) {
                    live++;
                }
            }
            if (live < spec.ack()) {
                return false;
            }
        }
        return true;
    }

    /**
     * The precomputed preference list of every point of a ring: the first {@code from} distinct
     * members clockwise. Equal lists share one object.
     */
    private static final class PreferenceLists {

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
}

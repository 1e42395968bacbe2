package dev.quorate.router.placement;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which members hold the copies of a key: the first {@code from} distinct ones clockwise from its
 * token.
 *
 * <p>The list for a smaller {@code from} is a prefix of the list for a larger one, and the same
 * topology gives the same lists on every node and after every restart.
 *
 * <p>Lists are made beforehand, one for each different one that occurs, and shared by all ranges:
 * then a look-up is a binary search and an array read, and allocates nothing. That holds for every
 * {@code from} up to the replication factor, and for every further one that can have at most {@link
 * #MAX_LISTS} different lists, which in a cluster of up to seven members is every one. Made
 * beforehand for every {@code from}, the lists of 64 members would be larger than a node's heap;
 * the rare request for another {@code from} gets a fresh list from a walk along the ring.
 */
public final class ReplicaSelector {

    private static final int MAX_LISTS = 8_192;

    private final HashRing ring;
    private final Topology topology;

    /** By {@code from} − 1; null where the lists are not made beforehand. */
    private final @Nullable PreferenceLists[] listsByFrom;

    public ReplicaSelector(HashRing ring) {
        this.ring = ring;
        this.topology = ring.topology();
        this.listsByFrom = new PreferenceLists[topology.size()];
        for (int from = 1; from <= topology.size(); from++) {
            if (from <= topology.replicationFactor() || mostLists(from) <= MAX_LISTS) {
                listsByFrom[from - 1] = new PreferenceLists(ring, from);
            }
        }
    }

    /** How many ordered lists of that many members there can be, as far as it matters. */
    private int mostLists(int from) {
        int lists = 1;
        for (int i = 0; i < from && lists <= MAX_LISTS; i++) {
            lists *= topology.size() - i;
        }
        return lists;
    }

    /** The ring that this selects from. */
    public HashRing ring() {
        return ring;
    }

    /**
     * The replicas of a key, in the order of the ring. Immutable.
     *
     * @param from how many, 1 to the number of members
     */
    public List<Member> replicas(byte[] key, int from) {
        return replicas(Token.hash(key), from);
    }

    /**
     * The replicas of the keys with that token, in the order of the ring. Immutable.
     *
     * @param tokenHash what {@link Token#hash} gave for the key
     * @param from how many, 1 to the number of members
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

    private void requireFrom(int from) {
        if (from < 1 || from > topology.size()) {
            throw new IllegalArgumentException(
                    "'from' has to be 1 to " + topology.size() + ", and it is " + from + ".");
        }
    }

    /**
     * Whether, with some members down, every range of the ring still has {@code ack} live ones
     * among its first {@code from}: whether a read of the whole cluster can be complete.
     *
     * @param downMembers names; what is not a member does not matter
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
        for (List<Member> replicas : lists.distinct()) {
            int live = 0;
            for (Member replica : replicas) {
                if (!down.contains(replica.name())) {
                    live++;
                }
            }
            if (live < ack) {
                return false;
            }
        }
        return true;
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
}

package dev.quorate.node.antientropy;

import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import java.util.List;

/**
 * Decides which entries two members both own, before or after the change that is in progress, by
 * the entry's own {@code from}.
 */
record CommonOwnership(Placement placement, Member one, Member other) {

    /** The same for the first member and another member. */
    CommonOwnership with(Member another) {
        return new CommonOwnership(placement, one, another);
    }

    /** All members of the cluster. */
    List<Member> members() {
        return placement.topology().members();
    }

    /** How many members own an entry by default. */
    int copies() {
        return placement.effectiveFrom(0);
    }

    boolean holds(Entry entry) {
        return holds(entry.key(), entry.from());
    }

    /**
     * Whether both members own an entry.
     *
     * @param entryFrom see {@link Entry#from}
     */
    boolean holds(byte[] key, int entryFrom) {
        return areAmong(owners(key, entryFrom));
    }

    /** Whether both judge by the same owners of keys. */
    boolean hasPlacementOf(CommonOwnership another) {
        return placement == another.placement;
    }

    /** Whether both members are among these. */
    boolean areAmong(List<Member> owners) {
        return owners.contains(one) && owners.contains(other);
    }

    /** The owners of an entry, before and after the change that is in progress. */
    List<Member> owners(byte[] key, int entryFrom) {
        int from = placement.effectiveFrom(entryFrom);
        return !placement.isJoint() && from == placement.topology().size()
                ? members()
                : placement.ownersOf(key, entryFrom);
    }

    /**
     * Whether the first member owned the key before the change that is in progress, and the other
     * gains it.
     *
     * @param entryFrom see {@link Entry#from}
     */
    boolean isGained(byte[] key, int entryFrom) {
        return isGained(
                owners(placement.before(), key, entryFrom),
                owners(placement.after(), key, entryFrom));
    }

    /**
     * If a key gets fewer owners, each of them counts as one that gains it from one that leaves.
     */
    private boolean isGained(List<Member> old, List<Member> next) {
        boolean isLeft = next.size() < old.size() && !next.contains(one);
        return old.contains(one) && next.contains(other) && (isLeft || !old.contains(other));
    }

    private static List<Member> owners(Ring ring, byte[] key, int entryFrom) {
        return ring.replicas(key, ring.effectiveFrom(entryFrom));
    }

    /**
     * Whether an entry is for the other member, and this member sends it: one of {@code sources}
     * does.
     *
     * @param gainsOnly whether only keys that {@linkplain #isGained the other gains} are for it
     * @param sources the members that send entries to the other
     */
    boolean isSent(Entry entry, boolean gainsOnly, List<Member> sources) {
        byte[] key = entry.key();
        List<Member> old;
        List<Member> next;
        boolean isForOther;
        if (gainsOnly) {
            old = owners(placement.before(), key, entry.from());
            next = owners(placement.after(), key, entry.from());
            isForOther = isGained(old, next);
        } else {
            old = owners(key, entry.from());
            next = old;
            isForOther = areAmong(old);
        }
        return isForOther
                && one.equals(
                        Placement.sender(
                                old, next, each -> !each.equals(other) && sources.contains(each)));
    }
}

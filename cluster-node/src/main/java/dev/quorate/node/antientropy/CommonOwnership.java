package dev.quorate.node.antientropy;

import dev.quorate.router.ring.Ring;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import java.util.List;

/**
 * Decides which entries two members both own: both must be among the first {@code from} members in
 * the key's ring order, where {@code from} is that of the entry.
 */
final class CommonOwnership {

    private final Ring ring;
    private final int members;
    private final Member one;
    private final Member other;

    CommonOwnership(Ring ring, Member one, Member other) {
        this.ring = ring;
        this.members = ring.topology().size();
        this.one = one;
        this.other = other;
    }

    /** The same for the first member and another member. */
    CommonOwnership with(Member another) {
        return new CommonOwnership(ring, one, another);
    }

    /** The first of the two members. */
    Member member() {
        return one;
    }

    /** How many members own an entry by default. */
    int copies() {
        return ring.effectiveFrom(0);
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
        int from = ring.effectiveFrom(entryFrom);
        if (from == members) {
            return true;
        }
        if (from == 1) {
            return false;
        }
        List<Member> replicas = ring.replicas(Token.hash(key), from);
        return replicas.contains(one) && replicas.contains(other);
    }

    /**
     * Whether the other member owns an entry, and this member is the first of {@code sources} that
     * owns it.
     *
     * @param sources the members that send entries to the other
     */
    boolean isSentByFirst(Entry entry, List<Member> sources) {
        boolean isForOther = false;
        Member first = null;
        for (Member replica :
                ring.replicas(Token.hash(entry.key()), ring.effectiveFrom(entry.from()))) {
            if (replica.equals(other)) {
                isForOther = true;
            } else if (first == null && sources.contains(replica)) {
                first = replica;
            }
        }
        return isForOther && one.equals(first);
    }
}

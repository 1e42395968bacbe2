package dev.quorate.node.membership;

import dev.quorate.node.message.KnownLife;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How far each member is known to have come, and what follows for this one. A member's generation
 * grows with each start and while it votes, and it is on its own disk before others hear of it. So
 * if a member finds less on its disk than somebody has heard from another life of it, the directory
 * is an old copy, or another process runs under its name.
 *
 * <p>Not safe for use by several threads.
 */
final class Generations {

    private final int self;
    private final long life;

    /** Further than this no other life of this member has come, or this directory is old. */
    private long begunAt;

    private long reached;

    /** How far another life of this member has come; 0 if none is known. */
    private long furthestOfAnotherLife;

    private final Map<Integer, KnownLife> known = new HashMap<>();
    private List<KnownLife> recorded;

    /**
     * @param found what this member's own disk said at the start
     * @param recorded what its disk said of the members
     */
    Generations(int self, long life, long found, List<KnownLife> recorded) {
        this.self = self;
        this.life = life;
        this.begunAt = found;
        this.reached = found;
        this.recorded = List.copyOf(recorded);
        recorded.forEach(this::heard);
    }

    /** How far a member has come, as somebody says. */
    void heard(KnownLife said) {
        if (said.member() == self) {
            if (said.life() != life) {
                furthestOfAnotherLife = Math.max(furthestOfAnotherLife, said.generation());
            }
            return;
        }
        KnownLife before = known.get(said.member());
        known.put(said.member(), before == null ? said : before.or(said));
    }

    /** Whether another life of this member has come further than this directory had. */
    boolean isOldCopy() {
        return begunAt < furthestOfAnotherLife;
    }

    long furthestOfAnotherLife() {
        return furthestOfAnotherLife;
    }

    /** What this member's directory had at the start. */
    long begunAt() {
        return begunAt;
    }

    /** What its disk is to say next: further than any life of this member has come. */
    long next() {
        return Math.max(reached, furthestOfAnotherLife) + 1;
    }

    /** Its disk says so now. */
    void reached(long generation) {
        reached = generation;
    }

    long reached() {
        return reached;
    }

    /** Its disk says so now, and it has whatever any life of it acknowledged. */
    void begin(long generation) {
        begunAt = generation;
        reached = generation;
    }

    /** What is to be recorded on disk. */
    Collection<KnownLife> known() {
        return List.copyOf(known.values());
    }

    /** Whether there is something to record. */
    boolean isUnrecorded() {
        return !Map.copyOf(known).equals(byMember(recorded));
    }

    private static Map<Integer, KnownLife> byMember(List<KnownLife> lives) {
        Map<Integer, KnownLife> byMember = new HashMap<>();
        lives.forEach(each -> byMember.put(each.member(), each));
        return byMember;
    }

    /** This is on disk now. */
    void recorded(Collection<KnownLife> written) {
        recorded = List.copyOf(written);
    }

    /** What is on disk: others may count on it. */
    List<KnownLife> recorded() {
        return recorded;
    }

    /** Whether a member that says so has recorded how far this life of this one has come. */
    boolean isRecordedIn(List<KnownLife> table) {
        for (KnownLife each : table) {
            if (each.member() == self && each.life() == life && each.generation() >= reached) {
                return true;
            }
        }
        return false;
    }
}

package dev.quorate.node.membership;

import dev.quorate.router.message.KnownLife;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The generation of each member, and the conclusions for this member. A member's generation grows
 * with each start and while it votes, and is on its own disk before it is announced. So if a
 * member's disk has a lower generation than others have received from another life of it, its
 * directory is an old copy, or another process runs under its name.
 *
 * <p>Thread-safe: its lock guards every field that changes.
 */
public final class Generations {

    private final int self;
    private final long life;

    /** If another life of this member has a higher generation, this directory is old. */
    private long begunAt;

    private long reached;

    /** The highest generation of another life of this member; 0 if none is known. */
    private long furthestOfAnotherLife;

    private final Map<Integer, KnownLife> known = new HashMap<>();
    private List<KnownLife> recorded;

    /**
     * @param found the generation on this member's disk at the start
     * @param recorded the members' generations on its disk
     */
    Generations(int self, long life, long found, List<KnownLife> recorded) {
        this.self = self;
        this.life = life;
        this.begunAt = found;
        this.reached = found;
        this.recorded = List.copyOf(recorded);
        recorded.forEach(this::merge);
    }

    /** Merges a generation that another member reports. */
    synchronized void merge(KnownLife said) {
        if (said.member() == self) {
            if (said.life() != life) {
                furthestOfAnotherLife = Math.max(furthestOfAnotherLife, said.generation());
            }
            return;
        }
        KnownLife before = known.get(said.member());
        known.put(said.member(), before == null ? said : before.or(said));
    }

    /** Forgets what is known of members that have left. */
    synchronized void forget(IntPredicate left) {
        known.keySet().removeIf(left::test);
    }

    /** Whether another life of this member has a higher generation than this directory had. */
    synchronized boolean isOldCopy() {
        return begunAt < furthestOfAnotherLife;
    }

    synchronized long furthestOfAnotherLife() {
        return furthestOfAnotherLife;
    }

    /** The next generation to record: above that of any life of this member. */
    public synchronized long next() {
        return Math.max(reached, furthestOfAnotherLife) + 1;
    }

    /** Notes that this member's disk has this generation. */
    synchronized void reached(long generation) {
        reached = generation;
    }

    /** The generations at the start of this life and now. */
    synchronized KnownLife own() {
        return new KnownLife(self, life, begunAt, reached);
    }

    /**
     * Notes that this member has this generation on disk, and has every write that any life of it
     * acknowledged.
     */
    public synchronized void begin(long generation) {
        begunAt = generation;
        reached = generation;
    }

    /** The generations to record on disk. */
    synchronized Collection<KnownLife> known() {
        return List.copyOf(known.values());
    }

    /** Whether the known generations differ from those on disk. */
    synchronized boolean isUnrecorded() {
        return !Map.copyOf(known).equals(byMember(recorded));
    }

    private static Map<Integer, KnownLife> byMember(List<KnownLife> lives) {
        Map<Integer, KnownLife> byMember = new HashMap<>();
        lives.forEach(each -> byMember.put(each.member(), each));
        return byMember;
    }

    /** Notes the generations that are on disk now. */
    synchronized void recorded(Collection<KnownLife> written) {
        recorded = List.copyOf(written);
    }

    /** The generations on disk, which others may rely on. */
    synchronized List<KnownLife> recorded() {
        return recorded;
    }

    /** Whether another member's table includes this life of this member, as far as reached. */
    synchronized boolean isRecordedIn(List<KnownLife> table) {
        for (KnownLife each : table) {
            if (each.member() == self && each.life() == life && each.generation() >= reached) {
                return true;
            }
        }
        return false;
    }
}

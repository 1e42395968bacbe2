package dev.quorate.node.membership;

import dev.quorate.node.message.KnownLife;
import dev.quorate.node.message.MemberState;
import dev.quorate.node.message.MemberState.Condition;
import dev.quorate.node.replica.Horizon;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this member's data is worth, and what it has heard of the others'. Its lock guards every
 * field that changes; nothing is called under it but the suppliers.
 */
public final class Membership implements MemberProgress {

    /** Of what is not proven to be all. */
    private static final double ALMOST = 0.99;

    private static final Work NO_WORK =
            new Work() {
                @Override
                public String doing() {
                    return "it has not begun";
                }

                @Override
                public long copied() {
                    return 0;
                }
            };

    /**
     * What a member has of an earlier life.
     *
     * @param condition of its data
     * @param trusted whether nothing that others say can change that
     * @param generation how far it had come
     * @param known how far all had come
     */
    public record Past(
            Condition condition, boolean trusted, long generation, List<KnownLife> known) {

        public Past {
            known = List.copyOf(known);
        }

        /** Of a member whose directory says no more than that. */
        public static Past of(Condition condition) {
            return new Past(condition, false, 0, List.of());
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final Topology topology;
    private final Member self;
    private final long life;
    private final Ticker ticker;
    private final LongSupplier bytes;
    private final Watermark watermark;

    private volatile Condition condition;
    private final Generations generations;
    private final boolean trusted;

    /** Whether it has lost its standing in this life: it does not twice. */
    private boolean hasLostStanding;

    /** Whether another process has the same name, and advances. */
    private volatile boolean hasTwin;

    private final Map<Integer, MemberState> others = new HashMap<>();

    /** Those that were heard of in another life, and are empty in this one. */
    private final Set<Integer> lostTheirDisk = new HashSet<>();

    private volatile Work work = NO_WORK;

    private final List<NewsListener> listeners = new CopyOnWriteArrayList<>();

    /**
     * @param past what it has of an earlier life
     * @param life drawn at random, so that another process is known as another
     * @param slack see {@link Watermark}
     * @param gcWatermarkMillis what was settled, as this member knew before
     * @param bytes about how many this member has
     */
    public Membership(
            Topology topology,
            Member self,
            Past past,
            long life,
            Duration slack,
            long gcWatermarkMillis,
            Ticker ticker,
            LongSupplier bytes) {
        this.topology = topology;
        this.self = self;
        this.life = life;
        this.ticker = ticker;
        this.bytes = bytes;
        this.watermark = new Watermark(topology, self, slack, gcWatermarkMillis);
        this.condition = past.condition();
        this.hasLostStanding = past.condition() == Condition.REBUILDING;
        this.trusted = past.trusted();
        this.generations = new Generations(self.number(), life, past.generation(), past.known());
    }

    @Override
    public boolean votes() {
        return condition.votes();
    }

    /** As {@link #description}, and how far it is. */
    public String progress() {
        if (condition != Condition.REBUILDING) {
            return description();
        }
        return String.format(
                Locale.ROOT,
                "%s; %s; %,d entries were copied; about %,d bytes are here, and %,d at the member"
                        + " that has the most",
                description(),
                work.doing(),
                work.copied(),
                bytes.getAsLong(),
                mostBytes());
    }

    /**
     * About how much of what it is to have it has, 0 to 1; 1 if it votes, and not before. By the
     * bytes that it and the largest of the others say to have on disk.
     */
    public double rebuilt() {
        if (votes()) {
            return 1;
        }
        double most = Math.max(mostBytes(), 1);
        return condition == Condition.EMPTY ? 0 : Math.min(bytes.getAsLong() / most, ALMOST);
    }

    /** Entries that were copied from others since it began with an empty disk in this life. */
    public long copied() {
        return work.copied();
    }

    /** What is being done to have this member vote. */
    interface Work {

        /** In a few words. */
        String doing();

        /** Entries copied so far. */
        long copied();
    }

    /** From now on, who tells of the work. */
    void worksOn(Work rebuild) {
        work = rebuild;
    }

    /** Whether it began with an empty directory, and does not know yet whether all did. */
    public boolean isUndecided() {
        return condition == Condition.EMPTY;
    }

    /** Whether it has whatever it acknowledged, and is not just founding the cluster. */
    public boolean isWhole() {
        return condition == Condition.WHOLE;
    }

    Condition condition() {
        return condition;
    }

    /** Why it does not vote, in a few words. */
    public String description() {
        if (hasTwin) {
            return "another process runs under its name";
        }
        return switch (condition) {
            case EMPTY -> "its directory is new, and it has not heard from all members yet";
            case REBUILDING ->
                    "it lost what it had stored, or some of it, and fetches it from the others";
            case RETURNING ->
                    "it has not heard yet from another member whether its directory is an old copy";
            case FOUNDING, WHOLE -> "it votes";
        };
    }

    Member self() {
        return self;
    }

    void become(Condition next) {
        synchronized (this) {
            hasLostStanding |= next == Condition.REBUILDING;
            condition = next;
        }
    }

    /** As {@link #become}, unless it is something else by now. */
    synchronized boolean becomeFrom(Condition before, Condition next) {
        if (condition != before) {
            return false;
        }
        become(next);
        return true;
    }

    /**
     * Looks whether another life of this member has come further than this directory had; then it
     * does not vote any more. Once: who has everything again and finds that anew has a twin.
     *
     * @return whether it is to be rebuilt for that
     */
    boolean findsOldCopy() {
        synchronized (this) {
            boolean hasStanding =
                    switch (condition) {
                        case EMPTY, REBUILDING -> false;
                        case FOUNDING, RETURNING, WHOLE -> true;
                    };
            if (trusted || !hasStanding || !generations.isOldCopy()) {
                return false;
            }
            hasTwin = hasLostStanding;
            become(Condition.REBUILDING);
        }
        if (hasTwin) {
            LOG.error(
                    "Another process runs as {}: this one does not vote any more. Stop the other"
                            + " one, and start this one again",
                    self.name());
        } else {
            LOG.error(
                    "The data directory is an old copy, or another process runs as {}: it is of"
                            + " generation {}, and this member had come to {}",
                    self.name(),
                    generations.begunAt(),
                    generations.furthestOfAnotherLife());
        }
        return !hasTwin;
    }

    /** What the disk of this member is to say next. */
    public synchronized long nextGeneration() {
        return generations.next();
    }

    synchronized void reached(long generation) {
        generations.reached(generation);
    }

    /** This member has whatever any life of it acknowledged, and its disk says this generation. */
    public synchronized void begin(long generation) {
        generations.begin(generation);
    }

    synchronized Collection<KnownLife> known() {
        return generations.known();
    }

    synchronized boolean hasUnrecorded() {
        return generations.isUnrecorded();
    }

    synchronized void recorded(Collection<KnownLife> written) {
        generations.recorded(written);
    }

    synchronized boolean isRecordedIn(List<KnownLife> table) {
        return generations.isRecordedIn(table);
    }

    /** See {@link Horizon}. */
    public Horizon horizon() {
        return watermark;
    }

    Watermark watermark() {
        return watermark;
    }

    /** Told when there is news of another member, without a lock. */
    @FunctionalInterface
    interface NewsListener {
        void heard(int member, MemberState news);
    }

    /** Who is told too, after those that were named before. */
    void whenHeard(NewsListener listener) {
        listeners.add(listener);
    }

    /** How this member is, for people to read. */
    public MemberState ours() {
        synchronized (this) {
            return news(condition, List.of());
        }
    }

    /** Called under the lock. */
    private MemberState news(Condition told, List<KnownLife> known) {
        return new MemberState(
                life,
                told,
                Math.max(bytes.getAsLong(), 0),
                Math.max(ticker.wallMillis(), 0),
                votes() ? watermark.completeMillis() : 0,
                watermark.knownMillis(),
                generations.begunAt(),
                generations.reached(),
                known);
    }

    /**
     * {@inheritDoc}
     *
     * <p>To one that had a disk a moment ago and has it no more, a cluster that is being founded is
     * an old one: it had acknowledged something, perhaps.
     */
    @Override
    public MemberState stateFor(int member) {
        Condition told = condition;
        synchronized (this) {
            if (told == Condition.FOUNDING && lostTheirDisk.contains(member)) {
                told = Condition.WHOLE;
            }
            return news(told, generations.recorded());
        }
    }

    @Override
    public void heard(int member, MemberState theirs) {
        if (member == self.number() || !isMember(member)) {
            return;
        }
        synchronized (this) {
            MemberState before = others.put(member, theirs);
            if (before != null
                    && before.life() != theirs.life()
                    && theirs.condition() == Condition.EMPTY) {
                lostTheirDisk.add(member);
            }
            generations.heard(
                    new KnownLife(member, theirs.life(), theirs.begunAt(), theirs.generation()));
            for (KnownLife each : theirs.known()) {
                if (isMember(each.member())) {
                    generations.heard(each);
                }
            }
        }
        watermark.heard(member, theirs.completeMillis(), theirs.gcWatermarkMillis());
        for (NewsListener listener : listeners) {
            listener.heard(member, theirs);
        }
    }

    @Override
    public synchronized long lifeOf(int member) {
        MemberState news = others.get(member);
        return news == null ? 0 : news.life();
    }

    private boolean isMember(int number) {
        for (Member member : topology.members()) {
            if (member.number() == number) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void agreed(int member, long sinceMillis) {
        watermark.agreed(member, sinceMillis);
    }

    @Override
    public long gcWatermarkMillis() {
        return watermark.gcWatermarkMillis();
    }

    /** What the other members' wall clocks showed when they were last heard of. */
    public synchronized List<Long> othersMillis() {
        return others.values().stream().map(MemberState::wallMillis).toList();
    }

    /** Whether another member has said last that it votes. */
    public synchronized boolean hasSaidThatItVotes(int member) {
        MemberState news = others.get(member);
        return news != null && news.condition().votes();
    }

    /** Whether every other member has said that it votes. */
    synchronized boolean allVote() {
        int voting = 1;
        for (MemberState news : others.values()) {
            voting += news.condition().votes() ? 1 : 0;
        }
        return voting == topology.size();
    }

    /** Whether any other member has a past. */
    synchronized boolean anyMemberHasData() {
        for (MemberState news : others.values()) {
            boolean hasAPast =
                    switch (news.condition()) {
                        case EMPTY, FOUNDING -> false;
                        case REBUILDING, RETURNING, WHOLE -> true;
                    };
            if (hasAPast) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether every member began with nothing, as far as is known of each. Not a majority: with the
     * data on a member that is away, one that lost its disk and one that was never started would
     * take themselves for a new cluster.
     */
    synchronized boolean allAreNew() {
        int alike = 1;
        for (MemberState news : others.values()) {
            if (news.condition() == Condition.EMPTY || news.condition() == Condition.FOUNDING) {
                alike++;
            }
        }
        return alike == topology.size();
    }

    /** The most bytes that another member has said to have. */
    private synchronized long mostBytes() {
        long most = 0;
        for (MemberState news : others.values()) {
            most = Math.max(most, news.bytes());
        }
        return most;
    }
}

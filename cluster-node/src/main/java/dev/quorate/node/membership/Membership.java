package dev.quorate.node.membership;

import dev.quorate.node.antientropy.Neighbours;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.message.MemberNews;
import dev.quorate.node.message.MemberNews.Condition;
import dev.quorate.node.replica.Horizon;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What this member's data is worth, and what it has heard of the others'. Its lock guards every
 * field that changes; nothing is called under it but the suppliers.
 */
public final class Membership implements Neighbours {

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

    private final Topology topology;
    private final Member self;
    private final long life;
    private final Ticker ticker;
    private final LongSupplier bytes;
    private final Watermark watermark;

    private volatile Condition condition;
    private final Map<Integer, MemberNews> others = new HashMap<>();

    /** Those that were heard of in another life, and are empty in this one. */
    private final Set<Integer> lostTheirDisk = new HashSet<>();

    private volatile Work work = NO_WORK;

    private volatile Runnable whenHeard = () -> {};

    /**
     * @param empty whether the member found an empty directory, and was not whole since
     * @param life drawn at random, so that another process is known as another
     * @param slack see {@link Watermark}
     * @param settledMillis what was settled, as this member knew before
     * @param bytes about how many this member has
     */
    public Membership(
            Topology topology,
            Member self,
            boolean empty,
            long life,
            Duration slack,
            long settledMillis,
            Ticker ticker,
            LongSupplier bytes) {
        this.topology = topology;
        this.self = self;
        this.life = life;
        this.ticker = ticker;
        this.bytes = bytes;
        this.watermark = new Watermark(topology, self, slack, settledMillis);
        this.condition = empty ? Condition.EMPTY : Condition.WHOLE;
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
                "%s; %s; %,d entries were copied; it has about %,d of %,d bytes, %.0f %%",
                description(),
                work.doing(),
                work.copied(),
                bytes.getAsLong(),
                mostBytes(),
                Math.floor(rebuilt() * 100));
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
        return switch (condition) {
            case EMPTY -> "its disk is empty, and it has not heard from enough members yet";
            case REBUILDING -> "its disk was empty, and it fetches what it has to have";
            case FOUNDING, WHOLE -> "it votes";
        };
    }

    Member self() {
        return self;
    }

    void become(Condition next) {
        condition = next;
    }

    /** See {@link Horizon}. */
    public Horizon horizon() {
        return watermark;
    }

    Watermark watermark() {
        return watermark;
    }

    /** Called when there is news of another member, without a lock. */
    void whenHeard(Runnable listener) {
        whenHeard = listener;
    }

    /** How this member is, for people to read. */
    public MemberNews ours() {
        return news(condition);
    }

    private MemberNews news(Condition told) {
        return new MemberNews(
                life,
                told,
                Math.max(bytes.getAsLong(), 0),
                Math.max(ticker.wallMillis(), 0),
                votes() ? watermark.completeMillis() : 0,
                watermark.knownMillis());
    }

    /**
     * {@inheritDoc}
     *
     * <p>To one that had a disk a moment ago and has it no more, a cluster that is being founded is
     * an old one: it had acknowledged something, perhaps.
     */
    @Override
    public MemberNews newsFor(int member) {
        Condition told = condition;
        synchronized (this) {
            if (told == Condition.FOUNDING && lostTheirDisk.contains(member)) {
                told = Condition.WHOLE;
            }
        }
        return news(told);
    }

    @Override
    public void heard(int member, MemberNews theirs) {
        if (member == self.number() || !isMember(member)) {
            return;
        }
        synchronized (this) {
            MemberNews before = others.put(member, theirs);
            if (before != null
                    && before.life() != theirs.life()
                    && theirs.condition() == Condition.EMPTY) {
                lostTheirDisk.add(member);
            }
        }
        watermark.heard(member, theirs.completeMillis(), theirs.settledMillis());
        whenHeard.run();
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
    public long settledMillis() {
        return watermark.settledMillis();
    }

    /** What the other members' wall clocks showed when they were last heard of. */
    public synchronized List<Long> othersMillis() {
        return others.values().stream().map(MemberNews::wallMillis).toList();
    }

    /** Whether every other member has said that it votes. */
    synchronized boolean allVote() {
        int voting = 1;
        for (MemberNews news : others.values()) {
            voting += news.condition().votes() ? 1 : 0;
        }
        return voting == topology.size();
    }

    /** Whether any other member has a past. */
    synchronized boolean someoneHasAPast() {
        for (MemberNews news : others.values()) {
            if (news.condition() == Condition.WHOLE || news.condition() == Condition.REBUILDING) {
                return true;
            }
        }
        return false;
    }

    /** Whether a majority, with this member, began with nothing. */
    synchronized boolean majorityIsNew() {
        int alike = 1;
        for (MemberNews news : others.values()) {
            if (news.condition() == Condition.EMPTY || news.condition() == Condition.FOUNDING) {
                alike++;
            }
        }
        return alike > topology.size() / 2;
    }

    /** The most bytes that another member has said to have. */
    private synchronized long mostBytes() {
        long most = 0;
        for (MemberNews news : others.values()) {
            most = Math.max(most, news.bytes());
        }
        return most;
    }
}

package dev.quorate.node.membership;

import dev.quorate.router.message.KnownLife;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberState.Load;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The condition of this member's data, and the others' states. Its lock guards every field that
 * changes; with it held, only the suppliers are called, and objects that lock nothing else.
 */
public final class Membership implements MemberProgress {

    /** Maximum progress that is reported before completion is proven. */
    private static final double ALMOST = 0.99;

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final LiveTopology topology;
    private final Member self;
    private final Ticker ticker;
    private final Disk disk;
    private final Watermark watermark;

    private volatile Condition condition;
    private final Generations generations;
    private final boolean trusted;

    /** Whether this member has lost its standing since it started, which happens at most once. */
    private boolean hasLostStanding;

    /** Whether another process runs under the same name. */
    private volatile boolean hasTwin;

    private volatile boolean isStopping;
    private volatile int proved;

    /** Whether the cluster is known not to have this member. */
    private volatile boolean isOutside;

    /** The topology of {@code others} and {@code generations}. */
    private Topology members;

    private volatile int clean;

    private final AnnouncedStates others;

    private volatile Work work = new Work() {};

    /** This member's view of its peers. Called without the lock. */
    private volatile Supplier<List<PeerView>> sight = List::of;

    private volatile Supplier<Load> load = () -> Load.NONE;

    /**
     * @param past the state from before the start
     * @param life random, to distinguish processes
     * @param slack see {@link Watermark}
     * @param disk estimates the bytes that this member stores
     */
    public Membership(
            LiveTopology topology,
            Member self,
            Past past,
            long life,
            Duration slack,
            Ticker ticker,
            Disk disk) {
        this.topology = topology;
        this.members = topology.current();
        this.self = self;
        this.ticker = ticker;
        this.disk = disk;
        this.watermark = new Watermark(topology.current(), self, slack, past.gcWatermarkMillis());
        this.others = new AnnouncedStates(topology, self);
        this.condition = past.condition();
        this.hasLostStanding = past.condition() == Condition.REBUILDING;
        this.trusted = past.trusted();
        this.generations = new Generations(self.number(), life, past.generation(), past.known());
        topology.beforeInstalled(this::forgetThoseBefore);
        topology.whenInstalled(watermark::moveTo);
    }

    /**
     * Forgets members that are not in the next topology, before this member announces its epoch. A
     * name that returns is another member: nothing that is known of it applies.
     */
    private synchronized void forgetThoseBefore(Topology next) {
        Topology before = members;
        members = next;
        others.forget(number -> hasLeft(number, before));
        generations.forget(number -> hasLeft(number, before));
    }

    @Override
    public boolean votes() {
        return condition.votes();
    }

    @Override
    public boolean needsData() {
        return !votes() || work.isActive();
    }

    @Override
    public boolean hasItsData(Member other) {
        MemberState state = others.of(other.number());
        Member now = topology.current().member(other.number());
        return state != null
                && state.condition().votes()
                && (now == null || now.part() != Member.Part.JOINS);
    }

    /** {@link #description}, with the progress. */
    public String progress() {
        if (condition != Condition.REBUILDING && !topology.current().isJoint()) {
            return description();
        }
        return String.format(
                Locale.ROOT,
                "%s; %s; %,d entries were copied; about %,d bytes are here, and %,d at the member"
                        + " that has the most",
                description(),
                work.doing(),
                work.copied(),
                disk.storedBytes(),
                others.mostBytes());
    }

    /**
     * The progress of a rebuild, 0 to 1; 1 only if this member votes. Estimated from the bytes on
     * its disk and on that of the largest other member.
     */
    public double rebuilt() {
        if (votes()) {
            return 1;
        }
        double most = Math.max(others.mostBytes(), 1);
        return condition == Condition.EMPTY ? 0 : Math.min(disk.storedBytes() / most, ALMOST);
    }

    /** How many entries were copied from others since the start. */
    public long copied() {
        return work.copied();
    }

    /** The disk of this member. */
    @FunctionalInterface
    public interface Disk {

        /** About as many bytes of entries are stored. */
        long storedBytes();

        /** How many more bytes there is room for. */
        default long freeBytes() {
            return Long.MAX_VALUE;
        }
    }

    /** The rebuild of this member. */
    interface Work {

        /** The current activity, in a few words. */
        default String doing() {
            return "it has not begun";
        }

        /** How many entries were copied so far. */
        default long copied() {
            return 0;
        }

        /** Whether this member gets data that it needs. */
        default boolean isActive() {
            return false;
        }

        /** See {@link MemberState#gainedBytes}. */
        default long copiedBytes() {
            return 0;
        }

        /** See {@link MemberState#toGainBytes}. */
        default long toCopyBytes() {
            return 0;
        }
    }

    void setRebuild(Work rebuild) {
        work = rebuild;
    }

    Condition condition() {
        return condition;
    }

    /** The reason why this member does not vote, or that it votes; in a few words. */
    public String description() {
        if (hasTwin) {
            return "another process runs under its name";
        }
        return switch (condition) {
            case EMPTY ->
                    "its directory is new, and "
                            + (isOutside ? "the cluster has no such member" : others.awaited());
            case REBUILDING ->
                    "it lost what it had stored, or some of it, and fetches it from the others";
            case RETURNING ->
                    "it has not heard yet from another member whether its directory is an old copy";
            case REMOVED -> "it was removed from the cluster";
            case FOUNDING, WHOLE, STOPPING -> "it votes";
        };
    }

    /** Whether the change that is in progress adds this member. */
    boolean joins() {
        Member own = topology.current().member(self.name());
        return own != null && own.part() == Member.Part.JOINS;
    }

    /** Whether this member joins, and is about to vote. */
    boolean isAboutToVote() {
        return joins() && (condition == Condition.EMPTY || condition == Condition.RETURNING);
    }

    /** Whether the cluster has a later topology without this member. */
    public boolean isRemoved() {
        return condition == Condition.REMOVED;
    }

    /** The id of the cluster; null until this member knows it. */
    public @Nullable UUID cluster() {
        return topology.current().cluster();
    }

    Member self() {
        return self;
    }

    synchronized void become(Condition next) {
        hasLostStanding |= next == Condition.REBUILDING;
        condition = next;
    }

    /** Changes the condition, unless it is no longer {@code before}. */
    synchronized boolean becomeFrom(Condition before, Condition next) {
        if (condition != before) {
            return false;
        }
        become(next);
        return true;
    }

    /**
     * Checks whether another life of this member has a higher generation than this directory had;
     * if so, this member stops voting. Returns true at most once: if it happens again after a
     * rebuild, another process runs under this member's name.
     *
     * @return whether this member must be rebuilt
     */
    boolean findsOldCopy() {
        synchronized (this) {
            boolean hasStanding =
                    switch (condition) {
                        case EMPTY, REBUILDING, REMOVED -> false;
                        case FOUNDING, RETURNING, WHOLE, STOPPING -> true;
                    };
            if (trusted || !hasStanding || !generations.isOldCopy()) {
                return false;
            }
            hasTwin = hasLostStanding;
            become(Condition.REBUILDING);
        }
        if (hasTwin) {
            LOG.error(
                    "Another process runs as {}: this process has stopped voting. Stop the other"
                            + " one, and start this one again",
                    self.name());
        } else {
            LOG.error(
                    "The data directory is an old copy, or another process runs as {}: it is of"
                            + " generation {}, and this member had reached {}",
                    self.name(),
                    generations.own().begunAt(),
                    generations.furthestOfAnotherLife());
        }
        return !hasTwin;
    }

    /** The states that the other members have announced. */
    public AnnouncedStates others() {
        return others;
    }

    /** The generations of all members. */
    public Generations generations() {
        return generations;
    }

    public Watermark watermark() {
        return watermark;
    }

    /** The state of this member, for display. */
    public synchronized MemberState ours() {
        return state(condition, List.of(), List.of());
    }

    /** Called under the lock. */
    private MemberState state(Condition told, List<KnownLife> known, List<PeerView> seen) {
        int epoch = topology.current().epoch();
        KnownLife own = generations.own();
        return new MemberState(
                own.life(),
                epoch,
                clean,
                proved,
                told,
                Math.max(disk.storedBytes(), 0),
                Math.max(disk.freeBytes(), 0),
                work.copiedBytes(),
                work.toCopyBytes(),
                Math.max(ticker.wallMillis(), 0),
                votes() ? watermark.completeMillis(epoch) : 0,
                watermark.knownMillis(),
                own.begunAt(),
                own.generation(),
                known,
                seen,
                load.get());
    }

    /** Notes the epoch up to which leftovers were deleted. */
    void cleanUpTo(int epoch) {
        clean = epoch;
    }

    /** Whether this member has deleted all entries of keys that it lost. */
    boolean isClean() {
        return clean >= topology.current().shrunk();
    }

    /**
     * The members that are not known to have deleted the entries of keys that they lost.
     *
     * @param next the next topology, in which they may gain keys; lost members do not
     */
    List<String> unclean(Topology next) {
        int shrunk = topology.current().shrunk();
        List<String> unclean = new ArrayList<>();
        for (Member each : next.members()) {
            MemberState state = stateOf(each.number());
            boolean isClean = shrunk == 0 || (state != null && state.clean() >= shrunk);
            boolean gains = each.part() == Member.Part.STAYS || each.part() == Member.Part.LEAVES;
            if (gains && !isClean) {
                unclean.add(each.name());
            }
        }
        return unclean;
    }

    /** Sets this member's view of its peers, which it announces; called without a lock. */
    public void setPeerViews(Supplier<List<PeerView>> others) {
        sight = others;
    }

    /** Sets this member's load, which it announces; the supplier locks nothing. */
    public void setLoad(Supplier<Load> current) {
        load = current;
    }

    /**
     * {@inheritDoc}
     *
     * <p>A member that had data and has lost it may have acknowledged writes. For it, a cluster
     * that is being founded is not new.
     */
    @Override
    public MemberState stateFor(int member) {
        Condition told = condition;
        List<PeerView> seen = sight.get();
        synchronized (this) {
            if (told == Condition.FOUNDING && others.hasLostItsDisk(member)) {
                told = Condition.WHOLE;
            }
            if (told == Condition.WHOLE && isStopping) {
                told = Condition.STOPPING;
            }
            return state(told, generations.recorded(), seen);
        }
    }

    @Override
    public void onState(int member, MemberState theirs) {
        if (member == self.number() || topology.current().member(member) == null) {
            return;
        }
        synchronized (this) {
            // Before the state: who acts on it must know the generations.
            generations.merge(
                    new KnownLife(member, theirs.life(), theirs.begunAt(), theirs.generation()));
            for (KnownLife each : theirs.known()) {
                Member known = members.member(each.member());
                if (known != null && theirs.epoch() >= known.since()) {
                    generations.merge(each);
                }
            }
            others.put(member, theirs);
        }
        watermark.merge(
                member, theirs.epoch(), theirs.completeMillis(), theirs.gcWatermarkMillis());
        others.tell(member, theirs);
    }

    @Override
    public long lifeOf(int member) {
        MemberState state = others.of(member);
        return state == null ? 0 : state.life();
    }

    /** Whether a member of an earlier topology has left. */
    private boolean hasLeft(int number, Topology before) {
        Member was = before.member(number);
        Member is = members.member(number);
        return was == null || is == null || !was.isSame(is);
    }

    /** Notes that this member has shown that it has the keys that it gains in an epoch. */
    void prove(int epoch) {
        proved = epoch;
    }

    /** The epoch in which a member has shown that it has the keys that it gains; 0 for none. */
    public int provedEpoch(Member member) {
        int own = votes() ? proved : 0;
        return member.equals(self) ? own : others.provedEpoch(member.number());
    }

    /**
     * The cluster has a later topology without this member.
     *
     * @param wasMember whether it has been a member
     */
    void leave(boolean wasMember) {
        if (wasMember && condition != Condition.REMOVED) {
            LOG.warn("This node was removed from the cluster");
            become(Condition.REMOVED);
        }
        isOutside = true;
    }

    @Override
    public void agreed(int member, long sinceMillis, int epoch) {
        watermark.agreed(member, sinceMillis, epoch);
    }

    @Override
    public long gcWatermarkMillis() {
        return watermark.gcWatermarkMillis();
    }

    /** The state of this member, or the one that another has announced last; null if none. */
    public @Nullable MemberState stateOf(int member) {
        return member == self.number() ? ours() : others.of(member);
    }

    /** Whether this member announces from now on that it is about to stop. */
    public void setStopping(boolean stopping) {
        isStopping = stopping;
    }
}

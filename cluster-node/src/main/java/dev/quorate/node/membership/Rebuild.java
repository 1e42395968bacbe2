package dev.quorate.node.membership;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a member gets from others before it votes, or before a change of members can end.
 *
 * <p><i>An empty directory.</i> Either the whole cluster is new: then every member announces that
 * it is empty, and nothing can have been acknowledged. Or this member joins in the change in
 * progress: then it has acknowledged nothing, and votes as one that returns. Or others have data,
 * and this member may have had some: then it is rebuilt.
 *
 * <p><i>A rebuild</i> ends when this member has what each other one has. Its comparison begins only
 * after the longest time that a write takes: a write that this member acknowledged just before it
 * lost its disk has reached its other replicas by then, or never will.
 *
 * <p><i>A change of members</i> (decision 0052): if this member gains keys, it shows that it has
 * what those have that lose them. It votes meanwhile.
 *
 * <p>Its lock guards every field that changes; nothing is called under it.
 */
public final class Rebuild implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Rebuild.class);

    private static final Duration FIRST_ASKED_AGAIN = Duration.ofMillis(20);
    private static final Duration LAST_ASKED_AGAIN = Duration.ofSeconds(1);
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);

    /** After a restart of all members, others come up a moment later: 5 seconds. */
    private static final int MAX_ATTEMPTS = 20;

    /**
     * How long a founding member waits for others to found the cluster too, unless all have
     * announced that earlier.
     */
    private static final Duration FOUNDING = Duration.ofSeconds(10);

    @FunctionalInterface
    public interface Disk {

        /**
         * Records durably that this member has whatever it acknowledged.
         *
         * @param watermarkMillis the GC watermark of the others, which it has from now on
         */
        void becomeWhole(long watermarkMillis) throws IOException;
    }

    private final Membership membership;
    private final Announcements announcements;
    private final Gain gain;
    private final LivePlacement placement;
    private final Disk disk;
    private final Duration longestWrite;
    private final Scheduler scheduler;
    private final Executor blocking;

    /** The topology of the goal. */
    private @Nullable Topology aimed;

    private boolean deciding = true;
    private boolean started;
    private boolean closed;

    /**
     * @param longestWrite the longest time that a client's write takes
     * @param blocking runs tasks that wait for the disk
     */
    public Rebuild(
            Membership membership,
            Gain gain,
            LivePlacement placement,
            Disk disk,
            Duration longestWrite,
            Scheduler scheduler,
            Executor blocking) {
        this.membership = membership;
        this.announcements = gain.announcements();
        this.gain = gain;
        this.placement = placement;
        this.disk = disk;
        this.longestWrite = longestWrite;
        this.scheduler = scheduler;
        this.blocking = blocking;
        membership.setRebuild(gain);
    }

    /** Starts: from now on peers can be asked. */
    public void start() {
        membership.others().whenHeard((member, state) -> decide());
        gain.start();
        synchronized (this) {
            started = true;
        }
        if (membership.condition() == Condition.EMPTY) {
            LOG.info(
                    "The data directory is empty: asking the other members whether the cluster is new");
            decide();
            askAgain();
        } else if (membership.condition() == Condition.REBUILDING) {
            begin();
        } else {
            blocking.execute(this::aim);
        }
    }

    private void askAgain() {
        announcements.announceUntil(
                this::isDecided, FIRST_ASKED_AGAIN, LAST_ASKED_AGAIN, scheduler);
    }

    /** Whether this member need not learn any more whether it may vote. */
    private synchronized boolean isDecided() {
        return closed
                || switch (membership.condition()) {
                    case EMPTY, FOUNDING, RETURNING -> false;
                    case REBUILDING, WHOLE, STOPPING, REMOVED -> true;
                };
    }

    /** Decides anew, because another topology is in use. */
    public void moved() {
        boolean isStarted;
        synchronized (this) {
            isStarted = started;
        }
        if (isStarted) {
            decide();
            blocking.execute(this::aim);
        }
    }

    /** Decides anew, after another member has sent its state. */
    private void decide() {
        if (membership.others().allVote()) {
            var _ = membership.becomeFrom(Condition.FOUNDING, Condition.WHOLE);
        }
        boolean joins = membership.joins();
        boolean found = membership.others().allAreNew();
        synchronized (this) {
            if (closed
                    || !deciding
                    || membership.condition() != Condition.EMPTY
                    || !(found || joins || membership.others().anyHasData())) {
                return;
            }
            deciding = false;
        }
        if (joins) {
            LOG.info("This member joins the cluster");
            blocking.execute(this::join);
        } else if (found) {
            blocking.execute(this::becomeFounder);
        } else {
            LOG.warn("The data directory is empty, and other members have data");
            rebuild();
        }
    }

    /** Votes soon, and gets the keys that it gains: its change may have begun before its start. */
    private void join() {
        if (becomeWhole(Condition.RETURNING)) {
            askAgain();
            aim();
        }
    }

    /** Rebuilds a member that has lost its standing. At most once in a life. */
    void begin() {
        synchronized (this) {
            deciding = false;
        }
        rebuild();
    }

    private void rebuild() {
        LOG.warn("This member does not vote until it has what the others have");
        membership.become(Condition.REBUILDING);
        aimAnew();
    }

    /** Chooses what to get, unless the members and their keys are those of the last choice. */
    private void aim() {
        Topology current = placement.current().topology();
        boolean isRebuilding = membership.condition() == Condition.REBUILDING;
        synchronized (this) {
            boolean proves = current.isJoint() && !isRebuilding; // in one epoch
            boolean isSame =
                    aimed != null && (proves ? aimed.equals(current) : aimed.placesLike(current));
            if (closed || isSame) {
                return;
            }
            aimed = current;
        }
        Set<Member> losers = placement.current().gains().get(membership.self());
        if (isRebuilding) {
            gain.begin(
                    new Gain.Goal(
                            announcements.others().stream()
                                    .map(other -> other.replica().member())
                                    .filter(each -> !isLost(current, each))
                                    .map(Member::name)
                                    .collect(toSet()),
                            false,
                            false,
                            mayRebuild(),
                            () -> membership.others().mostBytes(),
                            longestWrite,
                            () -> blocking.execute(this::becomeWhole)));
        } else if (losers != null) {
            LOG.info("This member gains keys in epoch {}", current.epoch());
            Sources sources = new Sources(current.epoch(), losers);
            gain.begin(
                    new Gain.Goal(
                            losers.stream().map(Member::name).collect(toSet()),
                            true,
                            placement.current().isLostOnce(),
                            sources::areReady,
                            this::bytesToGain,
                            Duration.ZERO,
                            () -> prove(sources)));
        } else {
            gain.end();
        }
    }

    private long bytesToGain() {
        return Moves.to(membership.self(), Moves.bytes(placement.current(), membership::stateOf));
    }

    /** Whether a member is lost for good, so that nobody waits for it. */
    private static boolean isLost(Topology current, Member each) {
        Member member = current.member(each.name());
        return member != null && member.part() == Member.Part.LOST;
    }

    /**
     * Whether a rebuild may begin: this member has no entries of keys that it lost, which it might
     * have gained again; and all others are up, for which it does not wait long.
     */
    private BooleanSupplier mayRebuild() {
        AtomicInteger attempts = new AtomicInteger(MAX_ATTEMPTS);
        return () ->
                membership.isClean()
                        && (announcements.others().stream()
                                        .allMatch(other -> other.isUp().getAsBoolean())
                                || attempts.getAndDecrement() <= 0);
    }

    /** The members that lose keys to this member in an epoch. */
    private final class Sources {

        private final int epoch;
        private final Set<Member> losers;

        /** Their lives when this member was ready to copy. */
        private volatile Map<Member, Long> lives = Map.of();

        /** The GC watermark when all of them were in this epoch. */
        private volatile long watermarkMillis = -1;

        Sources(int epoch, Set<Member> losers) {
            this.epoch = epoch;
            this.losers = losers;
        }

        /**
         * Whether they are in this epoch and vote, and this member has the GC watermark that they
         * came with: they may have dropped tombstones below it. It rises in this epoch only if this
         * member is complete, too.
         */
        boolean areReady() {
            lives = livesNow();
            if (!losers.stream().allMatch(this::isHere)) {
                announcements.announceToAll();
                return false;
            }
            if (watermarkMillis < 0) {
                watermarkMillis = membership.watermark().knownMillis();
            }
            return membership.gcWatermarkMillis() >= watermarkMillis;
        }

        private boolean isHere(Member each) {
            MemberState state = membership.stateOf(each.number());
            return state != null && state.epoch() == epoch && state.condition().votes();
        }

        /**
         * Whether none of them has begun another life since: it may have lost its disk before the
         * comparison.
         */
        boolean areSame() {
            return losers.stream().allMatch(this::isHere) && lives.equals(livesNow());
        }

        private Map<Member, Long> livesNow() {
            return losers.stream()
                    .collect(toMap(each -> each, each -> membership.lifeOf(each.number())));
        }
    }

    /** Announces that this member has the keys that it gains. */
    private void prove(Sources sources) {
        if (!sources.areSame()) {
            aimAnew();
            return;
        }
        LOG.info("This member has the keys that it gains in epoch {}", sources.epoch);
        membership.prove(sources.epoch);
        gain.end();
        announcements.announceToAll();
    }

    private void aimAnew() {
        synchronized (this) {
            aimed = null;
        }
        blocking.execute(this::aim);
    }

    private void becomeFounder() {
        if (becomeWhole(Condition.FOUNDING)) {
            LOG.info("The cluster is new");
            announcements.announceToAll();
            scheduler.after(
                    FOUNDING, () -> membership.becomeFrom(Condition.FOUNDING, Condition.WHOLE));
        }
    }

    private boolean becomeWhole(Condition next) {
        long watermarkMillis = membership.watermark().knownMillis();
        try {
            disk.becomeWhole(watermarkMillis);
            membership.watermark().apply(watermarkMillis);
        } catch (IOException e) {
            LOG.error("Cannot record that this member votes: {}", e.toString());
            synchronized (this) {
                deciding = true;
            }
            return false;
        }
        membership.become(next);
        return true;
    }

    /** Ends a rebuild. */
    private void becomeWhole() {
        if (becomeWhole(Condition.WHOLE)) {
            LOG.info("This member has what the others have, and votes");
            aimAnew();
            announcements.announceToAll();
        } else {
            scheduler.after(BETWEEN_ATTEMPTS, () -> blocking.execute(this::becomeWhole));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}

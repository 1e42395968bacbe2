package dev.quorate.node.membership;

import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.clock.Scheduler;
import dev.quorate.node.clock.Ticker;
import dev.quorate.node.message.MemberNews.Condition;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a member that began with an empty directory one that votes.
 *
 * <p>Either the whole cluster is new: then a majority says so of itself, and there is nothing that
 * anyone could have acknowledged. Or others have a past, and this member may have had one: then it
 * compares with every one of them first, as in any repair, and has what they have. It begins with
 * that only after the longest time that a write takes: one that it acknowledged just before it lost
 * its disk has come to its other replicas by then, or never will.
 *
 * <p>Its lock guards every field that changes; nothing is called under it.
 */
public final class Rebuild implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Rebuild.class);

    private static final Duration FIRST_ASKED_AGAIN = Duration.ofMillis(20);
    private static final Duration LAST_ASKED_AGAIN = Duration.ofSeconds(1);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(1);
    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(1);
    private static final Duration ADVANCE_EVERY = Duration.ofSeconds(5);

    /**
     * For so long a founding member lets others found the cluster with it, if it has not heard
     * before that all do.
     */
    private static final Duration FOUNDING = Duration.ofSeconds(10);

    /**
     * Another member.
     *
     * @param replica the way to it, in the lane of repairs
     * @param isUp whether it answers: one that is not there yet is not to be tried too often
     */
    public record OtherMember(Replica replica, BooleanSupplier isUp) {}

    /** What it does on disk. */
    public interface Disk {

        /** From now on this member's directory is not empty, durably. */
        void becomeWhole() throws IOException;

        /** So much is settled, durably; and the store may drop tombstones from before that. */
        void settle(long millis) throws IOException;
    }

    private final Membership membership;
    private final List<OtherMember> peers;
    private final Repairs repairs;
    private final Disk disk;
    private final Duration longestWrite;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Executor blocking;

    private final Set<String> toAgreeWith = new HashSet<>();

    /** The number of the round of repairs that this has begun last; 0 before. */
    private long fetching;

    private boolean deciding = true;
    private boolean closed;
    private long settling;
    private Scheduler.Cancellable asking = () -> {};
    private Scheduler.Cancellable advancing = () -> {};

    /**
     * @param longestWrite a client's write is not under way for longer
     * @param blocking where the disk may be waited for; may reject
     */
    public Rebuild(
            Membership membership,
            List<OtherMember> peers,
            Repairs repairs,
            Disk disk,
            Duration longestWrite,
            Ticker ticker,
            Scheduler scheduler,
            Executor blocking) {
        this.membership = membership;
        this.peers = List.copyOf(peers);
        this.repairs = repairs;
        this.disk = disk;
        this.longestWrite = longestWrite;
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.blocking = blocking;
    }

    /** From now on the peers can be asked. */
    public void start() {
        membership.whenHeard(this::decide);
        repairs.whenRoundEnds(this::roundEnded);
        Scheduler.Cancellable every = scheduler.every(ADVANCE_EVERY, this::advance);
        synchronized (this) {
            advancing = every;
            if (closed) {
                every.cancel();
                return;
            }
        }
        if (membership.condition() == Condition.EMPTY) {
            LOG.info("The data directory is empty: asking the others whether the cluster is new");
            decide();
            askAll(FIRST_ASKED_AGAIN);
        }
    }

    /** Tells all the others how it is here, and hears how it is there. */
    private void tellAll() {
        long deadlineNanos = ticker.nanos() + ANSWER_WITHIN.toNanos();
        for (OtherMember peer : peers) {
            if (!peer.isUp().getAsBoolean()) {
                continue;
            }
            Replica replica = peer.replica();
            replica.ask(
                    new ReplicaRequest.Announce(
                            membership.self().number(),
                            membership.newsFor(replica.member().number())),
                    deadlineNanos,
                    answer -> {
                        if (answer instanceof ReplicaAnswer.Announced announced) {
                            membership.heard(replica.member().number(), announced.news());
                        }
                    });
        }
    }

    private void askAll(Duration again) {
        if (membership.condition() != Condition.EMPTY
                && membership.condition() != Condition.FOUNDING) {
            return;
        }
        tellAll();
        Duration next = again.multipliedBy(2);
        Scheduler.Cancellable later =
                scheduler.after(
                        again,
                        () ->
                                askAll(
                                        next.compareTo(LAST_ASKED_AGAIN) < 0
                                                ? next
                                                : LAST_ASKED_AGAIN));
        synchronized (this) {
            asking = later;
            if (closed) {
                later.cancel();
            }
        }
    }

    /** There is news of another member. */
    private void decide() {
        if (membership.condition() == Condition.FOUNDING && membership.allVote()) {
            membership.become(Condition.WHOLE);
        }
        boolean found = !membership.someoneHasAPast() && membership.majorityIsNew();
        synchronized (this) {
            if (closed
                    || !deciding
                    || membership.condition() != Condition.EMPTY
                    || !(found || membership.someoneHasAPast())) {
                return;
            }
            deciding = false;
        }
        if (found) {
            onDisk(this::becomeFounder);
        } else {
            LOG.warn(
                    "The data directory is empty, and other members' are not: this one does not"
                            + " vote until it has what they have");
            membership.become(Condition.REBUILDING);
            synchronized (this) {
                for (OtherMember peer : peers) {
                    toAgreeWith.add(peer.replica().member().name());
                }
            }
            scheduler.after(longestWrite, this::fetch);
        }
    }

    private void becomeFounder() {
        if (becomeWhole(Condition.FOUNDING)) {
            LOG.info("The cluster is new");
            tellAll();
            scheduler.after(FOUNDING, () -> membership.become(Condition.WHOLE));
        }
    }

    private boolean becomeWhole(Condition next) {
        try {
            disk.becomeWhole();
        } catch (IOException e) {
            LOG.error("It cannot be noted that this member votes: {}", e.toString());
            synchronized (this) {
                deciding = true;
            }
            return false;
        }
        membership.become(next);
        return true;
    }

    private void fetch() {
        List<String> names;
        synchronized (this) {
            if (closed || toAgreeWith.isEmpty()) {
                return;
            }
            names = List.copyOf(toAgreeWith);
        }
        long before = repairs.status().round();
        long round = repairs.begin(names);
        synchronized (this) {
            fetching = round > before ? round : fetching;
        }
        if (round == before) { // another is under way, which may have begun too early
            scheduler.after(BETWEEN_ROUNDS, this::fetch);
        }
    }

    /** A round of repairs is over, one of ours or another. */
    private void roundEnded(long round, Set<String> agreedWith) {
        tellAll();
        boolean whole;
        boolean more;
        synchronized (this) {
            boolean ours = round == fetching && !toAgreeWith.isEmpty();
            if (ours) {
                toAgreeWith.removeAll(agreedWith);
            }
            whole = ours && toAgreeWith.isEmpty();
            more = ours && !whole;
        }
        if (whole) {
            onDisk(this::becomeWhole);
        } else if (more) {
            scheduler.after(BETWEEN_ROUNDS, this::fetch);
        }
        advance();
    }

    private void becomeWhole() {
        if (becomeWhole(Condition.WHOLE)) {
            LOG.info("This member has what the others have, and votes");
            tellAll();
        } else {
            scheduler.after(BETWEEN_ROUNDS, () -> onDisk(this::becomeWhole));
        }
    }

    /**
     * Acts on what is settled. Not at once: what was read or sent before the last member had the
     * tombstones is over first.
     */
    private void advance() {
        membership.watermark().alone(ticker.wallMillis());
        long known = membership.watermark().knownMillis();
        synchronized (this) {
            if (closed
                    || !membership.votes()
                    || settling != 0
                    || known <= membership.settledMillis()) {
                return;
            }
            settling = known;
        }
        scheduler.after(
                longestWrite.multipliedBy(2).plus(Repairs.LONGEST_TRANSFER.multipliedBy(2)),
                () -> onDisk(() -> settle(known)));
    }

    private void settle(long known) {
        try {
            disk.settle(known);
            membership.watermark().apply(known);
        } catch (IOException e) {
            LOG.warn("It cannot be noted what is settled; tombstones stay: {}", e.toString());
        }
        synchronized (this) {
            settling = 0;
        }
    }

    private void onDisk(Runnable task) {
        try {
            blocking.execute(task);
        } catch (RejectedExecutionException full) {
            scheduler.after(BETWEEN_ROUNDS, () -> onDisk(task));
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            asking.cancel();
            advancing.cancel();
        }
    }
}

package dev.quorate.node.membership;

import static java.util.stream.Collectors.joining;

import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds a member that began with an empty directory, until it votes.
 *
 * <p>Either the whole cluster is new: then every member announces that it is empty, and nothing can
 * have been acknowledged. Or others have data, and this member may have had some: then it copies
 * theirs in bulk ({@link Source}), which is fast and verifies nothing. Then it compares with each
 * of them, as in any repair, and has what they have; and copies their {@link Records}. The
 * comparison begins only after the longest time that a write takes: a write that this member
 * acknowledged just before it lost its disk has reached its other replicas by then, or never will.
 *
 * <p>Its lock guards every field that changes; nothing is called under it.
 */
public final class Rebuild implements AutoCloseable, Membership.Work {

    private static final Logger LOG = LoggerFactory.getLogger(Rebuild.class);

    private static final Duration FIRST_ASKED_AGAIN = Duration.ofMillis(20);
    private static final Duration LAST_ASKED_AGAIN = Duration.ofSeconds(1);
    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(1);

    /** After a restart of all members, others come up a moment later. */
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(250);

    private static final int MAX_ATTEMPTS = 20;
    private static final Duration LOG_EVERY = Duration.ofSeconds(10);

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

    /** Copies the data that this member has lost. */
    public interface Source {

        /**
         * Begins to copy. Called once.
         *
         * @param from the members that send, asked in the repair lane
         * @param whenDone runs when each has sent everything, or was skipped
         */
        void begin(List<Replica> from, Runnable whenDone);

        /** How many entries were received and written so far. */
        long written();
    }

    /**
     * Copies the records of conditional writes that this member has lost, and notes which of them
     * are superseded.
     */
    @FunctionalInterface
    public interface Records {

        /**
         * Begins to copy. May be called again after a failure.
         *
         * @param from all other members, asked in the repair lane
         * @param whenDone takes whether each has sent all
         */
        void begin(List<Replica> from, Consumer<Boolean> whenDone);
    }

    private final Membership membership;
    private final Announcements announcements;
    private final Source source;
    private final Records records;
    private final RepairRounds repairs;
    private final Disk disk;
    private final Duration longestWrite;
    private final Scheduler scheduler;
    private final Executor blocking;

    private final Set<String> toAgreeWith = new HashSet<>();

    /**
     * Members, by number, that have not announced their GC watermark since their entries were
     * copied.
     */
    private final Set<Integer> toHear = new HashSet<>();

    /** The number of the last round of repairs that this has begun; 0 before. */
    private long fetching;

    private boolean deciding = true;
    private boolean closed;
    private Scheduler.Cancellable asking = () -> {};
    private Scheduler.Cancellable logging = () -> {};

    /** What it does now, for display. */
    private volatile String work = "looking for the others";

    /**
     * @param source closed by its creator
     * @param longestWrite the longest time that a client's write takes
     * @param blocking runs tasks that wait for the disk
     */
    public Rebuild(
            Membership membership,
            Announcements announcements,
            Source source,
            Records records,
            RepairRounds repairs,
            Disk disk,
            Duration longestWrite,
            Scheduler scheduler,
            Executor blocking) {
        this.membership = membership;
        this.announcements = announcements;
        this.source = source;
        this.records = records;
        this.repairs = repairs;
        this.disk = disk;
        this.longestWrite = longestWrite;
        this.scheduler = scheduler;
        this.blocking = blocking;
    }

    /** Starts: from now on peers can be asked. */
    public void start() {
        membership.whenHeard(
                (member, state) -> {
                    synchronized (this) {
                        toHear.remove(member);
                    }
                    decide();
                });
        repairs.whenRoundEnds(this::roundEnded);
        switch (membership.condition()) {
            case EMPTY -> {
                LOG.info(
                        "The data directory is empty: asking the other members whether the cluster is new");
                decide();
                askAll(FIRST_ASKED_AGAIN);
            }
            case REBUILDING -> begin();
            case FOUNDING, RETURNING, WHOLE, STOPPING -> {}
        }
    }

    private void askAll(Duration again) {
        if (membership.condition() != Condition.EMPTY
                && membership.condition() != Condition.FOUNDING) {
            return;
        }
        announcements.announceToAll();
        Duration twice = again.multipliedBy(2);
        Duration next = twice.compareTo(LAST_ASKED_AGAIN) < 0 ? twice : LAST_ASKED_AGAIN;
        Scheduler.Cancellable later = scheduler.after(again, () -> askAll(next));
        synchronized (this) {
            asking = later;
            if (closed) {
                later.cancel();
            }
        }
    }

    /** Decides anew, after another member has sent its state. */
    public void decide() {
        if (membership.allVote()) {
            var _ = membership.becomeFrom(Condition.FOUNDING, Condition.WHOLE);
        }
        boolean found = membership.allAreNew();
        synchronized (this) {
            if (closed
                    || !deciding
                    || membership.condition() != Condition.EMPTY
                    || !(found || membership.anyMemberHasData())) {
                return;
            }
            deciding = false;
        }
        if (found) {
            blocking.execute(this::becomeFounder);
        } else {
            LOG.warn("The data directory is empty, and other members have data");
            rebuild();
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
        membership.setRebuild(this);
        membership.become(Condition.REBUILDING);
        synchronized (this) {
            for (Announcements.OtherMember other : announcements.others()) {
                toAgreeWith.add(other.replica().member().name());
            }
        }
        Scheduler.Cancellable every = scheduler.every(LOG_EVERY, this::logProgress);
        synchronized (this) {
            logging = every;
            if (closed) {
                every.cancel();
            }
        }
        copy(MAX_ATTEMPTS);
    }

    /** Begins to copy when all others are up, or after waiting for them long enough. */
    private void copy(int attempts) {
        List<Replica> up = new ArrayList<>();
        for (Announcements.OtherMember other : announcements.others()) {
            if (other.isUp().getAsBoolean()) {
                up.add(other.replica());
            }
        }
        if (up.size() < announcements.others().size() && attempts > 0) {
            scheduler.after(BETWEEN_ATTEMPTS, () -> copy(attempts - 1));
            return;
        }
        String names = up.stream().map(each -> each.member().name()).collect(joining(", "));
        work = "copying from " + (names.isEmpty() ? "nobody" : names);
        source.begin(
                up,
                () -> {
                    work = "comparing with all others";
                    logProgress();
                    scheduler.after(longestWrite, this::fetch);
                });
    }

    private void logProgress() {
        if (membership.condition() == Condition.REBUILDING) {
            LOG.info("Rebuilding: {}", membership.progress());
        }
    }

    @Override
    public String doing() {
        return work;
    }

    @Override
    public long copied() {
        return source.written();
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

    private void fetch() {
        List<String> names;
        synchronized (this) {
            if (closed || toAgreeWith.isEmpty()) {
                return;
            }
            names = List.copyOf(toAgreeWith);
        }
        long before = repairs.lastRound();
        long round = repairs.begin(names);
        synchronized (this) {
            fetching = round > before ? round : fetching;
        }
        if (round == before) { // another round is running, which may have begun too early
            scheduler.after(BETWEEN_ROUNDS, this::fetch);
        }
    }

    /** Handles the end of a round of repairs, its own or another. */
    private void roundEnded(long round, Set<String> agreedWith) {
        boolean whole;
        boolean more;
        synchronized (this) {
            boolean ours = round == fetching && !toAgreeWith.isEmpty();
            if (ours) {
                toAgreeWith.removeAll(agreedWith);
            }
            whole = ours && toAgreeWith.isEmpty();
            if (ours) {
                work = "comparing with " + String.join(", ", toAgreeWith);
            }
            more = ours && !whole;
        }
        if (whole) {
            copyRecords();
        } else if (more) {
            scheduler.after(BETWEEN_ROUNDS, this::fetch);
        }
    }

    /**
     * Copies the records of all others. The rounds of repairs began after the longest time that a
     * write takes: nothing is proposed any more to which promises belong that are lost.
     *
     * <p>Tombstones that they have dropped are not among what was copied: so this member has the
     * highest GC watermark of theirs before it votes.
     */
    private void copyRecords() {
        work = "copying records of conditional writes";
        List<Replica> others = new ArrayList<>();
        for (Announcements.OtherMember other : announcements.others()) {
            others.add(other.replica());
            synchronized (this) {
                toHear.add(other.replica().member().number());
            }
        }
        announcements.announceToAll();
        records.begin(
                others,
                copied -> {
                    if (copied) {
                        blocking.execute(this::becomeWhole);
                    } else {
                        scheduler.after(BETWEEN_ROUNDS, this::copyRecords);
                    }
                });
    }

    private synchronized boolean haveAllAnswered() {
        return toHear.isEmpty();
    }

    private void becomeWhole() {
        if (!haveAllAnswered()) {
            announcements.announceToAll();
            scheduler.after(BETWEEN_ROUNDS, () -> blocking.execute(this::becomeWhole));
        } else if (becomeWhole(Condition.WHOLE)) {
            synchronized (this) {
                logging.cancel();
            }
            LOG.info("This member has what the others have, and votes");
            announcements.announceToAll();
        } else {
            scheduler.after(BETWEEN_ROUNDS, () -> blocking.execute(this::becomeWhole));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        asking.cancel();
        logging.cancel();
    }
}

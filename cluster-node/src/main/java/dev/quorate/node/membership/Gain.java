package dev.quorate.node.membership;

import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.Scheduler;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets what other members have: copies their entries in bulk ({@link Source}), which is fast; then
 * compares with each of them, as in any repair, unless the copy is known to be complete; then
 * copies their {@link Records}. It serves a member that lost its disk, and one that gains keys in a
 * change of members.
 *
 * <p>One goal at a time: a later one replaces it. Its lock guards every field that changes; only
 * the scheduler is called under it.
 */
public final class Gain implements Membership.Work, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Gain.class);

    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(250);
    private static final Duration LOG_EVERY = Duration.ofSeconds(10);

    /**
     * Copies what this member lacks: the records of conditional writes, of which it notes which are
     * superseded, or entries.
     */
    @FunctionalInterface
    public interface Records {

        /**
         * Begins to copy. Ends the copy that was begun before, whose {@code whenDone} does not run.
         *
         * @param from the members that send, asked in the repair lane
         * @param gainsOnly whether to copy only of the keys that this member gains in the change in
         *     progress
         * @param whenDone takes whether each has sent all
         */
        void begin(List<Replica> from, boolean gainsOnly, Consumer<Boolean> whenDone);
    }

    /** Copies the entries that this member lacks. */
    public interface Source extends Records {

        /** How many entries were received and written so far. */
        long written();

        /** The bytes of the entries that were received since the last beginning. */
        long receivedBytes();
    }

    /**
     * What to get.
     *
     * @param agreeWith the names of the members to agree with
     * @param gainsOnly see {@link Records#begin}
     * @param isCopyEnough whether a complete copy from each of them replaces the comparison
     * @param isReady whether to begin now; asked again until it is
     * @param bytes estimates how many bytes are copied, when the copy begins
     * @param untilComparison how long to wait before the comparison
     * @param whenReached runs when this member has what they have
     */
    record Goal(
            Set<String> agreeWith,
            boolean gainsOnly,
            boolean isCopyEnough,
            BooleanSupplier isReady,
            LongSupplier bytes,
            Duration untilComparison,
            Runnable whenReached) {}

    private final Membership membership;
    private final Announcements announcements;
    private final Source source;
    private final Records records;
    private final RepairRounds repairs;
    private final Scheduler scheduler;

    private final Set<String> toAgreeWith = new HashSet<>();

    /**
     * Members, by number, that have not announced their GC watermark since their entries were
     * copied.
     */
    private final Set<Integer> toHear = new HashSet<>();

    private @Nullable Goal goal;

    /** The number of the last round of repairs that this has begun; 0 before. */
    private long fetching;

    private Scheduler.Cancellable logging = () -> {};

    /** About as many bytes are copied in all; 0 before the copy begins. */
    private volatile long toCopyBytes;

    /** What it does now, for display. */
    private volatile String work = "it has not begun";

    /**
     * @param source closed by its creator
     */
    public Gain(
            Membership membership,
            Announcements announcements,
            Source source,
            Records records,
            RepairRounds repairs,
            Scheduler scheduler) {
        this.membership = membership;
        this.announcements = announcements;
        this.source = source;
        this.records = records;
        this.repairs = repairs;
        this.scheduler = scheduler;
    }

    Announcements announcements() {
        return announcements;
    }

    /** Starts: from now on peers can be asked. */
    void start() {
        membership
                .others()
                .whenHeard(
                        (member, state) -> {
                            synchronized (this) {
                                toHear.remove(member);
                            }
                        });
        repairs.whenRoundEnds(this::roundEnded);
        synchronized (this) {
            logging = scheduler.every(LOG_EVERY, this::logProgress);
        }
    }

    /** Begins to get what others have, in place of an earlier goal. */
    void begin(Goal next) {
        synchronized (this) {
            goal = next;
            toAgreeWith.clear();
            toHear.clear();
            toAgreeWith.addAll(next.agreeWith());
            fetching = 0;
        }
        work = "waiting for other members and the GC watermark";
        toCopyBytes = 0;
        copy(next);
    }

    /** Ends without a goal. */
    synchronized void end() {
        goal = null;
        toCopyBytes = 0;
        work = "it has what it needs";
    }

    private synchronized boolean isGoal(Goal asked) {
        return asked.equals(goal);
    }

    private void copy(Goal of) {
        if (!isGoal(of)) {
            return;
        }
        if (!of.isReady().getAsBoolean()) {
            scheduler.after(BETWEEN_ATTEMPTS, () -> copy(of));
            return;
        }
        List<Replica> up =
                announcements.others().stream()
                        .filter(other -> other.isUp().getAsBoolean())
                        .map(Announcements.OtherMember::replica)
                        .toList();
        List<Replica> losing =
                up.stream().filter(each -> of.agreeWith().contains(each.name())).toList();
        // Those that lose nothing would read all of their keys, and send none.
        boolean isEnough = of.isCopyEnough() && losing.size() == of.agreeWith().size();
        List<Replica> from = isEnough ? losing : up;
        List<String> names = from.stream().map(Replica::name).toList();
        work = "copying from " + (names.isEmpty() ? "nobody" : String.join(", ", names));
        toCopyBytes = of.bytes().getAsLong();
        source.begin(
                from,
                of.gainsOnly(),
                hasAll -> {
                    if (isEnough && hasAll) {
                        copyRecords(of);
                        return;
                    }
                    work = "comparing with others";
                    logProgress();
                    scheduler.after(of.untilComparison(), () -> fetch(of));
                });
    }

    private void logProgress() {
        if (isActive()) {
            LOG.info("Getting data of other members: {}", membership.progress());
        }
    }

    @Override
    public synchronized boolean isActive() {
        return goal != null;
    }

    @Override
    public String doing() {
        return work;
    }

    @Override
    public long copied() {
        return source.written();
    }

    @Override
    public long copiedBytes() {
        return toCopyBytes == 0 ? 0 : source.receivedBytes();
    }

    @Override
    public long toCopyBytes() {
        return toCopyBytes;
    }

    private void fetch(Goal of) {
        List<String> names;
        synchronized (this) {
            if (!of.equals(goal) || toAgreeWith.isEmpty()) {
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
            scheduler.after(BETWEEN_ROUNDS, () -> fetch(of));
        }
    }

    /** Handles the end of a round of repairs, its own or another. */
    private void roundEnded(long round, Set<String> agreedWith) {
        Goal of;
        boolean hasAgreed;
        synchronized (this) {
            of = goal;
            if (of == null || round != fetching || toAgreeWith.isEmpty()) {
                return;
            }
            toAgreeWith.removeAll(agreedWith);
            hasAgreed = toAgreeWith.isEmpty();
            work = "comparing with " + String.join(", ", toAgreeWith);
        }
        if (hasAgreed) {
            copyRecords(of);
        } else {
            scheduler.after(BETWEEN_ROUNDS, () -> fetch(of));
        }
    }

    /**
     * Copies the records of the members that this member has compared with.
     *
     * <p>Tombstones that they have dropped are not among what was copied: so this member has the
     * highest GC watermark of theirs in the end.
     */
    private void copyRecords(Goal of) {
        if (!isGoal(of)) {
            return;
        }
        work = "copying records of conditional writes";
        List<Replica> from =
                announcements.others().stream()
                        .map(Announcements.OtherMember::replica)
                        .filter(each -> of.agreeWith().contains(each.name()))
                        .toList();
        synchronized (this) {
            from.forEach(each -> toHear.add(each.member().number()));
        }
        announcements.announceToAll();
        records.begin(
                from,
                of.gainsOnly(),
                copied -> {
                    if (copied) {
                        hear(of);
                    } else {
                        scheduler.after(BETWEEN_ROUNDS, () -> copyRecords(of));
                    }
                });
    }

    private void hear(Goal of) {
        boolean haveAllAnswered;
        synchronized (this) {
            if (!of.equals(goal)) {
                return;
            }
            haveAllAnswered = toHear.isEmpty();
        }
        if (haveAllAnswered) {
            of.whenReached().run();
        } else {
            announcements.announceToAll();
            scheduler.after(BETWEEN_ROUNDS, () -> hear(of));
        }
    }

    @Override
    public synchronized void close() {
        goal = null;
        logging.cancel();
    }
}

package dev.quorate.node.membership;

import dev.quorate.node.message.KnownLife;
import dev.quorate.node.message.MemberState;
import dev.quorate.node.message.MemberState.Condition;
import dev.quorate.node.runtime.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a directory that is an old copy of its member's. Has this member's generation grow, records
 * what is heard of the others', and lets a member with a past vote as {@link Return} says. Why it
 * is as it is: docs/decisions/0019.
 *
 * <p>Its lock guards {@code returning} and the fields that follow it; what is called under it only
 * decides. The disk is used in tasks of {@code blocking}, one at a time.
 */
public final class Lives implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Lives.class);

    private static final Duration FIRST_ASKED_AGAIN = Duration.ofMillis(10);
    private static final Duration LAST_ASKED_AGAIN = Duration.ofMillis(250);

    /** After one other member has answered, for those whose connections come up a moment later. */
    private static final Duration TIME_FOR_OTHERS = Duration.ofMillis(250);

    /** A copy that is older than the last advance is found. */
    private static final Duration ADVANCE_EVERY = Duration.ofSeconds(5);

    private static final Duration FAILED_AGAIN = Duration.ofSeconds(1);

    /** What it does on disk. */
    public interface Disk {

        /** This member has come so far, durably. */
        void advance(long generation) throws IOException;

        /** The members are known to have come so far, durably. */
        void record(Collection<KnownLife> known) throws IOException;

        /** This member may lack what it acknowledged, durably. */
        void loseStanding() throws IOException;
    }

    private final Membership membership;
    private final Announcements announcements;
    private final Rebuild rebuild;
    private final Disk disk;
    private final Scheduler scheduler;
    private final Executor blocking;

    private final Return returning;
    private boolean recording;
    private boolean recordingFails;
    private boolean closed;
    private Scheduler.Cancellable advancing = () -> {};
    private Scheduler.Cancellable asking = () -> {};

    /**
     * @param blocking where the disk may be waited for, one task after the other
     */
    public Lives(
            Membership membership,
            Announcements announcements,
            Rebuild rebuild,
            Disk disk,
            Scheduler scheduler,
            Executor blocking) {
        this.membership = membership;
        this.announcements = announcements;
        this.rebuild = rebuild;
        this.disk = disk;
        this.scheduler = scheduler;
        this.blocking = blocking;
        this.returning = new Return(announcements.others().size());
    }

    /** From now on the peers can be asked. */
    public void start() {
        if (announcements.others().isEmpty()) {
            return;
        }
        membership.whenHeard(this::heard);
        Scheduler.Cancellable every = scheduler.every(ADVANCE_EVERY, this::advance);
        synchronized (this) {
            advancing = every;
            if (closed) {
                every.cancel();
            }
        }
        askAll(FIRST_ASKED_AGAIN);
    }

    /** Asks until this member votes, or knows that its directory is an old copy. */
    private void askAll(Duration again) {
        if (membership.condition() != Condition.RETURNING) {
            return;
        }
        announcements.tellAll();
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

    private void heard(int member, MemberState news) {
        if (membership.findsOldCopy()) {
            synchronized (this) {
                returning.cancel();
            }
            blocking.execute(this::loseStanding);
        } else if (membership.condition() == Condition.RETURNING) {
            Return.Step step;
            synchronized (this) {
                step =
                        returning.heard(
                                member,
                                news.condition() != Condition.EMPTY,
                                membership.isRecordedIn(news.known()));
            }
            act(step);
        }
        record();
    }

    private void act(Return.Step step) {
        switch (step) {
            case WAIT -> {}
            case GIVE_OTHERS_TIME -> scheduler.after(TIME_FOR_OTHERS, this::waitedLongEnough);
            case ADVANCE -> blocking.execute(this::advanceToReturn);
            case VOTE -> {
                if (membership.becomeFrom(Condition.RETURNING, Condition.WHOLE)) {
                    LOG.info("No member knows of a later life of this one: it votes");
                    announcements.tellAll();
                }
            }
        }
    }

    private void waitedLongEnough() {
        Return.Step step;
        synchronized (this) {
            step = returning.waitedLongEnough();
        }
        act(step);
    }

    private void advanceToReturn() {
        boolean done = advanceOnDisk();
        synchronized (this) {
            if (done) {
                returning.advanced();
            } else {
                returning.notAdvanced();
            }
        }
        if (done) {
            announcements.tellAll();
        } else {
            scheduler.after(FAILED_AGAIN, this::waitedLongEnough);
        }
    }

    private void advance() {
        if (membership.votes()) {
            blocking.execute(
                    () -> {
                        if (membership.votes() && advanceOnDisk()) {
                            announcements.tellAll();
                        }
                    });
        }
    }

    private boolean advanceOnDisk() {
        long next = membership.nextGeneration();
        try {
            disk.advance(next);
            membership.reached(next);
            return true;
        } catch (IOException e) {
            LOG.warn("Cannot record the generation of this member: {}", e.toString());
            return false;
        }
    }

    /** Writes down what was heard, in one task for all that is heard until it runs. */
    private void record() {
        synchronized (this) {
            if (closed || recording || !membership.hasUnrecorded()) {
                return;
            }
            recording = true;
        }
        blocking.execute(this::recordOnDisk);
    }

    private void recordOnDisk() {
        Collection<KnownLife> known = membership.known();
        boolean failed = false;
        try {
            disk.record(known);
            membership.recorded(known);
        } catch (IOException e) {
            failed = true;
            if (!recordingFails) {
                LOG.warn("Cannot record the members' generations: {}", e.toString());
            }
        }
        synchronized (this) {
            recording = false;
            recordingFails = failed;
        }
        if (failed) {
            scheduler.after(FAILED_AGAIN, this::record);
        } else {
            record();
        }
    }

    /** Until this is on disk, what the generation was at the start stays there too. */
    private void loseStanding() {
        try {
            disk.loseStanding();
        } catch (IOException e) {
            LOG.error("Cannot record that this member does not vote: {}", e.toString());
            scheduler.after(FAILED_AGAIN, () -> blocking.execute(this::loseStanding));
            return;
        }
        rebuild.begin();
    }

    @Override
    public synchronized void close() {
        closed = true;
        advancing.cancel();
        asking.cancel();
    }
}

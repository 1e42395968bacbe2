package dev.quorate.node.membership;

import dev.quorate.node.directory.LifeRecorder;
import dev.quorate.router.message.KnownLife;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.runtime.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects a directory that is an old copy. Advances this member's generation, records those of the
 * others, and lets a member with data vote when {@link Return} decides. For the reasons see
 * docs/decisions/0019.
 *
 * <p>Its lock guards {@code returning} and the fields that follow it; only pure code and the
 * scheduler are called with it held. The disk is used in tasks of {@code blocking}, one at a time.
 */
public final class Lives implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Lives.class);

    private static final Duration FIRST_ASKED_AGAIN = Duration.ofMillis(10);
    private static final Duration LAST_ASKED_AGAIN = Duration.ofMillis(250);

    /**
     * How long to wait, after one other member has answered, for members whose connections open a
     * moment later.
     */
    private static final Duration TIME_FOR_OTHERS = Duration.ofMillis(250);

    /**
     * The time between two advances; in a cluster of N members 1 + N / 32 times as long, because
     * each one is announced to all. A copy made before the last advance is detected.
     */
    private static final Duration ADVANCE_EVERY = Duration.ofSeconds(5);

    private static final int MEMBERS_PER_INTERVAL = 32;

    private static final Duration FAILED_AGAIN = Duration.ofSeconds(1);

    private final Membership membership;
    private final Announcements announcements;
    private final Rebuild rebuild;
    private final LifeRecorder disk;
    private final Scheduler scheduler;
    private final Executor blocking;

    private final Return returning;
    private int intervals;
    private boolean recording;
    private boolean recordingFails;
    private boolean started;
    private boolean closed;
    private Scheduler.Cancellable advancing = () -> {};

    /**
     * @param blocking runs tasks that wait for the disk, one after the other
     */
    public Lives(
            Membership membership,
            Announcements announcements,
            Rebuild rebuild,
            LifeRecorder disk,
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

    /** Starts, unless this member is the only one: from now on peers can be asked. */
    public void start() {
        synchronized (this) {
            if (started || closed || announcements.others().isEmpty()) {
                return;
            }
            started = true;
            advancing = scheduler.every(ADVANCE_EVERY, this::advanceInTurn);
        }
        membership.others().whenHeard(this::merge);
        announcements.announceUntil(
                this::isDecided, FIRST_ASKED_AGAIN, LAST_ASKED_AGAIN, scheduler);
    }

    /** Whether this member votes, or its directory is known to be an old copy. */
    private synchronized boolean isDecided() {
        return closed || membership.condition() != Condition.RETURNING;
    }

    private void merge(int member, MemberState state) {
        if (membership.findsOldCopy()) {
            synchronized (this) {
                returning.cancel();
            }
            blocking.execute(this::loseStanding);
        } else if (membership.condition() == Condition.RETURNING) {
            Return.Step step;
            synchronized (this) {
                step =
                        returning.onState(
                                member,
                                state.condition() != Condition.EMPTY,
                                membership.generations().isRecordedIn(state.known()));
            }
            act(step);
        }
        if (state.condition() != Condition.WHOLE || !membership.votes()) {
            record();
        }
    }

    private void act(Return.Step step) {
        switch (step) {
            case WAIT -> {}
            case GIVE_OTHERS_TIME -> scheduler.after(TIME_FOR_OTHERS, this::waitedLongEnough);
            case ADVANCE -> blocking.execute(this::advanceToReturn);
            case VOTE -> {
                if (membership.becomeFrom(Condition.RETURNING, Condition.WHOLE)) {
                    LOG.info("No member knows of a later life of this one: it votes");
                    announcements.announceToAll();
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
            announcements.announceToAll();
        } else {
            scheduler.after(FAILED_AGAIN, this::waitedLongEnough);
        }
    }

    private void advanceInTurn() {
        int members = announcements.others().size() + 1;
        boolean isTurn;
        synchronized (this) {
            isTurn = ++intervals % (1 + members / MEMBERS_PER_INTERVAL) == 0;
        }
        if (isTurn) {
            advance();
        }
    }

    private void advance() {
        if (membership.votes()) {
            blocking.execute(
                    () -> {
                        recordIfNew();
                        if (membership.votes() && advanceOnDisk()) {
                            announcements.announceToAll();
                        }
                    });
        }
    }

    private boolean advanceOnDisk() {
        long next = membership.generations().next();
        try {
            disk.advance(next);
            membership.generations().reached(next);
            return true;
        } catch (IOException e) {
            LOG.warn("Cannot record the generation of this member: {}", e.toString());
            return false;
        }
    }

    /**
     * Records the received generations at once, because a member waits for it. Advances of members
     * that vote are recorded with this member's next one: one write for all members.
     */
    private void record() {
        if (beginsRecording()) {
            blocking.execute(this::recordOnDisk);
        }
    }

    private void recordIfNew() {
        if (beginsRecording()) {
            recordOnDisk();
        }
    }

    /** Whether to record now. One task records all that arrive before it runs. */
    private synchronized boolean beginsRecording() {
        if (closed || recording || !membership.generations().isUnrecorded()) {
            return false;
        }
        recording = true;
        return true;
    }

    private void recordOnDisk() {
        Collection<KnownLife> known = membership.generations().known();
        boolean failed = false;
        try {
            disk.record(known);
            membership.generations().recorded(known);
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

    /** Until this is on disk, the generation on disk remains that of the start. */
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
    }
}

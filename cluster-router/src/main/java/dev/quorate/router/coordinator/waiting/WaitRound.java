package dev.quorate.router.coordinator.waiting;

import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a wait for a change of a key does next. Pure. Times are in {@code Ticker.nanos}
 * time, except those of entries.
 *
 * <p>A registered owner has answered with its version after it registered the wait. If a quorum has
 * answered, and the newest version is the awaited one, every later write whose quorum intersects
 * this one is stored by an owner that then reports it. If the newest version is another, a read
 * decides: only what a read returns ends the wait.
 */
final class WaitRound {

    static final long FIRST_PAUSE_NANOS = 20_000_000;
    static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

    /** What the wait does next. */
    sealed interface Step {

        enum Simple implements Step {
            /** Nothing: an event follows. */
            REST,
            /** Register at the owners, with {@link WaitRound#begin}. */
            REGISTER,
            /** Read at the asked replicas. */
            READ,
            /** Answer with what the read returned. */
            FINISH
        }

        /** Report {@link WaitRound#timePassed} at this time. */
        record Pause(long untilNanos) implements Step {}
    }

    private enum Phase {
        REGISTERING,
        /** Registered at a quorum that agrees with the client. */
        IDLE,
        READING,
        /** Before the next registration. */
        PAUSED,
        OVER
    }

    private final Predicate<@Nullable Timestamp> isSame;
    private final long deadlineNanos;
    private Phase phase = Phase.REGISTERING;
    private int number;
    private Electorate electorate = Electorate.majority(1);
    private long answered;
    private long failed;

    /** The newest version among the answers, perhaps of a tombstone. */
    private Timestamp newest = Timestamp.ZERO;

    /** The same if it is live. */
    private @Nullable Timestamp live;

    private long expiresAtMillis;

    /** Whether a change was reported since the last registration. */
    private boolean isChanged;

    private long pauseNanos = FIRST_PAUSE_NANOS;

    /** When the last change was reported. */
    private long changedNanos;

    WaitRound(Predicate<@Nullable Timestamp> isSame, long deadlineNanos) {
        this.isSame = isSame;
        this.deadlineNanos = deadlineNanos;
        this.changedNanos = deadlineNanos - 100 * LONGEST_PAUSE_NANOS; // long ago
    }

    /** Begins a registration at the owners; returns its number. */
    int begin(Electorate owners) {
        electorate = owners;
        answered = 0;
        failed = 0;
        newest = Timestamp.ZERO;
        live = null;
        isChanged = false;
        return ++number;
    }

    /** An owner has answered a registration. */
    Step answered(
            int registration, int owner, ReplicaAnswer answer, long nowNanos, long wallMillis) {
        if (registration != number || phase == Phase.OVER) {
            return Step.Simple.REST;
        }
        switch (answer) {
            case ReplicaAnswer.Found(Entry entry) ->
                    seen(
                            owner,
                            entry.timestamp(),
                            !entry.isTombstone() && !entry.isExpired(wallMillis),
                            entry.expiresAtMillis());
            case ReplicaAnswer.Digested(var digest) ->
                    seen(
                            owner,
                            digest.version(),
                            !Entry.isExpired(digest.expiresAtMillis(), wallMillis),
                            digest.expiresAtMillis());
            case ReplicaAnswer.Absent absent -> answered |= 1L << owner;
            case ReplicaAnswer other -> failed |= 1L << owner;
        }
        boolean isCurrent = isSame.test(live);
        if (phase == Phase.IDLE) {
            return isCurrent ? Step.Simple.REST : read();
        }
        if (phase != Phase.REGISTERING) {
            return Step.Simple.REST;
        }
        if (!electorate.isQuorum(answered)) {
            return electorate.isImpossible(failed) ? read() : Step.Simple.REST;
        }
        if (!isCurrent) {
            return read();
        }
        if (isChanged) {
            return pause(nowNanos);
        }
        phase = Phase.IDLE;
        return new Step.Pause(Math.min(deadlineNanos - nowNanos, lifeNanos(wallMillis)) + nowNanos);
    }

    private void seen(int owner, Timestamp version, boolean isLive, long expiresMillis) {
        answered |= 1L << owner;
        if (version.isAfter(newest)) {
            newest = version;
            live = isLive ? version : null;
            expiresAtMillis = expiresMillis;
        }
    }

    /** The time until the live value has expired. */
    private long lifeNanos(long wallMillis) {
        return live == null || expiresAtMillis == Entry.NEVER
                ? Long.MAX_VALUE
                : Math.min(expiresAtMillis - wallMillis + 1, 1L << 40) * 1_000_000;
    }

    private Step read() {
        phase = Phase.READING;
        return Step.Simple.READ;
    }

    /** An owner reports a write, or may have lost the registration. */
    Step changed(long nowNanos) {
        boolean isFirst = nowNanos - changedNanos >= 2 * LONGEST_PAUSE_NANOS;
        changedNanos = nowNanos;
        if (phase != Phase.IDLE) {
            isChanged = true;
            return Step.Simple.REST;
        }
        if (!isFirst) {
            return pause(nowNanos);
        }
        pauseNanos = FIRST_PAUSE_NANOS;
        phase = Phase.REGISTERING;
        return Step.Simple.REGISTER;
    }

    /** Frequent writes without a difference for the client cause few registrations. */
    private Step pause(long nowNanos) {
        phase = Phase.PAUSED;
        long untilNanos = nowNanos + Math.min(pauseNanos, deadlineNanos - nowNanos);
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        return new Step.Pause(untilNanos);
    }

    /**
     * The read is over.
     *
     * @param isUnchanged whether it found what the client has, or is to be repeated; false also if
     *     it failed
     */
    Step read(boolean isUnchanged, long nowNanos) {
        if (phase == Phase.OVER) {
            return Step.Simple.REST;
        }
        if (!isUnchanged || nowNanos - deadlineNanos >= 0) {
            phase = Phase.OVER;
            return Step.Simple.FINISH;
        }
        return pause(nowNanos);
    }

    /** The time of a pause has come; perhaps of an earlier pause. */
    Step timePassed(long nowNanos) {
        if (phase == Phase.IDLE || (phase == Phase.PAUSED && nowNanos - deadlineNanos >= 0)) {
            return read();
        }
        if (phase == Phase.PAUSED) {
            phase = Phase.REGISTERING;
            return Step.Simple.REGISTER;
        }
        return Step.Simple.REST;
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    /** Ends the wait; false if it is over. */
    boolean end() {
        boolean isEnded = phase != Phase.OVER;
        phase = Phase.OVER;
        return isEnded;
    }
}

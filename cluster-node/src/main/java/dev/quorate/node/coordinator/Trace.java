package dev.quorate.node.coordinator;

import dev.quorate.node.coordinator.Explanation.Purpose;
import dev.quorate.node.coordinator.Explanation.Reply;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.coordinator.Explanation.Told;
import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import dev.quorate.node.message.Digest;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.replica.Owner;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the replicas of one round have answered, and when. Kept for every operation, since it may
 * fail and then has to be explained; so it holds on to the answers that there are, and makes
 * nothing of them until it is asked. Not thread-safe.
 */
final class Trace {

    /** What is longer than this is not held on to for the sake of being told. */
    private static final int MAX_VALUE_BYTES = 256;

    private static final int NANOS_PER_MICRO = 1_000;

    private final Owner[] replicas;
    private final long begunNanos;
    private final @Nullable ReplicaAnswer[] answers;
    private final int[] micros;

    /** Of answers with long values, what is told of them. */
    private @Nullable Told @Nullable [] instead;

    /** So many were asked, the first ones. */
    private int asked;

    /**
     * Nobody is asked yet.
     *
     * @param begunNanos when the round began, in {@code Ticker.nanos} time
     */
    Trace(Owner[] replicas, long begunNanos) {
        this.replicas = replicas;
        this.begunNanos = begunNanos;
        this.answers = new ReplicaAnswer[replicas.length];
        this.micros = new int[replicas.length];
    }

    /** The next one is asked. */
    void ask() {
        asked++;
    }

    /** So many are asked at least: the first ones. */
    void askUpTo(int count) {
        asked = Math.max(asked, count);
    }

    /** All are asked, or will be: nothing can keep those from it who are left. */
    void askAll() {
        asked = replicas.length;
    }

    /** How many were asked: the first ones. */
    int asked() {
        return asked;
    }

    /** Notes an answer, the first of that replica. */
    void answered(int index, ReplicaAnswer answer, long nowNanos) {
        micros[index] = micros(nowNanos - begunNanos);
        if (answer instanceof ReplicaAnswer.Found found
                && found.entry().valueBytes() > MAX_VALUE_BYTES) {
            if (instead == null) {
                instead = new Told[replicas.length];
            }
            instead[index] = told(found);
        } else {
            answers[index] = answer;
        }
    }

    static int micros(long nanos) {
        return Math.clamp(nanos / NANOS_PER_MICRO, 0, Integer.MAX_VALUE);
    }

    /** Notes what is to be told in place of an answer. */
    void replaced(int index, Failed failed) {
        answers[index] = failed;
        if (instead != null) {
            instead[index] = null;
        }
    }

    /** Lets go of the answers: answers that are still to come keep the operation for a while. */
    void forget() {
        Arrays.fill(answers, null);
        instead = null;
    }

    // ---- What came of it.

    Round round(Purpose purpose, @Nullable Timestamp version) {
        List<Reply> replies = new ArrayList<>(replicas.length);
        for (int i = 0; i < replicas.length; i++) {
            Told told = told(i);
            boolean isTimed = hasAnswered(i);
            replies.add(new Reply(replicas[i].name(), told, isTimed ? micros[i] : Reply.NO_TIME));
        }
        return new Round(purpose, version, replies);
    }

    private boolean hasAnswered(int index) {
        return answers[index] != null || (instead != null && instead[index] != null);
    }

    private Told told(int index) {
        if (instead != null) {
            Told large = instead[index];
            if (large != null) {
                return large;
            }
        }
        ReplicaAnswer answer = answers[index];
        if (answer != null) {
            return told(answer);
        }
        return index < asked ? Told.Awaited.AWAITED : Told.NotAsked.NOT_ASKED;
    }

    private static Told told(ReplicaAnswer answer) {
        return switch (answer) {
            case ReplicaAnswer.Found(Entry entry) ->
                    new Told.Holds(
                            entry.timestamp(),
                            entry.isTombstone(),
                            entry.from(),
                            entry.valueBytes(),
                            entry.expiresAtMillis());
            case ReplicaAnswer.Digested(Digest digest) ->
                    new Told.Holds(
                            digest.version(),
                            false,
                            digest.from(),
                            digest.valueBytes(),
                            digest.expiresAtMillis());
            case ReplicaAnswer.Absent absent -> Told.Nothing.NOTHING;
            case ReplicaAnswer.Stored(Timestamp newest) -> new Told.Keeps(newest);
            case ReplicaAnswer other -> told(other.failure());
        };
    }

    private static Told told(Failed failed) {
        return new Told.Failed(failed.reason(), failed.detail());
    }

    /** The replicas that did not do their part, in the order in which they were asked. */
    List<ReplicaFailure> failures() {
        List<ReplicaFailure> failures = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            if (answers[i] instanceof Failed(Failure reason, String detail)) {
                failures.add(new ReplicaFailure(replicas[i].name(), reason, detail));
            }
        }
        return failures;
    }

    /** Whether a write may have been stored by a replica that failed. */
    boolean isIndeterminate() {
        for (ReplicaAnswer answer : answers) {
            if (answer instanceof Failed failed && failed.reason().isIndeterminate()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a replica takes no write as old as this one. */
    boolean isTooOld() {
        for (ReplicaAnswer answer : answers) {
            if (answer instanceof Failed failed && failed.reason() == Failure.TOO_OLD) {
                return true;
            }
        }
        return false;
    }

    /** Whether a replica has another value under the version that the client gave. */
    boolean isVersionTaken() {
        for (ReplicaAnswer answer : answers) {
            if (answer instanceof Failed failed && failed.reason() == Failure.VERSION_TAKEN) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether enough replicas would have been there, and only want of room or time turned the
     * operation away: then it is worth trying again soon.
     *
     * @return a replica that had no room, in one phrase; null if it is not so
     */
    @Nullable String shortage(QuorumSpec spec) {
        String shortage = null;
        int others = 0;
        for (int i = 0; i < replicas.length; i++) {
            if (answers[i] instanceof Failed(Failure reason, String detail)) {
                if (isShortage(reason)) {
                    shortage = replicas[i].name() + ": " + detail;
                } else {
                    others++;
                }
            }
        }
        return others <= spec.from() - spec.ack() ? shortage : null;
    }

    private static boolean isShortage(Failure failure) {
        return switch (failure) {
            case OVERLOADED, DISK_FULL, STOPPING -> true;
            case TIMEOUT,
                    UNREACHABLE,
                    BREAKER_OPEN,
                    CORRUPT,
                    FAILED,
                    REFUSED,
                    NOT_ASKED,
                    REBUILDING,
                    TOO_OLD,
                    VERSION_TAKEN ->
                    false;
        };
    }
}

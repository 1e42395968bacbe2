package dev.quorate.router.coordinator.operation;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.replica.Owner;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the replicas of one round, and their times. Every operation records them, because
 * it may fail and then needs an explanation. So answers are stored as they are, and translated only
 * when an explanation is wanted. Not thread-safe.
 */
public final class Trace {

    /** Answers with a longer value are translated at once, so that the value can be freed. */
    private static final int MAX_VALUE_BYTES = 256;

    private static final Set<Failure> SHORTAGES =
            EnumSet.of(Failure.OVERLOADED, Failure.DISK_FULL, Failure.STOPPING);

    private final int defaultFrom;
    private final Owner[] replicas;
    private final long begunNanos;
    private final @Nullable ReplicaAnswer[] answers;
    private final int[] micros;

    /** How long a question waited before it left this node; 0 if it did not wait. */
    private final int[] queuedMicros;

    /** Results of the answers that were translated at once, by replica. */
    private @Nullable Result @Nullable [] instead;

    /** How many replicas were asked, in order from the first. */
    private int asked;

    /**
     * Creates a trace of a round in which no replica is asked yet.
     *
     * @param begunNanos when the round began, in {@code Ticker.nanos} time
     * @param defaultFrom number of owners of an entry whose stored {@code from} is 0; 0 if replicas
     *     return no entries
     */
    public Trace(Owner[] replicas, long begunNanos, int defaultFrom) {
        this.defaultFrom = defaultFrom;
        this.replicas = replicas;
        this.begunNanos = begunNanos;
        this.answers = new ReplicaAnswer[replicas.length];
        this.micros = new int[replicas.length];
        this.queuedMicros = new int[replicas.length];
    }

    /** Notes that the next replica is asked. */
    public void ask() {
        asked++;
    }

    /** Notes that at least the first {@code count} replicas are asked. */
    public void askUpTo(int count) {
        asked = Math.max(asked, count);
    }

    /** Notes that all replicas are asked, or certainly will be. */
    public void askAll() {
        asked = replicas.length;
    }

    /** How many replicas were asked, in order from the first. */
    public int asked() {
        return asked;
    }

    /** Notes when a question left this node; {@link AskedReplica#NOT_LEFT} if it did not. */
    public void onSent(int index, long leftNanos) {
        if (leftNanos != AskedReplica.NOT_LEFT) {
            queuedMicros[index] = micros(leftNanos - begunNanos);
        }
    }

    /** Notes an answer, the first of that replica. */
    public void answered(int index, ReplicaAnswer answer, long nowNanos) {
        micros[index] = micros(nowNanos - begunNanos);
        boolean isLong =
                answer instanceof ReplicaAnswer.Found found
                        && found.entry().valueBytes() > MAX_VALUE_BYTES;
        if (isLong || answer instanceof ReplicaAnswer.FromAcceptor) {
            if (instead == null) {
                instead = new Result[replicas.length];
            }
            instead[index] = result(answer);
        } else {
            answers[index] = answer;
        }
    }

    public static int micros(long nanos) {
        return Math.clamp(nanos / 1_000, 0, Integer.MAX_VALUE);
    }

    public void replaced(int index, Failed failed) {
        answers[index] = failed;
        if (instead != null) {
            instead[index] = null;
        }
    }

    /** Frees the answers: the operation itself remains reachable until late answers arrive. */
    public void forget() {
        Arrays.fill(answers, null);
        instead = null;
    }

    // ---- Results.

    public Round round(Purpose purpose, @Nullable Timestamp version) {
        List<Reply> replies = new ArrayList<>(replicas.length);
        for (int i = 0; i < replicas.length; i++) {
            Result result = result(i);
            int after = hasAnswered(i) ? micros[i] : Reply.NO_TIME;
            replies.add(new Reply(replicas[i].name(), result, after, queuedMicros[i]));
        }
        return new Round(purpose, version, replies);
    }

    private boolean hasAnswered(int index) {
        return answers[index] != null || (instead != null && instead[index] != null);
    }

    private Result result(int index) {
        Result translated = instead == null ? null : instead[index];
        if (translated != null) {
            return translated;
        }
        ReplicaAnswer answer = answers[index];
        if (answer != null) {
            return result(answer);
        }
        return index < asked ? Result.NotAwaited.NOT_AWAITED : Result.NotAsked.NOT_ASKED;
    }

    private int copies(int storedFrom) {
        return storedFrom == 0 ? defaultFrom : storedFrom;
    }

    private Result result(ReplicaAnswer answer) {
        return switch (answer) {
            case ReplicaAnswer.Found(Entry entry) ->
                    new Result.Found(
                            entry.timestamp(),
                            entry.isTombstone(),
                            copies(entry.from()),
                            entry.valueBytes(),
                            entry.expiresAtMillis());
            case ReplicaAnswer.Digested(Digest digest) ->
                    new Result.Found(
                            digest.version(),
                            false,
                            copies(digest.from()),
                            digest.valueBytes(),
                            digest.expiresAtMillis());
            case ReplicaAnswer.Absent absent -> Result.Absent.ABSENT;
            case ReplicaAnswer.Stored(Timestamp newest) -> new Result.Stored(newest);
            case ReplicaAnswer.FromAcceptor(byte[] key, AcceptorAnswer acceptors) ->
                    result(acceptors);
            case ReplicaAnswer other -> result(other.failure());
        };
    }

    private Result result(AcceptorAnswer answer) {
        return switch (answer) {
            case AcceptorAnswer.Promised promised -> {
                Current entry = promised.entry();
                byte[] value = entry.value();
                yield entry.isNothing()
                        ? Result.Absent.ABSENT
                        : new Result.Found(
                                entry.version(),
                                value == null,
                                copies(entry.from()),
                                value == null ? 0 : value.length,
                                entry.expiresAtMillis());
            }
            case AcceptorAnswer.Done done -> Result.Accepted.ACCEPTED;
            case AcceptorAnswer.Outbid outbid ->
                    new Result.Declined("it has promised a later ballot to another write");
            case AcceptorAnswer.Moved(Timestamp now) ->
                    new Result.Declined("its entry is now " + now);
            case AcceptorAnswer.Failed failed ->
                    throw new IllegalArgumentException("not an answer");
        };
    }

    private static Result result(Failed failed) {
        return new Result.Failed(failed.reason(), failed.detail());
    }

    /** The replicas that failed or refused, in the order in which they were asked. */
    public List<ReplicaFailure> failures() {
        List<ReplicaFailure> failures = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            if (answers[i] instanceof Failed(Failure reason, String detail)) {
                failures.add(new ReplicaFailure(replicas[i].name(), reason, detail));
            }
        }
        return failures;
    }

    /** The names of replicas: that of replica i if bit i is set. */
    public List<String> names(long mask) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            if ((mask & 1L << i) != 0) {
                names.add(replicas[i].name());
            }
        }
        return names;
    }

    /** Whether a write may have been stored by a replica that failed. */
    public boolean isIndeterminate() {
        return hasFailed(Failure::isIndeterminate);
    }

    public boolean hasFailed(Predicate<Failure> ways) {
        for (ReplicaAnswer answer : answers) {
            if (answer instanceof Failed failed && ways.test(failed.reason())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the operation failed only because replicas had no room or are stopping, so that a
     * retry is worthwhile: the other failures alone would not have made the quorum impossible.
     *
     * @param electorate of the same replicas
     * @return one such replica and its detail, as one phrase; null if that is not the reason
     */
    public @Nullable String shortage(Electorate electorate) {
        String shortage = null;
        long others = 0;
        for (int i = 0; i < replicas.length; i++) {
            if (answers[i] instanceof Failed(Failure reason, String detail)) {
                if (SHORTAGES.contains(reason)) {
                    shortage = replicas[i].name() + ": " + detail;
                } else {
                    others |= 1L << i;
                }
            }
        }
        return electorate.isImpossible(others) ? null : shortage;
    }
}

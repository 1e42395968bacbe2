package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Trace;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Timestamp;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last questions of a conditional write and their answers, and the latest failure of each
 * owner, which explain its outcome. Thread-safe.
 */
final class ConditionalTrace {

    /** Maximum number of rounds in an explanation: the last ones. */
    private static final int MAX_ROUNDS = 4;

    /** A question to the owners, and their answers. */
    private record Asked(Purpose purpose, @Nullable Timestamp version, Trace trace) {}

    private final AskedOwners owners;

    /** The last rounds, including that of the current question. */
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();

    /** The rounds in which the chosen value could not be stored. */
    private List<Explanation.Round> storing = List.of();

    private int retries;

    /** How often the ballot of another node outbid the write. */
    private int timesOutbid;

    /** By the owner's name. */
    private final Map<String, Failed> failures = new TreeMap<>();

    ConditionalTrace(AskedOwners owners) {
        this.owners = owners;
    }

    synchronized void beginRound(Purpose purpose, @Nullable Timestamp version, long nowNanos) {
        if (asked.size() == MAX_ROUNDS) {
            asked.removeFirst();
        }
        Trace trace = owners.trace(nowNanos);
        trace.askAll();
        asked.add(new Asked(purpose, version, trace));
    }

    /** Records an owner's answer to the current question, and translates it for the round. */
    synchronized AcceptorAnswer answered(int owner, ReplicaAnswer answer, long nowNanos) {
        asked.getLast().trace().answered(owner, answer, nowNanos);
        return switch (answer) {
            case ReplicaAnswer.FromAcceptor(byte[] asked, AcceptorAnswer acceptors) -> acceptors;
            case ReplicaAnswer.Stored stored -> AcceptorAnswer.Done.DONE;
            case ReplicaAnswer other -> {
                Failed failure = other.failure();
                failures.put(owners.name(owner), failure);
                yield failure.reason().isNotSent()
                        ? AcceptorAnswer.Failed.NOT_ASKED
                        : AcceptorAnswer.Failed.FAILED;
            }
        };
    }

    /** Counts another beginning of the write; returns how many came before. */
    synchronized int retried(boolean isOutbidByOther) {
        timesOutbid += isOutbidByOther ? 1 : 0;
        return retries++;
    }

    /** Records that too few owners have stored the chosen value. */
    synchronized void notStored(Outcome.QuorumFailed failed) {
        storing = failed.explanation().rounds();
        failed.failures()
                .forEach(f -> failures.put(f.member(), new Failed(f.reason(), f.detail())));
    }

    /** How many owners have last failed for this reason. */
    synchronized long failures(Failure reason) {
        return failures.values().stream().filter(each -> each.reason() == reason).count();
    }

    synchronized List<Outcome.ReplicaFailure> failures() {
        return failures.entrySet().stream()
                .map(
                        each ->
                                new Outcome.ReplicaFailure(
                                        each.getKey(),
                                        each.getValue().reason(),
                                        each.getValue().detail()))
                .toList();
    }

    synchronized Explanation explanation(String reason) {
        return new Explanation(
                List.of(reason),
                Stream.concat(
                                asked.stream().map(a -> a.trace().round(a.purpose(), a.version())),
                                storing.stream())
                        .toList());
    }

    /**
     * Explains why there was not enough time until something was chosen.
     *
     * @param isStarted whether it was the write's turn on this node
     */
    synchronized String cause(boolean isStarted) {
        if (asked.isEmpty()) {
            return isStarted
                    ? "no time was left for a question to the owners of the key"
                    : "other conditional writes of this key came first on this node, up to the"
                            + " deadline";
        }
        Asked last = asked.getLast();
        List<Reply> replies = last.trace().round(last.purpose(), last.version()).replies();
        long heard = 0;
        for (int i = 0; i < replies.size(); i++) {
            Result result = replies.get(i).result();
            boolean isSilent =
                    result == Result.NotAwaited.NOT_AWAITED || result instanceof Result.Failed;
            heard |= isSilent ? 0 : 1L << i;
        }
        String answered =
                "in the last round %s answered before the deadline"
                        .formatted(owners.majority().counted(heard));
        return timesOutbid == 0
                ? answered
                : "conditional writes of this key through other nodes came first %s times; %s"
                        .formatted(timesOutbid, answered);
    }

    /**
     * Explains an outcome in one sentence.
     *
     * @param cause why there was not enough time
     */
    Explanation explanation(Outcome outcome, String cause) {
        return explanation(
                switch (outcome) {
                    case Outcome.Written(Timestamp version) ->
                            "the condition held, and a majority of the owners accepted " + version;
                    case Outcome.Unmet(Timestamp current) ->
                            "the condition does not hold"
                                    + (current == null ? "" : ": the key has " + current);
                    case Outcome.VersionTaken taken -> taken.explanation().reasons().getFirst();
                    case Outcome.TooOld tooOld -> tooOld.explanation().reasons().getFirst();
                    case Outcome.Refused refused -> refused.reason();
                    case Outcome other -> cause;
                });
    }
}

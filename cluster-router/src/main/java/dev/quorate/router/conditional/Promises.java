package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the replicas answered that promised a ballot. */
final class Promises {

    private final Map<Integer, AcceptorAnswer.Promised> answers = new HashMap<>();

    void clear() {
        answers.clear();
    }

    void add(int replica, AcceptorAnswer.Promised promised) {
        answers.put(replica, promised);
    }

    int size() {
        return answers.size();
    }

    boolean contains(int replica) {
        return answers.containsKey(replica);
    }

    /** The newest entry. */
    Current newest() {
        return answers.values().stream()
                .map(AcceptorAnswer.Promised::entry)
                .max(Comparator.comparing(Current::version))
                .orElse(Current.NOTHING);
    }

    /** How many have this entry. */
    long holders(Current entry) {
        return answers.values().stream()
                .filter(promised -> promised.entry().version().equals(entry.version()))
                .count();
    }

    /** The highest GC watermark. */
    long watermarkMillis() {
        return answers.values().stream()
                .mapToLong(AcceptorAnswer.Promised::watermarkMillis)
                .max()
                .orElse(0);
    }

    /** The latest of the write that was asked about; null if none is known. */
    @Nullable Fate fate() {
        return answers.values().stream()
                .flatMap(promised -> Stream.ofNullable(promised.fate()))
                .max(Comparator.comparing(Fate::ballot))
                .orElse(null);
    }

    /**
     * Whether another request has the version of this one, or an entry: a plain write.
     *
     * @param isOwnFate whether the fate of this write was asked for
     */
    boolean isTaken(ConditionalRequest request, boolean isOwnFate) {
        return answers.values().stream()
                .anyMatch(
                        promised ->
                                promised.entry().version().equals(request.origin())
                                        || (isOwnFate && differs(promised.fate(), request))
                                        || Stream.concat(
                                                        Stream.ofNullable(promised.pending()),
                                                        promised.asked().values().stream())
                                                .map(Accepted::proposal)
                                                .filter(p -> p.origin().equals(request.origin()))
                                                .anyMatch(p -> p.digest() != request.digest()));
    }

    private static boolean differs(@Nullable Fate fate, ConditionalRequest request) {
        return fate != null && fate.digest() != request.digest();
    }

    /** What was accepted to succeed this entry: of it, the latest ballot counts. */
    Stream<Accepted> pending(Current current) {
        return answers.values().stream()
                .flatMap(promised -> Stream.ofNullable(promised.pending()))
                .filter(accepted -> accepted.proposal().follows(current));
    }

    /** What was accepted to succeed a version that was asked about. */
    private Stream<Accepted> asked(Timestamp base) {
        return answers.values().stream().flatMap(p -> Stream.ofNullable(p.asked().get(base)));
    }

    /** The last of it; null if nothing was. */
    @Nullable Accepted latest(Timestamp base) {
        return asked(base).max(Comparator.comparing(Accepted::ballot)).orElse(null);
    }

    boolean isBaseDroppable(Timestamp base) {
        return asked(base).anyMatch(accepted -> accepted.proposal().isBaseDroppable());
    }

    /**
     * How many have accepted a proposal to succeed a version, and nothing else in its place. With
     * copies, how many may have.
     */
    long acceptors(Timestamp base, Proposal proposal, boolean withCopies) {
        Timestamp result = proposal.result();
        return asked(base)
                .filter(accepted -> withCopies || !accepted.isCopy())
                .filter(accepted -> Objects.equals(result, accepted.proposal().result()))
                .count();
    }
}

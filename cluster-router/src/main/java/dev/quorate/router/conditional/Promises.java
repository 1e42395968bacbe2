package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The answers of the replicas that promised a ballot. */
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

    /** How many replicas have this entry. */
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

    /** The latest fate of the write that was asked about; null if none is known. */
    @Nullable Fate fate() {
        return answers.values().stream()
                .flatMap(promised -> Stream.ofNullable(promised.fate()))
                .max(Comparator.comparing(Fate::ballot))
                .orElse(null);
    }

    /**
     * Whether the version of this request belongs to another request, or to a plain write's entry.
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

    /** The proposals accepted to succeed this entry; the one with the latest ballot counts. */
    Stream<Accepted> pending(Current current) {
        return answers.values().stream()
                .flatMap(promised -> Stream.ofNullable(promised.pending()))
                .filter(accepted -> accepted.proposal().follows(current));
    }

    /** The proposals accepted to succeed a version that was asked about. */
    private Stream<Accepted> asked(Timestamp base) {
        return answers.values().stream().flatMap(p -> Stream.ofNullable(p.asked().get(base)));
    }

    /** The proposal last accepted to succeed the version; null for none. */
    @Nullable Accepted latest(Timestamp base) {
        return asked(base).max(Comparator.comparing(Accepted::ballot)).orElse(null);
    }

    boolean isBaseDroppable(Timestamp base) {
        return asked(base).anyMatch(accepted -> accepted.proposal().isBaseDroppable());
    }

    /**
     * How many replicas have accepted a proposal to succeed a version, and no other in its place.
     * With copies, how many may have accepted it.
     */
    long acceptors(Timestamp base, Proposal proposal, boolean withCopies) {
        Timestamp result = proposal.result();
        return asked(base)
                .filter(accepted -> withCopies || !accepted.isCopy())
                .filter(accepted -> Objects.equals(result, accepted.proposal().result()))
                .count();
    }
}

package dev.quorate.router.conditional;

import dev.quorate.router.quorum.Electorate;
import dev.quorate.storage.Timestamp;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the replicas that promised a ballot, and what they show together: the newest
 * entry, the proposal that counts, and what became of earlier attempts of the write. Pure: {@link
 * ConditionalRound} asks, and decides what follows.
 *
 * <ol>
 *   <li>Of the proposals accepted to succeed one entry, that of the latest ballot counts.
 *   <li>A proposal is <i>dead</i> if its write was denied under a later ballot, or proposed to
 *       succeed something else. If the proposal that counts is dead, no earlier one was or can be
 *       chosen.
 *   <li>A version that the write may have been proposed to succeed is asked about until it is
 *       settled.
 *   <li>A copy of another replica's record does not count as an acceptance.
 * </ol>
 */
final class Promises {

    private final ConditionalRequest request;
    private Electorate majority;
    private final Map<Integer, AcceptorAnswer.Promised> answers = new HashMap<>();

    /** Bit i is set if replica i has promised. */
    private long promised;

    /** The highest GC watermark of the replicas that promised. */
    private long watermarkMillis;

    /** The write whose fate was asked for last. */
    private Timestamp asked = Timestamp.ZERO;

    /** By origin: the fates that a majority was asked for under this ballot; empty if unknown. */
    private final Map<Timestamp, Optional<Fate>> fates = new HashMap<>();

    /** Versions that this write was, or may have been, proposed to succeed. */
    private final Set<Timestamp> attempted = new HashSet<>();

    /**
     * Versions that this write is known not to have succeeded under a ballot before the mapped one.
     */
    private final Map<Timestamp, Timestamp> settled = new HashMap<>();

    private Timestamp leadBallot = Timestamp.ZERO;

    /** Bit i is set if replica i will never accept the proposal made in the lead. */
    private long refusedInLead;

    Promises(ConditionalRequest request, Electorate majority) {
        this.request = request;
        this.majority = majority;
        Timestamp named = request.named();
        if (request.isRetry() && named != null) {
            attempted.add(named);
        }
    }

    // ---- Questions and answers.

    /** Drops what is known of replicas by their index: others have these indexes now. */
    void elect(Electorate newMajority) {
        majority = newMajority;
        answers.clear();
        promised = 0;
        refusedInLead = 0;
    }

    /** Begins a ballot: fates may have changed since the last one. */
    void begin() {
        fates.clear();
    }

    void beginInLead(Timestamp ballot) {
        leadBallot = ballot;
    }

    /** Begins a question for promises, and for the fate of a write. */
    void ask(Timestamp origin) {
        asked = origin;
        answers.clear();
        promised = 0;
        watermarkMillis = 0;
    }

    void add(int replica, AcceptorAnswer.Promised answer) {
        answers.put(replica, answer);
        promised |= 1L << replica;
        watermarkMillis = Math.max(watermarkMillis, answer.watermarkMillis());
    }

    /** Notes that a replica will never accept the proposal made in the lead. */
    void refusedInLead(int replica) {
        refusedInLead |= 1L << replica;
    }

    boolean isMajority() {
        return majority.isQuorum(promised);
    }

    Current newest() {
        return answers.values().stream()
                .map(AcceptorAnswer.Promised::entry)
                .max(Comparator.comparing(Current::version))
                .orElse(Current.NOTHING);
    }

    boolean isStored(Current entry) {
        return majority.isQuorum(
                replicas(answer -> answer.entry().version().equals(entry.version())));
    }

    /** The replicas whose answers match, as a bit mask. */
    private long replicas(Predicate<AcceptorAnswer.Promised> matches) {
        long matching = 0;
        for (Map.Entry<Integer, AcceptorAnswer.Promised> answer : answers.entrySet()) {
            matching |= matches.test(answer.getValue()) ? 1L << answer.getKey() : 0;
        }
        return matching;
    }

    // ---- Watermark.

    /** The GC watermark as a version: the base of what succeeds nothing. */
    Timestamp watermark() {
        return Timestamp.of(watermarkMillis, 0, 0);
    }

    boolean isBeforeWatermark(Timestamp timestamp) {
        return timestamp.wallMillis() < watermarkMillis;
    }

    /** The entry's version; without an entry the GC watermark, which is after what was dropped. */
    Timestamp base(Current current) {
        return current.isNothing() ? watermark() : current.version();
    }

    // ---- Fates.

    /**
     * Stores the fate that was asked for. Returns whether it names a version that this write was
     * proposed to succeed, and that nothing was asked about: then the owners are asked again.
     */
    boolean findsAttempt() {
        Fate fate =
                answers.values().stream()
                        .flatMap(answer -> Stream.ofNullable(answer.fate()))
                        .max(Comparator.comparing(Fate::ballot))
                        .orElse(null);
        Timestamp last = fate == null || !isOwnFate() ? null : fate.base();
        if (fate != null && last != null && !attempted.contains(last)) {
            Timestamp known = settled.get(last);
            if (known == null || fate.ballot().isAfter(known)) {
                attempted.add(last);
                return true;
            }
        }
        fates.put(asked, Optional.ofNullable(fate));
        return false;
    }

    private boolean isOwnFate() {
        return asked.equals(request.origin());
    }

    /** Whether the version of this request belongs to another request, or to a plain write. */
    boolean isTaken() {
        return answers.values().stream()
                .anyMatch(
                        answer ->
                                answer.entry().version().equals(request.origin())
                                        || (isOwnFate() && differs(answer.fate()))
                                        || Stream.concat(
                                                        Stream.ofNullable(answer.pending()),
                                                        answer.asked().values().stream())
                                                .map(Accepted::proposal)
                                                .filter(p -> p.origin().equals(request.origin()))
                                                .anyMatch(p -> p.digest() != request.digest()));
    }

    private boolean differs(@Nullable Fate fate) {
        return fate != null && fate.digest() != request.digest();
    }

    private Optional<Fate> fate(Timestamp origin) {
        return fates.getOrDefault(origin, Optional.empty());
    }

    boolean isDenied() {
        return fate(request.origin()).filter(fate -> fate.base() == null).isPresent();
    }

    /** Whether the fate of the proposal's write must be asked for before the proposal counts. */
    boolean mayBeDead(Proposal proposal) {
        return proposal.hasFate() && !isOwn(proposal) && !fates.containsKey(proposal.origin());
    }

    /** A majority that was asked for a later promise had not accepted such a proposal. */
    private boolean isDead(Accepted accepted) {
        Proposal proposal = accepted.proposal();
        return fate(proposal.origin())
                .filter(fate -> fate.ballot().isAfter(accepted.ballot()))
                .filter(fate -> !proposal.base().equals(fate.base()))
                .isPresent();
    }

    /**
     * Whether a denial may have been dropped: it is later than what it denies, and may be older
     * than the GC watermark while the value's step is not. Soon the value is older too, and hidden.
     */
    boolean isFateForgotten(Accepted accepted) {
        Proposal proposal = accepted.proposal();
        return proposal.hasFate()
                && isBeforeWatermark(proposal.origin())
                && isBeforeWatermark(accepted.ballot());
    }

    // ---- Proposals to succeed the current entry.

    private Stream<Accepted> following(Current current) {
        return answers.values().stream()
                .flatMap(answer -> Stream.ofNullable(answer.pending()))
                .filter(accepted -> accepted.proposal().follows(current));
    }

    /** The proposal to finish before anything else may succeed the entry; null for none. */
    @Nullable Accepted pending(Current current) {
        return following(current)
                .max(Comparator.comparing(Accepted::ballot))
                .filter(accepted -> !isDead(accepted))
                .orElse(null);
    }

    // ---- Attempts of this write.

    boolean isOwn(Proposal proposal) {
        return !proposal.origin().equals(Timestamp.ZERO)
                && proposal.origin().equals(request.origin());
    }

    /** The versions to ask about. */
    Set<Timestamp> attempted() {
        return attempted;
    }

    /** Notes that this write is proposed to succeed a version. */
    void addAttempt(Timestamp base) {
        attempted.add(base);
    }

    void settle(Timestamp base, Timestamp ballot) {
        attempted.remove(base);
        settled.put(base, ballot);
    }

    /** Settles everything that a proposal which was chosen to succeed the entry was in place of. */
    void settleAll(Current current, Timestamp ballot) {
        following(current).forEach(other -> settle(other.proposal().base(), ballot));
        settle(base(current), ballot);
    }

    /** A base that this write may have been proposed to succeed, and that is not current. */
    @Nullable Timestamp overtaken(Current current) {
        for (Timestamp version : attempted) {
            boolean isCurrent =
                    version.equals(base(current))
                            || following(current)
                                    .anyMatch(p -> p.proposal().base().equals(version));
            boolean isSuperseded =
                    current.isNothing()
                            ? isBeforeWatermark(version)
                            : current.version().isAfter(version);
            if (!isCurrent && (isSuperseded || isBaseDroppable(version))) {
                return version;
            }
        }
        return null;
    }

    /** Whether this write made the entry: some majority chose it, perhaps of other owners. */
    boolean isMade(Current current) {
        return attempted.stream()
                .map(this::own)
                .anyMatch(own -> own != null && current.version().equals(own.result()));
    }

    /** This write, as it was last proposed to succeed a version; null if something else was. */
    private @Nullable Proposal own(Timestamp base) {
        Accepted latest = latest(base);
        return latest != null && isOwn(latest.proposal()) ? latest.proposal() : null;
    }

    /** The version that this write made to succeed a base; null if no majority accepted it. */
    @Nullable Timestamp made(Timestamp base) {
        Proposal own = own(base);
        return own != null && isAccepted(base, own) ? own.result() : null;
    }

    // ---- Decrees of versions that were asked about.

    private Stream<Accepted> accepted(Timestamp base) {
        return answers.values().stream().flatMap(p -> Stream.ofNullable(p.asked().get(base)));
    }

    /** The proposal last accepted to succeed a version; null if there is none, or it is dead. */
    @Nullable Accepted latest(Timestamp base) {
        return accepted(base)
                .max(Comparator.comparing(Accepted::ballot))
                .filter(latest -> !isDead(latest))
                .orElse(null);
    }

    private @Nullable Proposal inLead(Timestamp base) {
        Accepted latest = latest(base);
        return latest != null && latest.proposal().isInLead() ? latest.proposal() : null;
    }

    boolean isBaseDroppable(Timestamp base) {
        return accepted(base).anyMatch(accepted -> accepted.proposal().isBaseDroppable());
    }

    /**
     * Whether the answers leave open if a superseded version was succeeded by this write.
     *
     * <p>A droppable base has several names, so its successor may be known under another name. The
     * write was done only if a majority has it, since a replica that accepts another proposal in
     * its place no longer has it. A proposal in the lead was made without asking, perhaps after a
     * newer write was acknowledged: it too counts only if a majority accepted it, and so had
     * nothing newer. While keys move, it was done only if a majority of each group has it, and was
     * not if a majority of the owners before the change cannot have it: nothing is chosen without
     * them until the owners after the change decide alone, under later ballots.
     */
    boolean isUnclear(Timestamp base) {
        Proposal counted = isBaseDroppable(base) ? own(base) : inLead(base);
        if (counted == null || isAccepted(base, counted)) {
            return false;
        }
        long unknown = ~promised;
        Accepted latest = latest(base);
        if (latest != null && latest.ballot().equals(leadBallot)) {
            unknown &= ~refusedInLead;
        }
        return majority.isQuorumBefore(acceptors(base, counted, true) | unknown);
    }

    /** The proposal to close a superseded version with, without its value. */
    Proposal successor(Timestamp base) {
        Accepted latest = latest(base);
        Proposal inLead = inLead(base);
        return latest == null || (inLead != null && !isAccepted(base, inLead))
                ? Proposal.NOBODY
                : latest.proposal().withoutValue().confirmed();
    }

    private boolean isAccepted(Timestamp base, Proposal proposal) {
        return majority.isQuorum(acceptors(base, proposal, false));
    }

    /**
     * The replicas that have accepted a proposal to succeed a version, and no other in its place.
     * With copies, those that may have accepted it.
     */
    private long acceptors(Timestamp base, Proposal proposal, boolean withCopies) {
        Timestamp result = proposal.result();
        return replicas(
                answer -> {
                    Accepted accepted = answer.asked().get(base);
                    return accepted != null
                            && (withCopies || !accepted.isCopy())
                            && Objects.equals(result, accepted.proposal().result());
                });
    }
}

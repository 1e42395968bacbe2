package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides a conditional write, or a read that has found something undecided: what to send to the
 * owners of the key, and what their answers mean. Pure: each event returns the next step. Not
 * thread-safe.
 *
 * <p>A ballot begins with a promise of a majority. The newest entry among the answers is written to
 * a majority, unless a majority stores it already. Then, under the same ballot:
 *
 * <ol>
 *   <li>a version that this write was proposed to succeed, and that is superseded, is closed;
 *   <li>a proposal accepted to succeed the newest entry is proposed again, until it is chosen;
 *   <li>the condition is judged, and the write's own value proposed.
 * </ol>
 *
 * <p>A write whose condition names no version may have been proposed to succeed several, one after
 * the other. The last of them is its {@link Fate}. A 412 to a write that was proposed before
 * becomes its fate before the client is answered. No coordinator finishes a proposal that
 * contradicts the fate of its write.
 *
 * <p>If two replicas are a majority and this node is an owner, it accepts a proposal itself first.
 * Then the first other owner that accepts it knows that it is chosen, and stores it as its entry at
 * once.
 *
 * <p>A coordinator whose last write of the key succeeded is in the lead: see {@link #beginInLead}.
 *
 * <p>Every proposal succeeds a version that is decided. If a majority can no longer be reached, the
 * step is {@link Step.Retry}: the driver waits, and {@linkplain #begin begins} again with a later
 * ballot.
 */
public final class ConditionalRound {

    /** What to do next. */
    public sealed interface Step {

        /** Nothing, until a replica answers. */
        enum Wait implements Step {
            WAIT
        }

        /** Ask every owner for a promise, and about these versions, and the fate of a write. */
        record Prepare(Timestamp ballot, Set<Timestamp> asked, Timestamp origin) implements Step {
            public Prepare {
                asked = Set.copyOf(asked);
            }
        }

        /**
         * Take the clock's next timestamp, after this reading; see {@link #stamped}.
         *
         * @param after unsigned
         */
        record Stamp(long after) implements Step {}

        /** Write an entry, as it is, to every owner. */
        record Store(Current entry) implements Step {}

        /**
         * Ask owners to accept a proposal.
         *
         * @param decides whether it is chosen as soon as one of them accepts it
         */
        record Accept(Timestamp ballot, Proposal proposal, Owners owners, boolean decides)
                implements Step {}

        /** Ask every owner to close the decree of a superseded version. */
        record Close(Timestamp ballot, Timestamp base, Proposal proposal) implements Step {}

        /** Ask every owner to deny a write for good. */
        record Deny(Timestamp ballot, Timestamp origin, long digest) implements Step {}

        /** Wait a while, and begin with a ballot after this one. */
        record Retry(Timestamp after) implements Step {}

        /**
         * Answer the client.
         *
         * @param chosen this write's value, to be written to every owner before the client is
         *     answered; null for none
         */
        record Answer(Verdict verdict, @Nullable Current chosen) implements Step {}
    }

    /** Which owners of the key are asked. */
    public enum Owners {
        ALL,
        /** This node. */
        SELF,
        /** All but this node. */
        OTHERS
    }

    /** For a coordinator that does not own the key. */
    public static final int NO_OWNER = -1;

    private enum Phase {
        PREPARE,
        STAMP,
        STORE,
        ACCEPT_ITSELF,
        ACCEPT,
        CLOSE,
        DENY,
        OVER
    }

    private final ConditionalRequest request;
    private final int replicas;
    private final int majority;
    private final int self;

    /** Versions that this write was, or may have been, proposed to succeed. */
    private final Set<Timestamp> attempted = new HashSet<>();

    /**
     * Versions that this write is known not to have succeeded under a ballot before the mapped one.
     */
    private final Map<Timestamp, Timestamp> settled = new HashMap<>();

    /** The highest GC watermark of the replicas that promised. */
    private long watermarkMillis;

    /** By origin: the fates that a majority was asked for under this ballot; empty if unknown. */
    private final Map<Timestamp, Optional<Fate>> fates = new HashMap<>();

    /** The write whose fate was asked for last. */
    private Timestamp asked = Timestamp.ZERO;

    /** Whether a replica may have accepted this write. */
    private boolean isProposed;

    /** Whether this attempt has proposed it. */
    private boolean hasProposed;

    /** The entry that failed the condition, as of the judgement; null before it. */
    private @Nullable Current instead;

    /** Whether this round proposes without asking for a promise. */
    private boolean isInLead;

    private boolean isLeading;

    private Timestamp leadBallot = Timestamp.ZERO;

    /** Replicas that will never accept the proposal made in the lead. */
    private final Set<Integer> refusedInLead = new HashSet<>();

    private Phase phase = Phase.OVER;
    private Timestamp ballot = Timestamp.ZERO;
    private Timestamp stamp = Timestamp.ZERO;

    /** The latest ballot that outbid this one. */
    private Timestamp outbid = Timestamp.ZERO;

    private final Map<Integer, AcceptorAnswer> answers = new HashMap<>();
    private final Promises promises = new Promises();

    /** The key's entry: decided, and the newest that this round knows. */
    private Current current = Current.NOTHING;

    /** Whether a majority of the replicas is known to store {@link #current}. */
    private boolean isStored;

    /** The value that was chosen under this ballot and that a majority does not store yet. */
    private @Nullable Current chosen;

    private @Nullable Proposal proposed;
    private Timestamp base = Timestamp.ZERO;

    /**
     * @param replicas the number of owners of the key
     * @param self the index of this node among them, or {@link #NO_OWNER}
     */
    public ConditionalRound(ConditionalRequest request, int replicas, int self) {
        this.request = request;
        this.replicas = replicas;
        this.self = self;
        this.majority = replicas / 2 + 1;
        this.isProposed = request.isRetry();
        Timestamp named = request.named();
        if (request.isRetry() && named != null) {
            attempted.add(named);
        }
    }

    // ---- Events.

    /**
     * Begins in the lead: if the condition holds for the entry made last, a proposal suffices. The
     * stamp comes next; any obstacle leads to a {@link Step.Retry}.
     */
    public Step beginInLead(Lead lead) {
        ballot = lead.ballot();
        leadBallot = ballot;
        current = lead.current();
        outbid = Timestamp.ZERO;
        isInLead = true;
        enter(Phase.STAMP);
        return new Step.Stamp(current.version().madeAt());
    }

    /** Begins, or begins again, with a ballot of this node's clock that was never used. */
    public Step begin(Timestamp newBallot) {
        ballot = newBallot;
        isInLead = false;
        outbid = Timestamp.ZERO;
        chosen = null;
        fates.clear();
        return prepare(request.origin());
    }

    private Step prepare(Timestamp origin) {
        asked = origin;
        promises.clear();
        enter(Phase.PREPARE);
        return new Step.Prepare(ballot, attempted, origin);
    }

    /** A replica has answered the last question. */
    public Step answered(int replica, AcceptorAnswer answer) {
        if (answers.putIfAbsent(replica, answer) != null) {
            return Step.Wait.WAIT;
        }
        if (isInLead && isRefusal(answer)) {
            refusedInLead.add(replica);
        }
        if (answer instanceof AcceptorAnswer.Outbid(Timestamp promised)
                && promised.isAfter(outbid)) {
            outbid = promised;
        }
        return switch (phase) {
            case PREPARE -> {
                if (answer instanceof AcceptorAnswer.Promised promised) {
                    promises.add(replica, promised);
                }
                yield promises.size() >= majority ? prepared() : orRetry();
            }
            case STORE -> isDone() ? stored() : orRetry();
            case ACCEPT_ITSELF -> acceptedItself(answer);
            case ACCEPT -> isDone() ? accepted() : orRetry();
            case CLOSE -> isDone() ? closed() : orRetry();
            case DENY -> isDone() ? denied() : orRetry();
            case STAMP, OVER -> Step.Wait.WAIT;
        };
    }

    /** Whether the replica will never accept the proposal. */
    private boolean isRefusal(AcceptorAnswer answer) {
        return answer == AcceptorAnswer.Failed.NOT_ASKED
                || (answer instanceof AcceptorAnswer.Moved(Timestamp now) && now.isAfter(base));
    }

    /** This node has not accepted the proposal in time: the others may be a majority. */
    public Step lateItself() {
        return phase == Phase.ACCEPT_ITSELF ? askOthers(false) : Step.Wait.WAIT;
    }

    /** The timestamp that {@link Step.Stamp} asks for. */
    public Step stamped(Timestamp timestamp) {
        stamp = timestamp;
        if (!isInLead) {
            return decide();
        }
        if (!request.isRetry() && holdsAt(stamp)) {
            return judge();
        }
        // Other nodes may have written since: only a majority knows the current entry.
        enter(Phase.OVER);
        return new Step.Retry(ballot);
    }

    /** The lead for the next write of the key, once this write's own proposal is chosen. */
    public @Nullable Lead lead() {
        return isLeading ? new Lead(ballot, current) : null;
    }

    /** The deadline has passed, or the clock cannot give what is needed. */
    public Step giveUp() {
        enter(Phase.OVER);
        return new Step.Answer(new Verdict.Undecided(request.origin()), null);
    }

    /** Nothing was changed, unless this attempt has proposed the write: then it may be made. */
    private Step refused(Verdict verdict) {
        Step undecided = giveUp();
        return hasProposed ? undecided : new Step.Answer(verdict, null);
    }

    /** Whether a replica may have been asked to accept this write: otherwise it was not done. */
    public boolean isProposed() {
        return isProposed;
    }

    // ---- How it decides.

    private void enter(Phase next) {
        phase = next;
        answers.clear();
    }

    private boolean isDone() {
        return answers.values().stream().filter(a -> a == AcceptorAnswer.Done.DONE).count()
                >= majority;
    }

    /** Begins again once refusals make a majority impossible. */
    private Step orRetry() {
        long against =
                answers.values().stream()
                        .filter(
                                a ->
                                        a != AcceptorAnswer.Done.DONE
                                                && !(a instanceof AcceptorAnswer.Promised))
                        .count();
        if (against <= replicas - majority) {
            return Step.Wait.WAIT;
        }
        enter(Phase.OVER);
        return new Step.Retry(outbid.isAfter(ballot) ? outbid : ballot);
    }

    private Step prepared() {
        Fate fate = promises.fate();
        boolean isOwnFate = asked.equals(request.origin());
        if (request.isRetry() && promises.isTaken(request, isOwnFate)) {
            return refused(Verdict.Taken.TAKEN);
        }
        Timestamp news = isOwnFate ? news(fate) : null;
        if (news != null) {
            attempted.add(news);
            return prepare(asked);
        }
        fates.put(asked, Optional.ofNullable(fate));
        current = promises.newest();
        watermarkMillis = promises.watermarkMillis();
        if (isTooOld()) {
            return refused(Verdict.TooOld.TOO_OLD);
        }
        Timestamp overtaken = overtaken();
        if (overtaken != null && isUnclear(overtaken) && answers.size() < replicas) {
            return Step.Wait.WAIT;
        }
        isStored = promises.holders(current) >= majority;
        enter(Phase.STAMP);
        Accepted pending = pending();
        Timestamp later = pending == null ? null : pending.proposal().result();
        long after = latest(current.version().madeAt(), watermark().madeAt());
        return new Step.Stamp(later == null ? after : latest(after, later.madeAt()));
    }

    private static long latest(long reading, long other) {
        return Long.compareUnsigned(reading, other) >= 0 ? reading : other;
    }

    /** Whether records of this write may have been dropped. */
    private boolean isTooOld() {
        Timestamp origin = request.origin();
        return !origin.equals(Timestamp.ZERO) && origin.wallMillis() < watermarkMillis;
    }

    private Timestamp watermark() {
        return Timestamp.of(watermarkMillis, 0, 0);
    }

    /** The entry's version; without an entry the GC watermark, which is after what was dropped. */
    private Timestamp currentBase() {
        return current.isNothing() ? watermark() : current.version();
    }

    private Step decide() {
        if (!isStored) {
            enter(Phase.STORE);
            return new Step.Store(current);
        }
        if (isDenied(request.origin())) {
            return deny();
        }
        if (isMade()) {
            return written(current.version());
        }
        for (Timestamp base = overtaken(); base != null; base = overtaken()) {
            if (!promises.isBaseDroppable(base)) {
                return close(base);
            }
            if (isUnclear(base)) {
                return giveUp();
            }
            Proposal own = own(base);
            if (own != null && promises.acceptors(base, own, false) >= majority) {
                return written(Objects.requireNonNull(own.result()));
            }
            settle(base);
        }
        Accepted pending = pending();
        if (pending == null) {
            return judge();
        }
        if (isFateForgotten(pending)) {
            return giveUp();
        }
        Proposal proposal = pending.proposal();
        return mayBeDead(proposal) ? prepare(proposal.origin()) : propose(proposal.confirmed());
    }

    private Step stored() {
        isStored = true;
        chosen = null;
        return decide();
    }

    /** Whether this write made the entry: some majority chose it, perhaps of other owners. */
    private boolean isMade() {
        return attempted.stream()
                .map(this::own)
                .anyMatch(own -> own != null && current.version().equals(own.result()));
    }

    /** The version that this write was last proposed to succeed, if nothing was asked about it. */
    private @Nullable Timestamp news(@Nullable Fate fate) {
        Timestamp last = fate == null ? null : fate.base();
        if (fate == null || last == null || attempted.contains(last)) {
            return null;
        }
        Timestamp known = settled.get(last);
        return known == null || fate.ballot().isAfter(known) ? last : null;
    }

    private boolean isDenied(Timestamp origin) {
        return fate(origin).filter(fate -> fate.base() == null).isPresent();
    }

    private Optional<Fate> fate(Timestamp origin) {
        return fates.getOrDefault(origin, Optional.empty());
    }

    private boolean mayBeDead(Proposal proposal) {
        return proposal.hasFate() && !isOwn(proposal) && !fates.containsKey(proposal.origin());
    }

    /**
     * Whether its write was denied later, or proposed to succeed something else: a majority that
     * was asked before had not accepted this.
     */
    private boolean isDead(Accepted accepted) {
        Proposal proposal = accepted.proposal();
        return fate(proposal.origin())
                .filter(fate -> fate.ballot().isAfter(accepted.ballot()))
                .filter(fate -> !proposal.base().equals(fate.base()))
                .isPresent();
    }

    /** The proposal last accepted to succeed a version; null if there is none, or it is dead. */
    private @Nullable Accepted latest(Timestamp version) {
        Accepted latest = promises.latest(version);
        return latest == null || isDead(latest) ? null : latest;
    }

    private Step deny() {
        enter(Phase.DENY);
        return new Step.Deny(ballot, request.origin(), request.digest());
    }

    private Step denied() {
        enter(Phase.OVER);
        Current found = instead;
        return new Step.Answer(
                found == null ? Verdict.Denied.DENIED : new Verdict.Unmet(found), null);
    }

    /** A base that this write may have been proposed to succeed, and that is not current. */
    private @Nullable Timestamp overtaken() {
        for (Timestamp version : attempted) {
            boolean isCurrent =
                    version.equals(currentBase())
                            || promises.pending(current)
                                    .anyMatch(p -> p.proposal().base().equals(version));
            boolean isSuperseded =
                    current.isNothing()
                            ? version.wallMillis() < watermarkMillis
                            : current.version().isAfter(version);
            if (!isCurrent && (isSuperseded || promises.isBaseDroppable(version))) {
                return version;
            }
        }
        return null;
    }

    /** This write, as it was last proposed to succeed a version; null if something else was. */
    private @Nullable Proposal own(Timestamp base) {
        Accepted latest = latest(base);
        return latest != null && isOwn(latest.proposal()) ? latest.proposal() : null;
    }

    /**
     * Whether the answers leave open if a superseded version was succeeded by this write.
     *
     * <p>A droppable base has several names, so its successor may be known under another name. The
     * write was done only if a majority has it, since a replica that accepts another proposal in
     * its place no longer has it. A proposal in the lead was made without asking, perhaps after a
     * newer write was acknowledged: it too counts only if a majority accepted it, and so had
     * nothing newer.
     */
    private boolean isUnclear(Timestamp base) {
        Proposal counted = promises.isBaseDroppable(base) ? own(base) : inLead(base);
        if (counted == null) {
            return false;
        }
        int unknown = replicas - promises.size();
        Accepted latest = latest(base);
        if (latest != null && latest.ballot().equals(leadBallot)) {
            for (int replica : refusedInLead) {
                unknown -= promises.contains(replica) ? 0 : 1;
            }
        }
        return promises.acceptors(base, counted, false) < majority
                && promises.acceptors(base, counted, true) + unknown >= majority;
    }

    private @Nullable Proposal inLead(Timestamp base) {
        Accepted latest = latest(base);
        return latest != null && latest.proposal().isInLead() ? latest.proposal() : null;
    }

    private Step close(Timestamp version) {
        Accepted latest = latest(version);
        if (latest != null && mayBeDead(latest.proposal())) {
            return prepare(latest.proposal().origin());
        }
        if (isUnclear(version)) {
            return giveUp();
        }
        Proposal inLead = inLead(version);
        boolean isNobody =
                latest == null
                        || (inLead != null
                                && promises.acceptors(version, inLead, false) < majority);
        base = version;
        proposed =
                latest == null || isNobody
                        ? Proposal.NOBODY
                        : latest.proposal().withoutValue().confirmed();
        enter(Phase.CLOSE);
        return new Step.Close(ballot, version, proposed);
    }

    private Step closed() {
        Proposal decided = Objects.requireNonNull(proposed);
        if (isOwn(decided)) {
            return written(Objects.requireNonNull(decided.result()));
        }
        settle(base);
        return decide();
    }

    private void settle(Timestamp decided) {
        attempted.remove(decided);
        settled.put(decided, ballot);
    }

    /** The proposal of the latest ballot; if that is dead, no earlier one was or can be chosen. */
    private @Nullable Accepted pending() {
        return promises.pending(current)
                .max(Comparator.comparing(Accepted::ballot))
                .filter(accepted -> !isDead(accepted))
                .orElse(null);
    }

    /**
     * Whether a denial may have been dropped: it is later than what it denies, and may be older
     * than the GC watermark while the value's step is not. Soon the value is older too, and hidden.
     */
    private boolean isFateForgotten(Accepted accepted) {
        Proposal proposal = accepted.proposal();
        return proposal.hasFate()
                && proposal.origin().wallMillis() < watermarkMillis
                && accepted.ballot().wallMillis() < watermarkMillis;
    }

    private Step propose(Proposal proposal) {
        base = proposal.base();
        proposed = proposal;
        if (isOwn(proposal)) {
            attempted.add(base);
            isProposed = true;
            hasProposed = true;
        }
        boolean isFirst = majority == 2 && self != NO_OWNER;
        enter(isFirst ? Phase.ACCEPT_ITSELF : Phase.ACCEPT);
        return new Step.Accept(ballot, proposal, isFirst ? Owners.SELF : Owners.ALL, majority == 1);
    }

    private Step acceptedItself(AcceptorAnswer own) {
        if (own instanceof AcceptorAnswer.Outbid) {
            enter(Phase.OVER);
            return new Step.Retry(outbid);
        }
        return askOthers(own == AcceptorAnswer.Done.DONE);
    }

    /** Asks the others. */
    private Step askOthers(boolean decides) {
        // This node's own answer still counts.
        phase = Phase.ACCEPT;
        return new Step.Accept(ballot, Objects.requireNonNull(proposed), Owners.OTHERS, decides);
    }

    /** It is chosen. */
    private Step accepted() {
        Proposal decided = Objects.requireNonNull(proposed);
        Current entry = Objects.requireNonNull(decided.entry());
        promises.pending(current).forEach(other -> settle(other.proposal().base()));
        settle(currentBase());
        settle(base);
        current = entry;
        chosen = entry;
        isStored = false;
        isLeading = isOwn(decided);
        return isLeading ? written(entry.version()) : decide();
    }

    private boolean isOwn(Proposal proposal) {
        return !proposal.origin().equals(Timestamp.ZERO)
                && proposal.origin().equals(request.origin());
    }

    private Step written(Timestamp version) {
        enter(Phase.OVER);
        return new Step.Answer(new Verdict.Written(version), chosen);
    }

    private boolean holdsAt(Timestamp time) {
        return request.holds(current.asOf(time.wallMillis()));
    }

    /**
     * Judges the condition. A proposal has the stamp's time, and replicas refuse it if that is far
     * ahead of their clocks. No replica checks a 412, so it is judged at the time of the ballot,
     * which a majority has promised: this node's clock may have been set since.
     */
    private Step judge() {
        if (holdsAt(stamp)) {
            return propose(
                    Proposal.of(
                            request,
                            current,
                            currentBase(),
                            isInLead,
                            request.entry(currentBase().withStep(stamp.hybrid()))));
        }
        if (holdsAt(ballot)) {
            enter(Phase.OVER);
            return new Step.Retry(ballot);
        }
        Timestamp named = request.named();
        boolean mayStillCome =
                request.isRetry()
                        && named != null
                        && named.isAfter(current.version())
                        && named.wallMillis() >= watermarkMillis;
        if (mayStillCome) {
            return giveUp();
        }
        instead = current.asOf(ballot.wallMillis());
        if (!isProposed || (named != null && current.version().isAfter(named))) {
            return denied();
        }
        return deny();
    }
}

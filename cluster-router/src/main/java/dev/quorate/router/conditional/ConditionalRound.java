package dev.quorate.router.conditional;

import dev.quorate.router.conditional.ConditionalStep.Owners;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.storage.Timestamp;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides a conditional write, or a read that has found something undecided: what to send to the
 * owners of the key, and what their answers mean. Pure: each event returns the next step. Not
 * thread-safe.
 *
 * <p>Invariants, which the proof in {@code docs/proofs/conditional-writes.md} needs:
 *
 * <ol>
 *   <li>Every proposal succeeds a version that is decided.
 *   <li>Before this write is proposed to succeed another version, or refused, every version that it
 *       may have been proposed to succeed is settled: closed or, if replicas may drop it, counted.
 *   <li>A 412 to a write that was proposed before becomes its {@link Fate} before the client is
 *       answered, unless its condition names a superseded version. Then it is settled (2), and
 *       nothing can succeed that version any more.
 *   <li>A proposal that contradicts the fate of its write is not finished.
 * </ol>
 *
 * <p>Steps, in order. If a majority can no longer be reached, the step is {@link
 * ConditionalStep.Retry}: the driver waits, and {@linkplain #begin begins} again with a later
 * ballot.
 *
 * <ol>
 *   <li>A majority promises the ballot. A write whose condition names no version may have been
 *       proposed to succeed several, one after the other: if its fate names another one, the owners
 *       are asked again.
 *   <li>The clock stamps the new value, after the newest entry among the answers.
 *   <li>That entry is written to a majority, unless a majority stores it already.
 *   <li>A version that this write was proposed to succeed, and that is superseded, is closed.
 *   <li>A proposal accepted to succeed the newest entry is proposed again, until it is chosen.
 *   <li>The condition is judged, and the write's own value proposed. If any two replicas are a
 *       majority and this node is an owner, it accepts a proposal itself first. Then the first
 *       other owner that accepts it knows that it is chosen, and stores it as its entry at once.
 * </ol>
 *
 * <p>A coordinator whose last write of the key succeeded is in the lead, and begins with the last
 * step: see {@link #beginInLead}.
 *
 * <p>The obvious approach omits steps 3 to 5: it judges the condition for the newest entry that a
 * majority shows. Then a retry is refused because of the value that its own first attempt made, and
 * a value that one replica has accepted is finished after the client was told that it was refused.
 */
public final class ConditionalRound {

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
    private Electorate majority;
    private int self;

    /** Whether a replica may have accepted this write. */
    private boolean isProposed;

    private boolean hasProposed;

    /** The entry that failed the condition, as of the judgement; null before it. */
    private @Nullable Current instead;

    /** Whether this round proposes without asking for a promise. */
    private boolean isInLead;

    private boolean isLeading;

    private Phase phase = Phase.OVER;
    private Timestamp ballot = Timestamp.ZERO;
    private Timestamp stamp = Timestamp.ZERO;

    /** The latest ballot that outbid this one. */
    private Timestamp outbid = Timestamp.ZERO;

    /** Bit i is set if replica i has answered the last question. */
    private long answered;

    /** Bit i is set if replica i has done what the last question asks for. */
    private long agreed;

    private final Promises promises;

    /** The key's entry: decided, and the newest that this round knows. */
    private Current current = Current.NOTHING;

    /** Whether a majority of the replicas is known to store {@link #current}. */
    private boolean isStored;

    /** The value that was chosen under this ballot and that a majority does not store yet. */
    private @Nullable Current chosen;

    private @Nullable Proposal proposed;
    private Timestamp base = Timestamp.ZERO;

    /**
     * @param majority the owners of the key, and a majority of each group of them
     * @param self the index of this node among them, or {@link #NO_OWNER}
     */
    public ConditionalRound(ConditionalRequest request, Electorate majority, int self) {
        this.request = request;
        this.majority = majority;
        this.self = self;
        this.isProposed = request.isRetry();
        this.promises = new Promises(request, majority);
    }

    // ---- Events.

    /**
     * The key has other owners from the next ballot on. An equal electorate may be of other
     * replicas, so this drops what is known of a replica by its index. A lead is of one set of
     * owners: after a change the caller must not pass an older one.
     */
    public void elect(Electorate newMajority, int newSelf) {
        majority = newMajority;
        self = newSelf;
        enter(Phase.OVER);
        promises.elect(newMajority);
    }

    /**
     * Begins in the lead: if the condition holds for the entry made last, a proposal suffices. The
     * stamp comes next; any obstacle leads to a {@link ConditionalStep.Retry}.
     */
    public ConditionalStep beginInLead(Lead lead) {
        ballot = lead.ballot();
        promises.beginInLead(ballot);
        current = lead.current();
        outbid = Timestamp.ZERO;
        isInLead = true;
        enter(Phase.STAMP);
        return new ConditionalStep.Stamp(current.version().madeAt());
    }

    /** Begins, or begins again, with a ballot of this node's clock that was never used. */
    public ConditionalStep begin(Timestamp newBallot) {
        ballot = newBallot;
        isInLead = false;
        outbid = Timestamp.ZERO;
        chosen = null;
        promises.begin();
        return prepare(request.origin());
    }

    private ConditionalStep prepare(Timestamp origin) {
        promises.ask(origin);
        enter(Phase.PREPARE);
        return new ConditionalStep.Ask(new Question.Prepare(ballot, promises.attempted(), origin));
    }

    /** A replica has answered the last question. */
    public ConditionalStep answered(int replica, AcceptorAnswer answer) {
        long bit = 1L << Objects.checkIndex(replica, majority.size());
        if ((answered & bit) != 0) {
            return ConditionalStep.Wait.WAIT;
        }
        answered |= bit;
        boolean agrees =
                phase == Phase.PREPARE
                        ? answer instanceof AcceptorAnswer.Promised
                        : answer == AcceptorAnswer.Done.DONE;
        agreed |= agrees ? bit : 0;
        if (isInLead && isRefusal(answer)) {
            promises.refusedInLead(replica);
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
                yield promises.isMajority() ? prepared() : orRetry();
            }
            case STORE -> isDone() ? stored() : orRetry();
            case ACCEPT_ITSELF -> acceptedItself(answer);
            case ACCEPT -> isDone() ? accepted() : orRetry();
            case CLOSE -> isDone() ? closed() : orRetry();
            case DENY -> isDone() ? denied() : orRetry();
            case STAMP, OVER -> ConditionalStep.Wait.WAIT;
        };
    }

    /** Whether the replica will never accept the proposal. */
    private boolean isRefusal(AcceptorAnswer answer) {
        return answer == AcceptorAnswer.Failed.NOT_ASKED
                || (answer instanceof AcceptorAnswer.Moved(Timestamp now) && now.isAfter(base));
    }

    /** This node has not accepted the proposal in time: the others may be a majority. */
    public ConditionalStep onLocalTimeout() {
        return phase == Phase.ACCEPT_ITSELF ? askOthers(false) : ConditionalStep.Wait.WAIT;
    }

    /** The timestamp that {@link ConditionalStep.Stamp} asks for. */
    public ConditionalStep stamped(Timestamp timestamp) {
        stamp = timestamp;
        if (!isInLead) {
            return decide();
        }
        if (!request.isRetry() && holdsAt(stamp)) {
            return judge();
        }
        // Other nodes may have written since: only a majority knows the current entry.
        enter(Phase.OVER);
        return new ConditionalStep.Retry(ballot);
    }

    /** The lead for the next write of the key, once this write's own proposal is chosen. */
    public @Nullable Lead lead() {
        return isLeading ? new Lead(ballot, current) : null;
    }

    /** The deadline has passed, or the clock cannot give what is needed. */
    public ConditionalStep onDeadline() {
        enter(Phase.OVER);
        return new ConditionalStep.Answer(new Verdict.Undecided(request.origin()), null);
    }

    /** Nothing was changed, unless this attempt has proposed the write: then it may be made. */
    private ConditionalStep refused(Verdict verdict) {
        ConditionalStep undecided = onDeadline();
        return hasProposed ? undecided : new ConditionalStep.Answer(verdict, null);
    }

    /** Whether a replica may have been asked to accept this write: otherwise it was not done. */
    public boolean isProposed() {
        return isProposed;
    }

    // ---- How it decides.

    private void enter(Phase next) {
        phase = next;
        answered = 0;
        agreed = 0;
    }

    private boolean isDone() {
        return majority.isQuorum(agreed);
    }

    /** Begins again once refusals make a majority impossible. */
    private ConditionalStep orRetry() {
        if (!majority.isImpossible(answered & ~agreed)) {
            return ConditionalStep.Wait.WAIT;
        }
        enter(Phase.OVER);
        return new ConditionalStep.Retry(outbid.isAfter(ballot) ? outbid : ballot);
    }

    private ConditionalStep prepared() {
        if (request.isRetry() && promises.isTaken()) {
            return refused(Verdict.Refused.TAKEN);
        }
        if (promises.findsAttempt()) {
            return prepare(request.origin());
        }
        current = promises.newest();
        if (isTooOld()) {
            return refused(Verdict.Refused.TOO_OLD);
        }
        Timestamp overtaken = promises.overtaken(current);
        if (overtaken != null
                && promises.isUnclear(overtaken)
                && Long.bitCount(answered) < majority.size()) {
            return ConditionalStep.Wait.WAIT;
        }
        isStored = promises.isStored(current);
        enter(Phase.STAMP);
        Accepted pending = promises.pending(current);
        Timestamp later = pending == null ? null : pending.proposal().result();
        long after = latest(current.version().madeAt(), promises.watermark().madeAt());
        return new ConditionalStep.Stamp(later == null ? after : latest(after, later.madeAt()));
    }

    private static long latest(long reading, long other) {
        return Long.compareUnsigned(reading, other) >= 0 ? reading : other;
    }

    /** Whether records of this write may have been dropped. */
    private boolean isTooOld() {
        Timestamp origin = request.origin();
        return !origin.equals(Timestamp.ZERO) && promises.isBeforeWatermark(origin);
    }

    private ConditionalStep decide() {
        if (!isStored) {
            enter(Phase.STORE);
            return new ConditionalStep.Store(current);
        }
        if (promises.isDenied()) {
            return deny();
        }
        if (promises.isMade(current)) {
            return written(current.version());
        }
        Timestamp overtaken;
        while ((overtaken = promises.overtaken(current)) != null) {
            if (!promises.isBaseDroppable(overtaken)) {
                return close(overtaken);
            }
            if (promises.isUnclear(overtaken)) {
                return onDeadline();
            }
            Timestamp made = promises.made(overtaken);
            if (made != null) {
                return written(made);
            }
            promises.settle(overtaken, ballot);
        }
        Accepted pending = promises.pending(current);
        if (pending == null) {
            return judge();
        }
        if (promises.isFateForgotten(pending)) {
            return onDeadline();
        }
        Proposal proposal = pending.proposal();
        return promises.mayBeDead(proposal)
                ? prepare(proposal.origin())
                : propose(proposal.confirmed());
    }

    private ConditionalStep stored() {
        isStored = true;
        chosen = null;
        return decide();
    }

    private ConditionalStep deny() {
        enter(Phase.DENY);
        return new ConditionalStep.Ask(
                new Question.Deny(ballot, request.origin(), request.digest()));
    }

    private ConditionalStep denied() {
        enter(Phase.OVER);
        Current found = instead;
        return new ConditionalStep.Answer(
                found == null ? Verdict.Refused.DENIED : new Verdict.Unmet(found), null);
    }

    private ConditionalStep close(Timestamp version) {
        Accepted latest = promises.latest(version);
        if (latest != null && promises.mayBeDead(latest.proposal())) {
            return prepare(latest.proposal().origin());
        }
        if (promises.isUnclear(version)) {
            return onDeadline();
        }
        base = version;
        proposed = promises.successor(version);
        enter(Phase.CLOSE);
        return new ConditionalStep.Ask(new Question.Close(ballot, version, proposed));
    }

    private ConditionalStep closed() {
        Proposal decided = Objects.requireNonNull(proposed);
        if (promises.isOwn(decided)) {
            return written(Objects.requireNonNull(decided.result()));
        }
        promises.settle(base, ballot);
        return decide();
    }

    private ConditionalStep propose(Proposal proposal) {
        base = proposal.base();
        proposed = proposal;
        if (promises.isOwn(proposal)) {
            promises.addAttempt(base);
            isProposed = true;
            hasProposed = true;
        }
        int sufficient = majority.sufficient();
        boolean isFirst = sufficient == 2 && self != NO_OWNER;
        enter(isFirst ? Phase.ACCEPT_ITSELF : Phase.ACCEPT);
        return new ConditionalStep.Accept(
                ballot, proposal, isFirst ? Owners.SELF : Owners.ALL, sufficient == 1);
    }

    private ConditionalStep acceptedItself(AcceptorAnswer own) {
        if (own instanceof AcceptorAnswer.Outbid) {
            enter(Phase.OVER);
            return new ConditionalStep.Retry(outbid);
        }
        return askOthers(own == AcceptorAnswer.Done.DONE);
    }

    private ConditionalStep askOthers(boolean decides) {
        // This node's own answer still counts.
        phase = Phase.ACCEPT;
        return new ConditionalStep.Accept(
                ballot, Objects.requireNonNull(proposed), Owners.OTHERS, decides);
    }

    /** It is chosen. */
    private ConditionalStep accepted() {
        Proposal decided = Objects.requireNonNull(proposed);
        Current entry = Objects.requireNonNull(decided.entry());
        promises.settleAll(current, ballot);
        promises.settle(base, ballot);
        current = entry;
        chosen = entry;
        isStored = false;
        isLeading = promises.isOwn(decided);
        return isLeading ? written(entry.version()) : decide();
    }

    private ConditionalStep written(Timestamp version) {
        enter(Phase.OVER);
        return new ConditionalStep.Answer(new Verdict.Written(version), chosen);
    }

    private boolean holdsAt(Timestamp time) {
        return request.holds(current.asOf(time.wallMillis()));
    }

    /**
     * Judges the condition. A proposal has the stamp's time, and replicas refuse it if that is far
     * ahead of their clocks. No replica checks a 412, so it is judged at the time of the ballot,
     * which a majority has promised: this node's clock may have been set since.
     */
    private ConditionalStep judge() {
        if (holdsAt(stamp)) {
            Timestamp next = promises.base(current);
            Current entry = request.entry(next.withStep(stamp.hybrid()));
            return propose(Proposal.of(request, current, next, isInLead, entry));
        }
        if (holdsAt(ballot)) {
            enter(Phase.OVER);
            return new ConditionalStep.Retry(ballot);
        }
        Timestamp named = request.named();
        boolean mayStillCome =
                request.isRetry()
                        && named != null
                        && named.isAfter(current.version())
                        && !promises.isBeforeWatermark(named);
        if (mayStillCome) {
            return onDeadline();
        }
        instead = current.asOf(ballot.wallMillis());
        boolean isSettled = named != null && current.version().isAfter(named);
        return !isProposed || isSettled ? denied() : deny();
    }
}

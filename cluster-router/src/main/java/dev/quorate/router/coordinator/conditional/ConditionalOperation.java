package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.ConditionalRound;
import dev.quorate.router.conditional.ConditionalStep;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Lead;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.conditional.Verdict;
import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.OwnedKey;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A conditional write in progress: asks, stamps, waits and answers as its {@link ConditionalRound}
 * decides. Before the client is answered, as many replicas as it asked for, a majority at least,
 * store the chosen value as the key's entry: so a read at a majority finds it without knowing about
 * records. Its lock guards the round; no replica and no client is called with it held.
 */
final class ConditionalOperation implements Deadlines.Expiring, WaitingWrites.Waiting {

    private static final Duration PATIENCE_WITH_ITSELF = Duration.ofMillis(100);

    private final ConditionalContext shared;
    private final OperationContext context;
    private final byte[] key;
    private final OwnedKey owned;
    private final QuorumSpec spec;
    private final ConditionalRequest request;
    private final Ending ending;
    private final OutcomeCallback callback;
    private final long deadlineNanos;
    private final ConditionalRound round;

    /** The owners in the epoch of the last ballot. Changed under the lock. */
    private volatile AskedOwners owners;

    private volatile ConditionalTrace trace;

    // ---- Guarded by this.

    /** The number of the current question; answers to earlier ones are ignored. */
    private int question;

    private boolean isChosen;
    private boolean isStarted;

    /** The entry that failed the condition, until the client is answered. */
    private @Nullable Current refusedBy;

    private boolean isOver;

    /** Whether queued writes have been notified of the proposal. */
    private boolean isAnnounced;

    /** Starts the next operation of the key; null before this one's turn. */
    private @Nullable Runnable end;

    ConditionalOperation(
            ConditionalContext shared,
            byte[] key,
            QuorumSpec spec,
            ConditionalRequest request,
            long deadlineNanos,
            Ending ending,
            OutcomeCallback callback) {
        this.shared = shared;
        this.context = shared.operations();
        this.key = key;
        this.owned = new OwnedKey(key, context.view().placement().storedFrom(spec));
        this.spec = spec;
        this.request = request;
        this.ending = ending;
        this.callback = callback;
        long nowNanos = context.nanos();
        this.deadlineNanos = deadlineNanos;
        this.owners =
                new AskedOwners(
                        key, spec, context.view(), nowNanos, deadlineNanos, callback.trace());
        this.trace = new ConditionalTrace(owners);
        this.round = new ConditionalRound(request, owners.majority(), owners.self());
    }

    /** Begins; {@code whenOver} runs when the next operation of the key may begin. */
    void start(Runnable whenOver) {
        boolean isTooLate;
        synchronized (this) {
            isTooLate = isOver || refusedBy != null;
            isStarted = !isTooLate;
            end = isTooLate ? null : whenOver;
        }
        if (isTooLate) {
            whenOver.run();
        } else {
            shared.waiting().remove(owned, this);
            attempt();
        }
    }

    /** Waits for this node's turn, only once: a timer may be late, and a clock may stand still. */
    private void attempt() {
        long millis = shared.turns().millisUntilTurn(owned, context.nanos(), context.wallMillis());
        if (millis > 0) {
            shared.runtime().scheduler().after(Duration.ofMillis(millis), this::attemptNow);
        } else {
            attemptNow();
        }
    }

    /** Begins in the cheapest way that may succeed. */
    private void attemptNow() {
        if (isComplete()) {
            return; // it ended during the pause: it must not touch the key any more
        }
        findOwners();
        long nowNanos = context.nanos();
        Leads.Kept kept = shared.leads().remove(owned, nowNanos, owners.epoch());
        if (request.isRetry() || request.isRead() || isProposed()) {
            begin();
        } else if (kept != null
                && request.holds(kept.lead().current().asOf(context.wallMillis()))) {
            Lead lead = kept.lead();
            next(() -> round.beginInLead(lead));
        } else if (kept != null) {
            shared.leads().restore(owned, kept);
            readFirst();
        } else if (shared.leads().isContended(owned, nowNanos)) {
            readFirst();
        } else {
            begin();
        }
    }

    /** Asks the owners of the current epoch from now on. */
    private synchronized void findOwners() {
        if (isOver || owners.isCurrent()) {
            return;
        }
        question++; // answers of the owners before are ignored
        owners =
                new AskedOwners(
                        key,
                        spec,
                        context.view(),
                        context.nanos(),
                        deadlineNanos,
                        callback.trace());
        trace = new ConditionalTrace(owners);
        round.elect(owners.majority(), owners.self());
    }

    /** Passes an event to the round, unless the write is over, and takes the step that follows. */
    private void next(Supplier<ConditionalStep> event) {
        ConditionalStep step;
        synchronized (this) {
            step = isOver ? ConditionalStep.Wait.WAIT : stepAfter(event);
        }
        execute(step);
    }

    /** The same, unless the question with this number is over. */
    private void next(int number, Supplier<ConditionalStep> event) {
        ConditionalStep step;
        synchronized (this) {
            step = isCurrent(number) ? stepAfter(event) : ConditionalStep.Wait.WAIT;
        }
        execute(step);
    }

    /** If the round continues with another step, later answers to its last question are ignored. */
    private ConditionalStep stepAfter(Supplier<ConditionalStep> event) {
        ConditionalStep step = event.get();
        if (step != ConditionalStep.Wait.WAIT) {
            question++;
        }
        return step;
    }

    private synchronized boolean isProposed() {
        return round.isProposed();
    }

    /**
     * Checks the condition by a read at a majority: a refusal then costs no fsync, and ends no
     * lead. The read also serves the writes that wait.
     */
    private void readFirst() {
        List<WaitingWrites.Waiting> others = shared.waiting().now(owned, spec);
        shared.reader()
                .read(
                        key,
                        spec,
                        current -> {
                            if (current == null) {
                                begin();
                                return;
                            }
                            shared.waiting().refuse(owned, others, current);
                            if (request.holds(current)) {
                                begin();
                            } else {
                                finish(unmet(current));
                            }
                        });
    }

    @Override
    public QuorumSpec spec() {
        return spec;
    }

    @Override
    public synchronized boolean refuse(Current current) {
        boolean waits = !isStarted && !isOver && !request.isRetry() && !request.isRead();
        if (waits && !request.holds(current)) {
            refusedBy = current;
        }
        return refusedBy != null;
    }

    @Override
    public void answer() {
        onDeadline();
    }

    private static Outcome unmet(Current instead) {
        return new Outcome.Unmet(instead.value() == null ? null : instead.version());
    }

    /** Ends the write before its turn. */
    void refuse(String reason) {
        finish(Outcome.Refused.forNow(reason));
    }

    private void begin() {
        Timestamp ballot = context.clock().next();
        if (ballot == null) {
            onDeadline();
        } else {
            next(() -> round.begin(ballot));
        }
    }

    private void execute(ConditionalStep step) {
        switch (step) {
            case ConditionalStep.Wait wait -> {}
            case ConditionalStep.Ask(Question question) ->
                    ask(
                            question instanceof Question.Prepare ? Purpose.PREPARE : Purpose.ACCEPT,
                            null,
                            owners.message(question));
            case ConditionalStep.Accept accept -> askToAccept(accept);
            case ConditionalStep.Store(Current current) ->
                    ask(Purpose.REPAIR, current.version(), owners.message(current));
            case ConditionalStep.Stamp(long after) -> stamp(after);
            case ConditionalStep.Retry(Timestamp after) -> retry(after);
            case ConditionalStep.Answer(Verdict verdict, Current chosen) ->
                    decided(verdict, chosen);
        }
    }

    /** Notifies queued writes, once, of the first proposal: no client has seen its value yet. */
    private void announce() {
        synchronized (this) {
            if (isAnnounced || !round.isProposed()) {
                return;
            }
            isAnnounced = true;
        }
        shared.waiting().proposing(owned);
    }

    private void askToAccept(ConditionalStep.Accept step) {
        announce();
        int number =
                step.owners() == ConditionalStep.Owners.OTHERS
                        ? currentQuestion()
                        : beginRound(Purpose.ACCEPT, step.proposal().result());
        if (step.owners() == ConditionalStep.Owners.SELF) {
            context.deadlines().watch(new OwnAnswer(number));
        }
        owners.askToAccept(step, (owner, answer) -> answered(number, owner, answer));
    }

    private void ask(Purpose purpose, @Nullable Timestamp version, ReplicaRequest message) {
        int number = beginRound(purpose, version);
        owners.ask(
                message,
                () -> isCurrent(number),
                (owner, answer) -> answered(number, owner, answer));
    }

    private synchronized boolean isCurrent(int number) {
        return !isOver && number == question;
    }

    /** Continues without this node's own answer if its disk is slow. */
    private final class OwnAnswer implements Deadlines.Expiring {

        private final int number;
        private final long dueNanos;

        OwnAnswer(int number) {
            this.number = number;
            this.dueNanos = context.nanos() + PATIENCE_WITH_ITSELF.toNanos();
        }

        @Override
        public boolean isComplete() {
            return !isCurrent(number);
        }

        @Override
        public long deadlineNanos() {
            return dueNanos;
        }

        @Override
        public void expire() {
            next(number, round::onLocalTimeout);
        }
    }

    private synchronized int currentQuestion() {
        return question;
    }

    /** Begins a round of questions to all owners; returns the number of its question. */
    private synchronized int beginRound(Purpose purpose, @Nullable Timestamp version) {
        trace.beginRound(purpose, version, context.nanos());
        return question;
    }

    private void answered(int number, int owner, ReplicaAnswer answer) {
        next(number, () -> round.answered(owner, trace.answered(owner, answer, context.nanos())));
    }

    private void stamp(long after) {
        Timestamp stamp = shared.stamp(after);
        if (stamp == null) {
            onDeadline();
        } else {
            next(() -> round.stamped(stamp));
        }
    }

    /** Begins again after a pause. */
    private void retry(Timestamp after) {
        if (isForgotten()) {
            finish(tooOld());
            return;
        }
        if (!context.clock().observe(after)) {
            onDeadline();
            return;
        }
        shared.leads().contend(owned, deadlineNanos);
        shared.turns().recordProposer(owned, after.node(), context.nanos());
        int times = trace.retried(shared.turns().isOther(after.node()));
        Duration pause = Turns.pause(times, owners.rank(), shared.runtime().random());
        shared.runtime().scheduler().after(pause, this::attempt);
    }

    /** Whether a majority has dropped records of the write's time: then no ballot can succeed. */
    private boolean isForgotten() {
        return request.isRetry()
                && !isAnnounced()
                && trace.failures(Failure.TOO_OLD) > owners.size() / 2;
    }

    private synchronized boolean isAnnounced() {
        return isAnnounced;
    }

    // ---- How it ends.

    private Outcome tooOld() {
        return new Outcome.TooOld(
                request.version(),
                trace.explanation("it was first sent before the oldest records were made"));
    }

    @Override
    public synchronized boolean isComplete() {
        return isOver;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expire() {
        onDeadline();
    }

    /** Answers with what is known when the deadline has passed, or the clock cannot stamp. */
    private void onDeadline() {
        Outcome outcome;
        synchronized (this) {
            boolean mayBeDone = isChosen || request.isRetry() || round.isProposed();
            outcome = refusedBy != null ? unmet(refusedBy) : mayBeDone ? undecided() : notDone();
        }
        finish(outcome);
    }

    private Outcome undecided() {
        return new Outcome.Undecided(
                request.version(), trace.failures(), trace.explanation(cause()));
    }

    /** No replica was asked to accept anything: nothing was changed, and nothing will be. */
    private Outcome notDone() {
        List<Outcome.ReplicaFailure> failed = trace.failures();
        return failed.isEmpty()
                ? Outcome.Refused.forNow(cause())
                : new Outcome.NotJudged(failed, trace.explanation(cause()));
    }

    /** Why there was not enough time. */
    private synchronized String cause() {
        return isChosen
                ? "a majority of the owners accepted the write, and fewer than "
                        + spec.ack()
                        + " have stored it before the deadline"
                : trace.cause(isStarted);
    }

    private void decided(Verdict verdict, @Nullable Current chosen) {
        switch (verdict) {
            case Verdict.Written(Timestamp version) -> written(version, chosen);
            case Verdict.Unmet(Current instead) -> {
                shared.leads().contend(owned, deadlineNanos);
                finish(unmet(instead));
            }
            case Verdict.Refused.DENIED -> finish(new Outcome.Unmet(null));
            case Verdict.Refused.TAKEN ->
                    finish(
                            new Outcome.VersionTaken(
                                    request.version(),
                                    trace.explanation(
                                            "another request was sent with this version")));
            case Verdict.Refused.TOO_OLD -> finish(tooOld());
            case Verdict.Undecided undecided -> onDeadline();
        }
    }

    private void written(Timestamp version, @Nullable Current chosen) {
        if (chosen == null) {
            finish(new Outcome.Written(version));
            return;
        }
        synchronized (this) {
            isChosen = true;
        }
        owners.store(context, chosen, (outcome, nobody, explanation) -> stored(outcome, version));
    }

    /** Ends the write. If too few replicas have stored the chosen value, a retry stores it. */
    private void stored(Outcome outcome, Timestamp version) {
        if (outcome instanceof Outcome.QuorumFailed failed) {
            trace.notStored(failed);
        }
        if (!(outcome instanceof Outcome.Written)) {
            onDeadline();
            return;
        }
        Lead lead;
        synchronized (this) {
            lead = isOver ? null : round.lead();
        }
        if (lead != null) {
            shared.leads().store(owned, lead, deadlineNanos, owners.epoch());
        }
        finish(new Outcome.Written(version));
    }

    /** The entry that it has just made; null if none, if unknown, or if it was made long ago. */
    private synchronized @Nullable Current made(Outcome outcome) {
        return isChosen && outcome instanceof Outcome.Written(Timestamp version)
                ? request.entry(version).asOf(version.wallMillis())
                : null;
    }

    private void finish(Outcome outcome) {
        Runnable next;
        boolean wasAnnounced;
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
            next = end;
            wasAnnounced = isAnnounced;
        }
        shared.waiting().remove(owned, this);
        if (wasAnnounced) {
            shared.waiting().ended(owned, made(outcome));
        }
        ending.ended(
                outcome,
                callback,
                callback.isExplained() ? trace.explanation(outcome, cause()) : null);
        if (next != null) {
            next.run();
        }
    }
}

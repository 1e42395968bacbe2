package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.ConditionalRound;
import dev.quorate.router.conditional.ConditionalRound.Step;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.KeyEntry;
import dev.quorate.router.conditional.Lead;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.conditional.Verdict;
import dev.quorate.router.coordinator.operation.Ending;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.OwnedKey;
import dev.quorate.router.coordinator.operation.Trace;
import dev.quorate.router.coordinator.readwrite.WriteOperation;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A conditional write in progress: asks, stamps, waits and answers as its {@link ConditionalRound}
 * decides. Before the client is answered, as many replicas as it asked for, a majority at least,
 * store the chosen value as the key's entry: so a read at a majority finds it without knowing about
 * records. Its lock guards the round; no replica and no client is called with it held.
 */
final class ConditionalOperation implements Deadlines.Expiring, WaitingWrites.Waiting {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(4);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(64);
    private static final Duration PATIENCE_WITH_ITSELF = Duration.ofMillis(100);

    /** Maximum number of rounds in an explanation: the last ones. */
    private static final int MAX_ROUNDS = 4;

    /** A question to the owners, and their answers. */
    private record Asked(Purpose purpose, @Nullable Timestamp version, Trace trace) {}

    private final OperationContext context;
    private final NodeRuntime runtime;
    private final Leads leads;
    private final Turns turns;
    private final WaitingWrites waiting;
    private final WaitingWrites.Reader reader;
    private final byte[] key;
    private final OwnedKey owned;
    private final QuorumSpec spec;
    private final ConditionalRequest request;
    private final Ending ending;
    private final OutcomeCallback callback;
    private final long deadlineNanos;
    private final AskedOwners owners;
    private final ConditionalRound round;
    private final LatestFailures failures = new LatestFailures();

    // ---- Guarded by this.

    /** The number of the current question; answers to earlier ones are ignored. */
    private int question;

    /** The last rounds, including that of the current question. */
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();

    /** The rounds in which the chosen value could not be stored. */
    private List<Explanation.Round> storing = List.of();

    /** How often the ballot of another node outbid this write. */
    private int timesOutbid;

    private Duration pause = FIRST_PAUSE;
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
            Ending ending,
            OutcomeCallback callback) {
        this.context = shared.operations();
        this.runtime = shared.runtime();
        this.leads = shared.leads();
        this.turns = shared.turns();
        this.waiting = shared.waiting();
        this.reader = shared.reader();
        this.key = key;
        this.owned = new OwnedKey(key, context.replicas().storedFrom(spec.from()));
        this.spec = spec;
        this.request = request;
        this.ending = ending;
        this.callback = callback;
        long nowNanos = context.nanos();
        this.deadlineNanos = nowNanos + context.times().timeoutNanos();
        this.owners =
                new AskedOwners(
                        key, spec, context.replicas(), nowNanos, deadlineNanos, callback.trace());
        this.round = new ConditionalRound(request, owners.size(), owners.self());
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
            waiting.remove(owned, this);
            attempt();
        }
    }

    /** Waits for this node's turn, only once: a timer may be late, and a clock may stand still. */
    private void attempt() {
        long millis = turns.millisUntilMine(owned, context.nanos(), context.wallMillis());
        if (millis > 0) {
            runtime.scheduler().after(Duration.ofMillis(millis), this::attemptNow);
        } else {
            attemptNow();
        }
    }

    /** Begins in the cheapest way that may succeed. */
    private void attemptNow() {
        if (isComplete()) {
            return; // it ended during the pause: it must not touch the key any more
        }
        long nowNanos = context.nanos();
        Leads.Kept kept = leads.take(owned, nowNanos);
        boolean mayLead =
                kept != null && request.holds(kept.lead().current().asOf(context.wallMillis()));
        if (request.isRetry() || request.isRead() || isProposed()) {
            begin();
        } else if (mayLead) {
            Lead lead = Objects.requireNonNull(kept).lead();
            next(() -> round.beginInLead(lead));
        } else if (kept != null) {
            leads.giveBack(owned, kept);
            readFirst();
        } else if (leads.isContended(owned, nowNanos)) {
            readFirst();
        } else {
            begin();
        }
    }

    /** Passes an event to the round, unless the write is over, and takes the step that follows. */
    private void next(Supplier<Step> event) {
        Step step;
        synchronized (this) {
            step = isOver ? Step.Wait.WAIT : stepAfter(event);
        }
        take(step);
    }

    /** If the round continues with another step, later answers to its last question are ignored. */
    private Step stepAfter(Supplier<Step> event) {
        Step step = event.get();
        if (step != Step.Wait.WAIT) {
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
        List<WaitingWrites.Waiting> others = waiting.now(owned, spec);
        reader.read(
                key,
                spec,
                current -> {
                    if (current == null) {
                        begin();
                        return;
                    }
                    waiting.refuse(owned, others, current);
                    if (request.holds(current)) {
                        begin();
                    } else {
                        over(unmet(current));
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
        giveUp();
    }

    private static Outcome unmet(Current instead) {
        return new Outcome.Unmet(instead.value() == null ? null : instead.version());
    }

    /** Ends the write before its turn. */
    void refuse(String reason) {
        over(Outcome.Refused.forNow(reason));
    }

    private void begin() {
        Timestamp ballot = context.clock().next();
        if (ballot == null) {
            giveUp();
        } else {
            next(() -> round.begin(ballot));
        }
    }

    private void take(Step step) {
        switch (step) {
            case Step.Wait wait -> {}
            case Step.Prepare(var ballot, var asked, var origin) ->
                    ask(new Question.Prepare(ballot, asked, origin));
            case Step.Accept accept -> askToAccept(accept);
            case Step.Close(var ballot, var base, var proposal) ->
                    ask(new Question.Close(ballot, base, proposal));
            case Step.Deny(var ballot, var origin, var digest) ->
                    ask(new Question.Deny(ballot, origin, digest));
            case Step.Store(Current current) -> askToStore(current);
            case Step.Stamp(long after) -> stamp(after);
            case Step.Retry(Timestamp after) -> retry(after);
            case Step.Answer(Verdict verdict, Current chosen) -> decided(verdict, chosen);
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
        waiting.proposing(owned);
    }

    private void askToAccept(Step.Accept step) {
        announce();
        int number =
                step.owners() == ConditionalRound.Owners.OTHERS
                        ? currentQuestion()
                        : beginRound(Purpose.ACCEPT, step.proposal().result());
        if (step.owners() == ConditionalRound.Owners.SELF) {
            context.deadlines().watch(new OwnAnswer(number));
        }
        owners.askToAccept(step, (owner, answer) -> answered(number, owner, answer));
    }

    private void ask(Question next) {
        int number =
                beginRound(
                        next instanceof Question.Prepare ? Purpose.PREPARE : Purpose.ACCEPT, null);
        owners.ask(
                next, () -> isCurrent(number), (owner, answer) -> answered(number, owner, answer));
    }

    private void askToStore(Current current) {
        int number = beginRound(Purpose.REPAIR, current.version());
        owners.ask(
                ReplicaRequest.Write.copyOf(KeyEntry.entry(key, current)),
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
            Step step;
            synchronized (ConditionalOperation.this) {
                step = isCurrent(number) ? stepAfter(round::lateItself) : Step.Wait.WAIT;
            }
            take(step);
        }
    }

    private synchronized int currentQuestion() {
        return question;
    }

    /** Begins a round of questions to all owners; returns the number of its question. */
    private synchronized int beginRound(Purpose purpose, @Nullable Timestamp version) {
        if (asked.size() == MAX_ROUNDS) {
            asked.removeFirst();
        }
        Trace trace = owners.trace(context.nanos());
        trace.askAll();
        asked.add(new Asked(purpose, version, trace));
        return question;
    }

    private void answered(int number, int owner, ReplicaAnswer answer) {
        Step step;
        synchronized (this) {
            if (!isCurrent(number)) {
                return;
            }
            asked.getLast().trace().answered(owner, answer, context.nanos());
            AcceptorAnswer translated = translated(owners.name(owner), answer);
            step = stepAfter(() -> round.answered(owner, translated));
        }
        take(step);
    }

    private AcceptorAnswer translated(String replica, ReplicaAnswer answer) {
        return switch (answer) {
            case ReplicaAnswer.FromAcceptor(byte[] asked, AcceptorAnswer acceptors) -> acceptors;
            case ReplicaAnswer.Stored stored -> AcceptorAnswer.Done.DONE;
            case ReplicaAnswer other -> {
                ReplicaAnswer.Failed failure = other.failure();
                failures.add(replica, failure);
                yield failure.reason().isNotSent()
                        ? AcceptorAnswer.Failed.NOT_ASKED
                        : AcceptorAnswer.Failed.FAILED;
            }
        };
    }

    private void stamp(long after) {
        Timestamp stamp = context.clock().observe(after) ? ownReading() : null;
        if (stamp == null) {
            giveUp();
        } else {
            next(() -> round.stamped(stamp));
        }
    }

    /**
     * Takes a reading of the clock that no other member takes: a step does not name its member, and
     * two members may write one key in one millisecond. Null if the clock cannot give one.
     */
    private @Nullable Timestamp ownReading() {
        Timestamp now = context.clock().next();
        if (now == null) {
            return null;
        }
        long next = (now.hybrid() | (Topology.MAX_MEMBERS - 1)) + 1;
        Timestamp own = new Timestamp(next + context.replicas().localPlace(), now.node());
        // The clock gives a later reading only below its bound on disk.
        boolean isBelowBound = context.clock().observe(own) && context.clock().next() != null;
        return isBelowBound ? own : null;
    }

    /**
     * Begins again after a random part of a pause that doubles. The first owner waits the least: of
     * several coordinators it needs the fewest messages.
     */
    private void retry(Timestamp after) {
        if (isForgotten()) {
            over(tooOld());
            return;
        }
        if (!context.clock().observe(after)) {
            giveUp();
            return;
        }
        leads.contend(owned, deadlineNanos);
        turns.met(owned, after.node(), context.nanos());
        Duration longest;
        synchronized (this) {
            timesOutbid += turns.isOther(after.node()) ? 1 : 0;
            longest = pause;
            Duration twice = pause.multipliedBy(2);
            pause = twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
        }
        long nanos = runtime.random().nextLong(longest.toNanos() * (1 + owners.rank())) + 1;
        runtime.scheduler().after(Duration.ofNanos(nanos), this::attempt);
    }

    /** Whether a majority has dropped records of the write's time: then no ballot can succeed. */
    private boolean isForgotten() {
        return request.isRetry()
                && !isAnnounced()
                && failures.count(Failure.TOO_OLD) > owners.size() / 2;
    }

    private synchronized boolean isAnnounced() {
        return isAnnounced;
    }

    // ---- How it ends.

    private Outcome tooOld() {
        return new Outcome.TooOld(
                request.version(),
                explanation("it was first sent before the oldest records were made"));
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
        giveUp();
    }

    /** Answers with what is known when the deadline has passed, or the clock cannot stamp. */
    private void giveUp() {
        Outcome outcome;
        synchronized (this) {
            boolean mayBeDone = isChosen || request.isRetry() || round.isProposed();
            outcome = refusedBy != null ? unmet(refusedBy) : mayBeDone ? undecided() : notDone();
        }
        over(outcome);
    }

    private Outcome undecided() {
        return new Outcome.Undecided(request.version(), failures.list(), explanation(cause()));
    }

    /** No replica was asked to accept anything: nothing was changed, and nothing will be. */
    private Outcome notDone() {
        List<Outcome.ReplicaFailure> failed = failures.list();
        return failed.isEmpty()
                ? Outcome.Refused.forNow(cause())
                : new Outcome.NotJudged(failed, explanation(cause()));
    }

    /** Why there was not enough time. */
    private synchronized String cause() {
        if (isChosen) {
            return "a majority of the owners accepted the write, and fewer than "
                    + spec.ack()
                    + " have stored it before the deadline";
        }
        if (asked.isEmpty()) {
            return isStarted
                    ? "no time was left for a question to the owners of the key"
                    : "other conditional writes of this key came first on this node, up to the"
                            + " deadline";
        }
        Asked last = asked.getLast();
        long silent =
                last.trace().round(last.purpose(), last.version()).replies().stream()
                        .filter(
                                reply ->
                                        reply.result() == Result.NotAwaited.NOT_AWAITED
                                                || reply.result() instanceof Result.Failed)
                        .count();
        String answered =
                "in the last round "
                        + (owners.size() - silent)
                        + " of "
                        + owners.size()
                        + " owners answered before the deadline";
        return timesOutbid == 0
                ? answered
                : "conditional writes of this key through other nodes came first "
                        + timesOutbid
                        + " times; "
                        + answered;
    }

    private synchronized Explanation explanation(String reason) {
        return new Explanation(
                List.of(reason),
                Stream.concat(
                                asked.stream().map(a -> a.trace().round(a.purpose(), a.version())),
                                storing.stream())
                        .toList());
    }

    /** Explains an outcome in one sentence. */
    private String reason(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Written(Timestamp version) ->
                    "the condition held, and a majority of the owners accepted " + version;
            case Outcome.Unmet(Timestamp current) ->
                    "the condition does not hold"
                            + (current == null ? "" : ": the key has " + current);
            case Outcome.VersionTaken taken -> taken.explanation().reasons().getFirst();
            case Outcome.TooOld tooOld -> tooOld.explanation().reasons().getFirst();
            case Outcome.Refused refused -> refused.reason();
            case Outcome other -> cause();
        };
    }

    private void decided(Verdict verdict, @Nullable Current chosen) {
        switch (verdict) {
            case Verdict.Written(Timestamp version) -> written(version, chosen);
            case Verdict.Unmet(Current instead) -> {
                leads.contend(owned, deadlineNanos);
                over(unmet(instead));
            }
            case Verdict.Denied denied -> over(new Outcome.Unmet(null));
            case Verdict.Taken taken ->
                    over(
                            new Outcome.VersionTaken(
                                    request.version(),
                                    explanation("another request was sent with this version")));
            case Verdict.TooOld tooOld -> over(tooOld());
            case Verdict.Undecided undecided -> giveUp();
        }
    }

    private void written(Timestamp version, @Nullable Current chosen) {
        if (chosen == null) {
            over(new Outcome.Written(version));
            return;
        }
        synchronized (this) {
            isChosen = true;
        }
        new WriteOperation(
                        context,
                        owners.storing(),
                        spec,
                        ReplicaRequest.Write.copyOf(KeyEntry.entry(key, chosen)),
                        0,
                        List.of(),
                        deadlineNanos,
                        (outcome, nobody, explanation) -> stored(outcome, version),
                        outcome -> {})
                .start();
    }

    /** Ends the write. If too few replicas have stored the chosen value, a retry stores it. */
    private void stored(Outcome outcome, Timestamp version) {
        if (outcome instanceof Outcome.QuorumFailed failed) {
            synchronized (this) {
                storing = failed.explanation().rounds();
            }
            failed.failures()
                    .forEach(f -> failures.add(f.member(), new Failed(f.reason(), f.detail())));
        }
        if (!(outcome instanceof Outcome.Written)) {
            giveUp();
            return;
        }
        Lead lead;
        synchronized (this) {
            lead = isOver ? null : round.lead();
        }
        if (lead != null) {
            leads.keep(owned, lead, deadlineNanos);
        }
        over(new Outcome.Written(version));
    }

    /** The entry that it has just made; null if none, if unknown, or if it was made long ago. */
    private synchronized @Nullable Current made(Outcome outcome) {
        return isChosen && outcome instanceof Outcome.Written(Timestamp version)
                ? request.entry(version).asOf(version.wallMillis())
                : null;
    }

    private void over(Outcome outcome) {
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
        waiting.remove(owned, this);
        if (wasAnnounced) {
            waiting.ended(owned, made(outcome));
        }
        ending.ended(
                outcome, callback, callback.isExplained() ? explanation(reason(outcome)) : null);
        if (next != null) {
            next.run();
        }
    }
}

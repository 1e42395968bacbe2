package dev.quorate.testkit.conditional;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Proposal;
import dev.quorate.router.conditional.Verdict;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;
import dev.quorate.testkit.history.Recorder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Does one operation at a time, through any node, and sends undecided writes again. */
final class SimulatedClient {

    private static final int MAX_ATTEMPTS = 4;

    /** The client of which the expiry of a value is an operation: a delete, some time. */
    private static final int EXPIRY = 99;

    private final ProtocolSimulation simulation;
    private final Random random;
    private final int number;
    private Recorder.@Nullable Call call;
    private Action action = new Action.Get();

    /** The latest version that anybody had seen when the operation began. */
    private Timestamp seenBefore = Timestamp.ZERO;

    /** The number of the attempt whose answer counts. */
    private int attempt;

    private int attempts;
    private Timestamp origin = Timestamp.ZERO;
    private long expiresAtMillis = Entry.NEVER;

    SimulatedClient(ProtocolSimulation simulation, int number) {
        this.simulation = simulation;
        this.random = simulation.random;
        this.number = number;
    }

    boolean isBusy() {
        return call != null;
    }

    void begin() {
        int die = random.nextInt(10);
        int one = simulation.isCollected ? 2 : 5;
        expiresAtMillis = Entry.NEVER;
        attempts = 0;
        if (die < 2) {
            read();
        } else if (die < simulation.plainTenths) {
            action =
                    simulation.hasDeletes && random.nextBoolean()
                            ? new Action.Delete()
                            : put(HistoryCondition.NONE);
            writePlainly();
        } else {
            List<String> recent = simulation.recent;
            HistoryCondition condition =
                    recent.isEmpty() || random.nextInt(one) == 0
                            ? new HistoryCondition.Absent()
                            : random.nextInt(6) == 0
                                    ? new HistoryCondition.Present()
                                    : new HistoryCondition.Is(
                                            recent.get(
                                                    Math.max(
                                                            0,
                                                            recent.size()
                                                                    - 1
                                                                    - random.nextInt(3))));
            boolean isDelete = simulation.hasDeletes && random.nextInt(one) == 0;
            action =
                    isDelete && !(condition instanceof HistoryCondition.Absent)
                            ? new Action.Delete(condition)
                            : put(condition);
            origin = Timestamp.ZERO;
            call();
            tryConditionally();
        }
    }

    private Action put(HistoryCondition condition) {
        String value = simulation.nextValue();
        if (simulation.hasExpiry && random.nextInt(3) == 0) {
            expiresAtMillis = node().wallMillis() + 1 + random.nextInt(30);
            record(EXPIRY, new Action.Delete(new HistoryCondition.Is(value)));
        }
        return new Action.Put(value, condition);
    }

    private void call() {
        seenBefore = simulation.latestSeen;
        call = record(number, action);
    }

    private Recorder.Call record(int client, Action what) {
        return simulation.recorder.begin(
                client, "k", what, simulation.majority, simulation.from, simulation.now);
    }

    private void end(Answer answer) {
        Recorder.Call open = call;
        if (open != null) {
            open.end(answer, simulation.now);
            call = null;
            attempt++;
        }
    }

    private boolean isConditional() {
        return !action.condition().equals(HistoryCondition.NONE);
    }

    /** It is given up, or sent again; whoever coordinates it goes on, or does not. */
    void losesPatience() {
        if (isConditional() && attempts < MAX_ATTEMPTS && random.nextInt(3) > 0) {
            tryConditionally();
        } else {
            end(new Answer.Indeterminate("late"));
        }
    }

    /** Whoever coordinates it goes no further. */
    void losesItsCoordinator() {
        attempt++;
        if (isBusy()) {
            losesPatience();
        }
    }

    private SimulatedReplica node() {
        return simulation.replicas.get(random.nextInt(simulation.replicas.size()));
    }

    // ---- A read.

    void read() {
        action = new Action.Get();
        call();
        SimulatedReplica node = node();
        read(node, entry -> end(shown(entry, node)));
    }

    private void read(SimulatedReplica node, Consumer<Current> done) {
        int own = ++attempt;
        Epoch epoch = simulation.owners.of(node);
        simulation.network.ask(
                node,
                epoch,
                _ -> true,
                SimulatedReplica::read,
                new Network.Answers<SimulatedReplica.Held>() {
                    private final Map<Integer, SimulatedReplica.Held> answers = new HashMap<>();
                    private long answered;

                    @Override
                    public void answered(int owner, SimulatedReplica.Held held) {
                        if (own == attempt && !epoch.majority().isQuorum(answered)) {
                            answers.put(owner, held);
                            answered |= 1L << owner;
                            if (epoch.majority().isQuorum(answered)) {
                                readDecided(node, epoch, answers, own, done);
                            }
                        }
                    }

                    @Override
                    public void refused(int owner, boolean isDone) {
                        if (own == attempt
                                && node.epoch > epoch.number()
                                && !epoch.majority().isQuorum(answered)) {
                            read(node, done);
                        }
                    }
                });
    }

    /** In the lead one ballot is used for several decrees. */
    private record Vote(Timestamp ballot, @Nullable Timestamp result) {}

    private void readDecided(
            SimulatedReplica node,
            Epoch epoch,
            Map<Integer, SimulatedReplica.Held> answers,
            int own,
            Consumer<Current> done) {
        Current newest = Current.NOTHING;
        for (SimulatedReplica.Held held : answers.values()) {
            newest = held.entry().version().isAfter(newest.version()) ? held.entry() : newest;
        }
        Map<Vote, Long> accepted = new HashMap<>();
        Proposal proposal = null;
        Proposal chosen = null;
        long holders = 0;
        for (Map.Entry<Integer, SimulatedReplica.Held> answer : answers.entrySet()) {
            SimulatedReplica.Held held = answer.getValue();
            long bit = 1L << answer.getKey();
            Accepted pending = held.pending();
            if (held.entry().version().equals(newest.version())) {
                holders |= bit;
            }
            if (pending != null
                    && pending.proposal().follows(newest)
                    && !simulation.storesBeforeItAnswers) {
                proposal = pending.proposal();
                Vote vote = new Vote(pending.ballot(), proposal.result());
                long votes = accepted.merge(vote, pending.isCopy() ? 0 : bit, (a, b) -> a | b);
                chosen = epoch.majority().isQuorum(votes) ? proposal : chosen;
            }
        }
        Current undecided = proposal == null ? null : proposal.entry();
        if (undecided != null && simulation.mistake == Mistake.SHOWS_UNDECIDED_VALUES) {
            done.accept(undecided);
        } else if (chosen != null && chosen.entry() != null) {
            Current value = chosen.entry();
            simulation.network.askMajority(node, replica -> replica.store(value), false, () -> {});
            done.accept(value);
        } else if (undecided != null && simulation.mistake != Mistake.HIDES_DECIDED_VALUES) {
            decide(
                    node,
                    ConditionalRequest.read(),
                    own,
                    verdict -> {
                        if (verdict instanceof Verdict.Unmet(Current instead)) {
                            done.accept(instead);
                        }
                    });
        } else if (epoch.majority().isQuorum(holders)) {
            done.accept(newest);
        } else {
            Current found = newest;
            simulation.network.askMajority(
                    node,
                    replica -> replica.store(found),
                    false,
                    () -> {
                        if (own == attempt) {
                            done.accept(found);
                        }
                    });
        }
    }

    // ---- A plain write, linearizable.

    private void writePlainly() {
        call();
        SimulatedReplica node = node();
        read(
                node,
                newest -> {
                    node.observe(newest.version().madeAt());
                    int own = ++attempt;
                    Current entry =
                            new Current(
                                    node.next(), value(), expiresAtMillis, simulation.from, null);
                    simulation.network.askMajority(
                            node,
                            replica -> replica.write(entry),
                            true,
                            () -> {
                                if (own == attempt) {
                                    end(written(entry.version()));
                                }
                            });
                });
    }

    private byte @Nullable [] value() {
        return action instanceof Action.Put(String value, _)
                ? value.getBytes(StandardCharsets.UTF_8)
                : null;
    }

    // ---- A conditional write.

    private void tryConditionally() {
        SimulatedReplica node = node();
        boolean isRetry = attempts > 0 && simulation.mistake != Mistake.RETRIES_AS_FIRST_ATTEMPTS;
        attempts++;
        if (origin.equals(Timestamp.ZERO)) {
            origin = node.next();
        }
        node.observe(origin.hybrid());
        ConditionalRequest request =
                new ConditionalRequest(
                        origin,
                        isRetry,
                        condition(),
                        value(),
                        expiresAtMillis,
                        simulation.from,
                        null);
        decide(node, request, ++attempt, this::decided);
    }

    private ConditionalRequest.Condition condition() {
        return switch (action.condition()) {
            case HistoryCondition.Is(String value) ->
                    new ConditionalRequest.Condition.Is(
                            simulation.seen.getOrDefault(value, Timestamp.ZERO));
            case HistoryCondition.Present() -> ConditionalRequest.Condition.Present.PRESENT;
            case HistoryCondition.Absent(), HistoryCondition.None() ->
                    ConditionalRequest.Condition.Absent.ABSENT;
        };
    }

    private void decided(Verdict verdict) {
        switch (verdict) {
            case Verdict.Written(Timestamp version) -> end(written(version));
            case Verdict.Unmet(Current instead) -> end(unmet(instead));
            case Verdict.Refused.DENIED -> end(new Answer.Refused("denied before"));
            case Verdict.Undecided _, Verdict.Refused _ -> losesPatience();
        }
    }

    private void decide(
            SimulatedReplica node, ConditionalRequest request, int own, Consumer<Verdict> done) {
        boolean isOwner = simulation.random.nextInt(3) > 0;
        new RoundDriver(
                        simulation,
                        node,
                        request,
                        isOwner,
                        (verdict, isProposed) -> {
                            if (own != attempt) {
                                return;
                            }
                            if (verdict instanceof Verdict.Undecided && !isProposed) {
                                end(new Answer.Refused("nothing was proposed"));
                            } else {
                                done.accept(verdict);
                            }
                        })
                .begin();
    }

    // ---- What clients see.

    private Answer written(Timestamp version) {
        if (action instanceof Action.Put(String value, _)) {
            see(value, version);
            return new Answer.Stored(version.toString());
        }
        sees(version);
        return new Answer.Deleted(version.toString());
    }

    private Answer shown(Current entry, SimulatedReplica node) {
        boolean isLive = entry.asOf(node.wallMillis()).value() != null;
        if (!isLive && simulation.hasExpiry) {
            return new Answer.Indeterminate("an expired value that is absent orders nothing");
        }
        return isLive ? new Answer.Value(text(entry), name(entry)) : new Answer.Absent();
    }

    private Answer unmet(Current instead) {
        boolean isLive = instead.value() != null;
        if (!isLive && simulation.hasExpiry) {
            return new Answer.Refused("an expired value that is absent orders nothing");
        }
        return new Answer.Unmet(isLive ? name(instead) : "");
    }

    private String name(Current entry) {
        see(text(entry), entry.version());
        return entry.version().toString();
    }

    private static String text(Current entry) {
        byte[] value = entry.value();
        return value == null ? "" : new String(value, StandardCharsets.UTF_8);
    }

    private void see(String value, Timestamp version) {
        sees(version);
        simulation.seen.put(value, version);
        simulation.recent.remove(value);
        simulation.recent.add(value);
    }

    /** Versions are fencing tokens: what is seen later is not earlier. */
    private void sees(Timestamp version) {
        if (seenBefore.isAfter(version)) {
            simulation.breaks(version + " was seen after " + seenBefore);
        }
        if (version.isAfter(simulation.latestSeen)) {
            simulation.latestSeen = version;
        }
    }
}

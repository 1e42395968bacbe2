package dev.quorate.testkit.conditional;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.AcceptorAnswer.Done;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.ConditionalRound;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
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
        int from = simulation.replicas.size();
        return simulation.recorder.begin(
                client, "k", what, simulation.majority, from, simulation.now);
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
        Map<Integer, SimulatedReplica.Held> answers = new HashMap<>();
        simulation.network.ask(
                node,
                SimulatedReplica::read,
                (replica, held) -> {
                    if (own == attempt && answers.size() < simulation.majority) {
                        answers.put(replica, held);
                        if (answers.size() == simulation.majority) {
                            readDecided(node, List.copyOf(answers.values()), own, done);
                        }
                    }
                });
    }

    /** In the lead one ballot is used for several decrees. */
    private record Vote(Timestamp ballot, @Nullable Timestamp result) {}

    private void readDecided(
            SimulatedReplica node,
            List<SimulatedReplica.Held> answers,
            int own,
            Consumer<Current> done) {
        Current newest = Current.NOTHING;
        for (SimulatedReplica.Held held : answers) {
            newest = held.entry().version().isAfter(newest.version()) ? held.entry() : newest;
        }
        Map<Vote, Integer> accepted = new HashMap<>();
        Proposal proposal = null;
        Proposal chosen = null;
        int holders = 0;
        for (SimulatedReplica.Held held : answers) {
            Accepted pending = held.pending();
            if (held.entry().version().equals(newest.version())) {
                holders++;
            }
            if (pending != null
                    && pending.proposal().follows(newest)
                    && !simulation.storesBeforeItAnswers) {
                proposal = pending.proposal();
                Vote vote = new Vote(pending.ballot(), proposal.result());
                int votes = accepted.merge(vote, pending.isCopy() ? 0 : 1, Integer::sum);
                chosen = votes == simulation.majority ? proposal : chosen;
            }
        }
        Current undecided = proposal == null ? null : proposal.entry();
        if (undecided != null && simulation.mistake == Mistake.SHOWS_UNDECIDED_VALUES) {
            done.accept(undecided);
        } else if (chosen != null && chosen.entry() != null) {
            Current value = chosen.entry();
            simulation.network.ask(node, replica -> replica.store(value), (_, _) -> {});
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
        } else if (holders >= simulation.majority) {
            done.accept(newest);
        } else {
            Current found = newest;
            Set<Integer> stored = new HashSet<>();
            simulation.network.ask(
                    node,
                    replica -> replica.store(found),
                    (replica, _) -> {
                        if (own == attempt
                                && stored.add(replica)
                                && stored.size() == simulation.majority) {
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
                                    node.next(),
                                    value(),
                                    expiresAtMillis,
                                    simulation.replicas.size(),
                                    null);
                    Set<Integer> stored = new HashSet<>();
                    simulation.network.askWithHints(
                            node,
                            replica -> replica.write(entry),
                            (replica, answer) -> {
                                if (own == attempt
                                        && answer == Done.DONE
                                        && stored.add(replica)
                                        && stored.size() == simulation.majority) {
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
                        simulation.replicas.size(),
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
        ConditionalRound round =
                new ConditionalRound(
                        request,
                        simulation.replicas.size(),
                        isOwner ? node.number : ConditionalRound.NO_OWNER);
        new RoundDriver(
                        simulation,
                        node,
                        request,
                        round,
                        verdict -> {
                            if (own != attempt) {
                                return;
                            }
                            if (verdict instanceof Verdict.Undecided && !round.isProposed()) {
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

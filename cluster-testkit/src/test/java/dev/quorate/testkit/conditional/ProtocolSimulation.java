package dev.quorate.testkit.conditional;

import dev.quorate.node.conditional.Accepted;
import dev.quorate.node.conditional.ConditionalRound;
import dev.quorate.node.conditional.ConditionalRound.Step;
import dev.quorate.node.conditional.Current;
import dev.quorate.node.conditional.Lead;
import dev.quorate.node.conditional.Proposal;
import dev.quorate.node.conditional.Request;
import dev.quorate.node.conditional.Verdict;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.Condition;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Recorder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One key, its replicas, and coordinators that write and read it, some of them on conditions.
 * Messages come in any order, late, twice or never; replicas are down, crash, lose their disks;
 * coordinators are given up and their writes sent again through others, while they go on. Nothing
 * but the seed decides what happens.
 */
final class ProtocolSimulation {

    private static final int CLIENTS = 5;
    private static final int MAX_ATTEMPTS = 4;

    private final Random random;
    private final Mistake mistake;
    private final boolean hasDeletes;
    private final int majority;

    /** Of a hundred events; more where a mistake shows after crashes alone. */
    private final int crashPercent;

    private final List<SimulatedReplica> replicas = new ArrayList<>();
    private final List<Runnable> messages = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final Recorder recorder = new Recorder();

    /** Versions that clients have seen, with their values. */
    private final Map<String, Timestamp> seen = new HashMap<>();

    private final List<String> recent = new ArrayList<>();

    /** Of each version what it was first stored with: there must be one value. */
    private final Map<Timestamp, Current> contents = new HashMap<>();

    /** By the number of the node that leads, or takes itself to lead. */
    private final Map<Integer, Lead> leads = new HashMap<>();

    private int values;
    private long now;

    ProtocolSimulation(long seed, Mistake mistake) {
        this.random = new Random(seed);
        this.mistake = mistake;
        this.crashPercent = mistake == Mistake.PROMISES_IN_MEMORY ? 12 : 1;
        this.hasDeletes = random.nextInt(3) == 0;
        int from = random.nextInt(4) == 0 ? 5 : 3;
        this.majority = from / 2 + 1;
        for (int i = 0; i < from; i++) {
            replicas.add(new SimulatedReplica(i, mistake, 1 + random.nextInt(50)));
        }
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Client(i));
        }
    }

    History run(int steps) {
        for (int i = 0; i < steps; i++) {
            now++;
            step();
        }
        for (SimulatedReplica replica : replicas) {
            replica.isDown = false;
        }
        for (int i = 0; i < 3; i++) {
            Client reader = new Client(CLIENTS + i);
            reader.read();
            for (int j = 0; j < 4_000 && reader.call != null; j++) {
                now++;
                deliver(0);
            }
        }
        return recorder.history();
    }

    private void step() {
        int die = random.nextInt(100);
        SimulatedReplica replica = replicas.get(random.nextInt(replicas.size()));
        if (die < 12) {
            Client client = clients.get(random.nextInt(CLIENTS));
            if (client.call == null) {
                client.begin();
            } else if (random.nextInt(4) == 0) {
                client.losesPatience();
            }
        } else if (die < 14) {
            replica.copyTo(replicas.get(random.nextInt(replicas.size())));
        } else if (die < 14 + crashPercent) {
            replica.crash();
            leads.remove(replica.number);
            replica.isDown = random.nextInt(3 * crashPercent) == 0;
        } else if (die < 30) {
            deliver(8);
        } else if (die < 32) {
            replica.isDown = false;
            replica.passes(random.nextInt(20));
        } else if (die == 32 && random.nextInt(8) == 0) {
            loseDisk(replica);
        } else {
            deliver(8);
        }
    }

    /** After the longest time that an exchange takes: none is under way. */
    private void loseDisk(SimulatedReplica replica) {
        messages.clear();
        clients.forEach(Client::abandon);
        replica.rebuild(replicas.stream().filter(other -> other != replica).toList());
    }

    private void deliver(int lossPercent) {
        if (messages.isEmpty()) {
            return;
        }
        // Mostly of the latest, so that some stay behind for long.
        int span = random.nextInt(5) == 0 ? messages.size() : Math.min(10, messages.size());
        int index = messages.size() - 1 - random.nextInt(span);
        boolean isTwice = lossPercent > 0 && random.nextInt(30) == 0;
        Runnable message = isTwice ? messages.get(index) : messages.remove(index);
        if (random.nextInt(100) >= lossPercent) {
            message.run();
        }
    }

    /** Asks every replica; the answers go to whoever asked, unless it has moved on. */
    private <T> void ask(
            SimulatedReplica node,
            Function<SimulatedReplica, T> question,
            BiConsumer<Integer, T> answered) {
        for (SimulatedReplica replica : replicas) {
            long sent = node.reading();
            messages.add(
                    () -> {
                        if (replica.isDown) {
                            return;
                        }
                        replica.observe(sent);
                        T answer = question.apply(replica);
                        note(replica.entry());
                        long reading = replica.reading();
                        messages.add(
                                () -> {
                                    node.observe(reading);
                                    answered.accept(replica.number, answer);
                                });
                    });
        }
    }

    private void note(Current entry) {
        Current first = contents.putIfAbsent(entry.version(), entry);
        if (first != null
                && mistake == Mistake.NONE
                && !Arrays.equals(first.value(), entry.value())) {
            throw new AssertionError("two values of version " + entry.version());
        }
    }

    /** One at a time does what a client asks. */
    private final class Client {

        private final int number;
        private Recorder.@Nullable Call call;
        private Action action = new Action.Get();

        /** The number of the attempt whose answer counts. */
        private int attempt;

        private int attempts;
        private Timestamp origin = Timestamp.ZERO;

        Client(int number) {
            this.number = number;
        }

        void begin() {
            int die = random.nextInt(10);
            if (die < 2) {
                read();
            } else if (die < 3) {
                action = hasDeletes && random.nextBoolean() ? new Action.Delete() : put(null);
                writePlainly();
            } else {
                Condition condition =
                        recent.isEmpty() || random.nextInt(5) == 0
                                ? new Condition.Absent()
                                : new Condition.Is(
                                        recent.get(
                                                Math.max(
                                                        0, recent.size() - 1 - random.nextInt(3))));
                boolean isDelete = hasDeletes && random.nextInt(4) == 0;
                action =
                        isDelete && condition instanceof Condition.Is
                                ? new Action.Delete(condition)
                                : put(condition);
                origin = Timestamp.ZERO;
                call();
                attempts = 0;
                tryConditionally();
            }
        }

        private Action put(@Nullable Condition condition) {
            values++;
            return new Action.Put("v" + values, condition == null ? Condition.NONE : condition);
        }

        private void call() {
            call = recorder.begin(number, "k", action, majority, replicas.size(), now);
        }

        private void end(Answer answer) {
            Recorder.Call open = call;
            if (open != null) {
                open.end(answer, now);
                call = null;
                attempt++;
            }
        }

        /** It is given up, or sent again; whoever coordinates it goes on, or does not. */
        void losesPatience() {
            boolean isConditional = !action.condition().equals(Condition.NONE);
            if (isConditional && attempts < MAX_ATTEMPTS && random.nextInt(3) > 0) {
                tryConditionally();
            } else {
                end(new Answer.Indeterminate("late"));
            }
        }

        /** Whoever coordinates it goes no further. */
        void abandon() {
            attempt++;
            end(new Answer.Indeterminate("abandoned"));
        }

        // ---- A read.

        void read() {
            action = new Action.Get();
            call();
            read(
                    node(),
                    entry ->
                            end(
                                    entry.value() == null
                                            ? new Answer.Absent()
                                            : new Answer.Value(text(entry), name(entry))));
        }

        private void read(SimulatedReplica node, Consumer<Current> done) {
            int own = ++attempt;
            Map<Integer, SimulatedReplica.Held> answers = new HashMap<>();
            ask(
                    node,
                    SimulatedReplica::read,
                    (replica, held) -> {
                        if (own == attempt && answers.size() < majority) {
                            answers.put(replica, held);
                            if (answers.size() == majority) {
                                readDecided(node, List.copyOf(answers.values()), own, done);
                            }
                        }
                    });
        }

        private void readDecided(
                SimulatedReplica node,
                List<SimulatedReplica.Held> answers,
                int own,
                Consumer<Current> done) {
            Current newest = Current.NOTHING;
            for (SimulatedReplica.Held held : answers) {
                newest = held.entry().version().isAfter(newest.version()) ? held.entry() : newest;
            }
            Map<Timestamp, Integer> accepted = new HashMap<>();
            Proposal proposal = null;
            int holders = 0;
            for (SimulatedReplica.Held held : answers) {
                Accepted pending = held.pending();
                if (held.entry().version().equals(newest.version())) {
                    holders++;
                    if (pending != null) {
                        accepted.merge(pending.ballot(), 1, Integer::sum);
                        proposal = pending.proposal();
                    }
                }
            }
            Current undecided = proposal == null ? null : proposal.entry();
            if (undecided != null && mistake == Mistake.SHOWS_UNDECIDED_VALUES) {
                done.accept(undecided);
            } else if (undecided != null && accepted.containsValue(majority)) {
                ask(node, replica -> replica.store(undecided), (_, _) -> {});
                done.accept(undecided);
            } else if (undecided != null && mistake != Mistake.HIDES_DECIDED_VALUES) {
                decide(
                        node,
                        Request.read(),
                        own,
                        verdict -> {
                            if (verdict instanceof Verdict.Unmet(Current instead)) {
                                done.accept(instead);
                            }
                        });
            } else if (holders >= majority) {
                done.accept(newest);
            } else {
                store(node, newest, own, done);
            }
        }

        private void store(SimulatedReplica node, Current entry, int own, Consumer<Current> done) {
            Map<Integer, Boolean> stored = new HashMap<>();
            ask(
                    node,
                    replica -> replica.store(entry),
                    (replica, _) -> {
                        if (own == attempt
                                && stored.put(replica, true) == null
                                && stored.size() == majority) {
                            done.accept(entry);
                        }
                    });
        }

        // ---- A plain write, linearizable.

        private void writePlainly() {
            call();
            SimulatedReplica node = node();
            read(
                    node,
                    newest -> {
                        node.observe(newest.version().hybrid());
                        Current entry =
                                new Current(node.next(), value(), Entry.NEVER, replicas.size());
                        store(node, entry, attempt, stored -> end(written(stored.version())));
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
            boolean isRetry = attempts > 0 && mistake != Mistake.RETRIES_AS_FIRST_ATTEMPTS;
            attempts++;
            if (origin.equals(Timestamp.ZERO)) {
                origin = node.next();
            }
            Request.Condition condition =
                    action.condition() instanceof Condition.Is(String value)
                            ? new Request.Condition.Is(seen.getOrDefault(value, Timestamp.ZERO))
                            : Request.Condition.Absent.ABSENT;
            Request request =
                    new Request(origin, isRetry, condition, value(), Entry.NEVER, replicas.size());
            decide(node, request, ++attempt, this::decided);
        }

        private void decided(Verdict verdict) {
            switch (verdict) {
                case Verdict.Written(Timestamp version) -> end(written(version));
                case Verdict.Unmet(Current instead) ->
                        end(new Answer.Unmet(instead.value() == null ? "" : name(instead)));
                case Verdict.Denied _ -> end(new Answer.Refused("denied before"));
                case Verdict.Undecided _ -> losesPatience();
            }
        }

        private void decide(
                SimulatedReplica node, Request request, int own, Consumer<Verdict> done) {
            ConditionalRound round = new ConditionalRound(request, replicas.size());
            Lead lead = leads.remove(node.number);
            new Driver(
                            node,
                            round,
                            verdict -> {
                                if (own == attempt) {
                                    done.accept(verdict);
                                }
                            })
                    .take(lead == null ? round.begin(node.next()) : round.beginInLead(lead));
        }

        // ---- What clients see.

        private Answer written(Timestamp version) {
            if (action instanceof Action.Put(String value, _)) {
                see(value, version);
                return new Answer.Stored(version.toString());
            }
            return new Answer.Deleted(version.toString());
        }

        private String name(Current entry) {
            see(text(entry), entry.version());
            return entry.version().toString();
        }

        private String text(Current entry) {
            byte[] value = entry.value();
            return value == null ? "" : new String(value, StandardCharsets.UTF_8);
        }

        private void see(String value, Timestamp version) {
            seen.put(value, version);
            recent.remove(value);
            recent.add(value);
        }

        private SimulatedReplica node() {
            return replicas.get(random.nextInt(replicas.size()));
        }
    }

    /** Takes the steps of a round. */
    private final class Driver {

        private final SimulatedReplica node;
        private final ConditionalRound round;
        private final Consumer<Verdict> done;
        private int question;
        private int rounds;

        Driver(SimulatedReplica node, ConditionalRound round, Consumer<Verdict> done) {
            this.node = node;
            this.round = round;
            this.done = done;
        }

        void take(Step step) {
            switch (step) {
                case Step.Wait _ -> {}
                case Step.Prepare _, Step.Store _, Step.Accept _, Step.Close _, Step.Deny _ -> {
                    int own = ++question;
                    ask(
                            node,
                            replica -> replica.ask(step),
                            (replica, answer) -> {
                                if (own == question) {
                                    take(round.answered(replica, answer));
                                }
                            });
                }
                case Step.Stamp(long after) -> {
                    node.observe(after);
                    take(round.stamped(node.next()));
                }
                case Step.Retry(Timestamp after) -> {
                    question++;
                    rounds++;
                    node.observe(after.hybrid());
                    if (rounds > 20) {
                        take(round.giveUp());
                    } else {
                        messages.add(() -> take(round.begin(node.next())));
                    }
                }
                case Step.Answer(Verdict verdict, Current chosen) -> {
                    question++;
                    Lead lead = round.lead();
                    if (lead != null) {
                        leads.put(node.number, lead);
                    }
                    if (chosen != null && random.nextInt(4) > 0) {
                        ask(node, replica -> replica.store(chosen), (_, _) -> {});
                    }
                    done.accept(verdict);
                }
            }
        }
    }
}

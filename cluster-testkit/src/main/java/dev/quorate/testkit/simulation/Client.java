package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.coordinator.waiting.Wait;
import dev.quorate.router.coordinator.waiting.Waits;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;
import dev.quorate.testkit.history.Recorder;
import dev.quorate.testkit.history.SeenValues;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A client that sends one request at a time, each to a randomly drawn node. As an HTTP client, it
 * observes an answer, a broken connection, or a timeout.
 */
final class Client {

    private static final int REQUEST_BITS = 20;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Longer than the request timeout of a node. */
    private static final long PATIENCE_NANOS = 2_000 * NANOS_PER_MILLI;

    /** Longer for a conditional write, which is sent again while it is undecided. */
    private static final long CONDITIONAL_PATIENCE_NANOS = 8_000 * NANOS_PER_MILLI;

    private final int number;
    private final Machines machines;
    private final SplittableRandom random;
    private final Recorder recorder;
    private final Workload workload;
    private final SimulationInput scenario;
    private final List<Integer> asked = new ArrayList<>();

    /** The last value of each key that this client has seen. */
    private final SeenValues seen = new SeenValues();

    private boolean stopped;
    private int requests;

    Client(
            int number,
            Machines machines,
            SplittableRandom random,
            Recorder recorder,
            Workload workload,
            SimulationInput scenario) {
        this.number = number;
        this.machines = machines;
        this.random = random;
        this.recorder = recorder;
        this.workload = workload;
        this.scenario = scenario;
    }

    void start() {
        machines.queue.after(
                random.nextLong(workload.mostThinkNanos()) + NANOS_PER_MILLI, this::next);
    }

    /** Stops sending. The outstanding request may still be answered. */
    void stop() {
        stopped = true;
    }

    /** Each request draws from its own random source, so that omitting one changes no other. */
    private void next() {
        if (stopped) {
            return;
        }
        SplittableRandom own = random.split();
        int id = number << REQUEST_BITS | requests++;
        if (scenario.withoutRequests().contains(id)) {
            start();
            return;
        }
        asked.add(id);
        String key = Workload.key(own.nextInt(workload.keys()));
        QuorumSpec spec = workload.specs().get(own.nextInt(workload.specs().size()));
        int dice = own.nextInt(100) - workload.getPercent();
        if (dice < 0) {
            boolean renews = workload.renews() && own.nextInt(4) == 0;
            List<String> keys = List.of(key);
            send(new Asked(node(own), keys, new Action.Get(), false, spec, renews, this::start));
        } else if (dice < workload.deletePercent()) {
            ask(node(own), key, new Action.Delete(condition(own, key)), spec, this::start);
        } else if (dice < workload.deletePercent() + workload.rangePercent()) {
            List<String> keys = workload.allKeys();
            send(new Asked(node(own), keys, new Action.Get(), true, spec, false, this::start));
        } else {
            Action put = new Action.Put("c" + number + "-" + requests, condition(own, key));
            ask(node(own), key, put, spec, this::start);
        }
    }

    private HistoryCondition condition(SplittableRandom own, String key) {
        return own.nextInt(100) < workload.conditionalPercent()
                ? SeenValues.condition(own, seen.of(key))
                : HistoryCondition.NONE;
    }

    /** The numbers of the requests, unique among all clients. */
    List<Integer> asked() {
        return asked;
    }

    /** Mostly a node that serves, as a load balancer would choose. */
    private SimulatedNode node(SplittableRandom own) {
        List<SimulatedNode> nodes = machines.nodes;
        SimulatedNode node = nodes.get(own.nextInt(nodes.size()));
        for (int i = 0; i < 5 && !node.takesRequests(); i++) {
            node = nodes.get(own.nextInt(nodes.size()));
        }
        return node;
    }

    void ask(SimulatedNode node, String key, Action action, QuorumSpec spec, Runnable whenDone) {
        send(new Asked(node, List.of(key), action, false, spec, false, whenDone));
    }

    private void send(Asked asked) {
        machines.queue.after(
                asked.isConditional() ? CONDITIONAL_PATIENCE_NANOS : PATIENCE_NANOS,
                () -> asked.end(_ -> new Answer.Indeterminate("no answer in time")));
        machines.queue.after(machines.network.delay(), asked::arrive);
    }

    private void handle(Asked asked) {
        NodeCore core = asked.node.serving();
        if (core == null) {
            return; // the process is ending: watch() reports it
        }
        if (asked.isConditional()) {
            writeIf(core, asked);
        } else if (asked.renews) {
            renew(core, asked);
        } else if (asked.isRange) {
            byte[] start = bytes(Workload.key(0));
            ScanStream stream =
                    core.coordinator()
                            .scan(start, Workload.endOfKeys(), asked.spec, ScanScope.CLUSTER);
            stream.next(new RangeReader(asked, stream));
        } else {
            readOrWrite(core, asked);
        }
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private final class RangeReader implements ScanStream.ScanCallback {
        private final Asked asked;
        private final ScanStream stream;
        private final Map<String, Answer> found = new HashMap<>();

        RangeReader(Asked asked, ScanStream stream) {
            this.asked = asked;
            this.stream = stream;
        }

        @Override
        public void entries(List<Entry> entries) {
            for (Entry entry : entries) {
                found.put(new String(entry.key(), StandardCharsets.UTF_8), value(entry));
            }
            stream.next(this);
        }

        @Override
        public void end() {
            stream.close();
            asked.endLater(key -> found.getOrDefault(key, new Answer.Absent()));
        }

        @Override
        public void failed(Outcome.QuorumFailed outcome) {
            stream.close();
            asked.endLater(new Answer.Indeterminate("aborted"));
        }
    }

    private Answer value(Entry entry) {
        return new Answer.Value(workload.name(entry.value()), entry.timestamp().toString());
    }

    private void readOrWrite(NodeCore core, Asked asked) {
        Behavior behavior = scenario.behavior();
        Operations node = core.coordinator();
        boolean isLinearizable = workload.linearizable() && behavior.asksFirst();
        byte[] key = bytes(asked.key);
        QuorumSpec spec = asked.spec;
        switch (asked.action) {
            case Action.Get() -> {
                UnaryOperator<Outcome> answer = behavior.readAnswer(core, key);
                OutcomeCallback callback = outcome -> asked.answer(answer.apply(outcome));
                if (asked.own.nextInt(4) > 0) {
                    node.read(key, behavior.read(spec), callback);
                } else {
                    await(node.waits(), asked, behavior.read(spec), callback);
                }
            }
            case Action.Delete(_) ->
                    node.write(
                            key,
                            null,
                            null,
                            spec,
                            isLinearizable,
                            asked.written(core, at -> Entry.tombstone(key, at, spec.from())));
            case Action.Put(String name, _) -> {
                NewValue value = newValue(name);
                node.write(
                        key,
                        value,
                        null,
                        spec,
                        isLinearizable,
                        asked.written(
                                core, at -> Entry.value(key, at, value.bytes(), spec.from())));
            }
        }
    }

    /** Reads as soon as a key has another version than this client has seen, or after a time. */
    private void await(Waits waits, Asked asked, QuorumSpec spec, OutcomeCallback callback) {
        SeenValues.Seen last = seen.of(asked.key);
        String version = last == null ? "null" : last.version();
        Duration time = Duration.ofMillis(1 + asked.own.nextInt(1_000));
        var wait =
                new Wait.Asked(
                        bytes(asked.key), spec, now -> version.equals(String.valueOf(now)), time);
        if (waits.begin(wait, () -> callback, () -> {}) == null) {
            callback.completed(Outcome.Refused.OVERLOAD);
        }
    }

    private NewValue newValue(String name) {
        return new NewValue(workload.value(name), workload.timeToLive(name), null);
    }

    /**
     * Changes the expiry of a value. In a history this is a read: of a value that the client knew,
     * if it names its version.
     */
    private void renew(NodeCore core, Asked asked) {
        SeenValues.Seen last = asked.own.nextBoolean() ? seen.of(asked.key) : null;
        Duration time = asked.own.nextBoolean() ? workload.longTimeToLive() : null;
        Timestamp version = last == null ? null : Timestamp.parse(last.version());
        scenario.behavior()
                .renewing(core.coordinator())
                .renew(
                        bytes(asked.key),
                        time,
                        version,
                        asked.spec,
                        outcome -> asked.endLater(renewed(last, outcome)));
    }

    private static Answer renewed(SeenValues.@Nullable Seen last, Outcome outcome) {
        if (outcome instanceof Outcome.Written(Timestamp version) && last != null) {
            return new Answer.Value(last.value(), version.toString());
        }
        return outcome instanceof Outcome.Missing
                ? new Answer.Absent()
                : new Answer.Indeterminate("a renewal");
    }

    /** Sends a conditional write, and again to any node while it is undecided. */
    private void writeIf(NodeCore core, Asked asked) {
        String name = asked.action instanceof Action.Put(String value, _) ? value : null;
        Timestamp origin = asked.origin;
        core.coordinator()
                .writeIf(
                        bytes(asked.key),
                        name == null ? null : newValue(name),
                        asked.required(),
                        origin,
                        asked.spec,
                        outcome -> {
                            if (outcome instanceof Outcome.Undecided(Timestamp first, _, _)) {
                                asked.origin = scenario.behavior().retryOf(first);
                                asked.again();
                            } else if (origin != null
                                    && !(outcome instanceof Outcome.Written)
                                    && !(outcome instanceof Outcome.Unmet)) {
                                asked.again();
                            } else if (origin != null && outcome.equals(new Outcome.Unmet(null))) {
                                // The state that refused an earlier attempt is unknown.
                                asked.endLater(new Answer.Refused("412"));
                            } else {
                                asked.answer(outcome);
                            }
                        });
    }

    private Answer answerTo(Action action, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Found(var entry) -> value(entry);
            case Outcome.Missing missing -> new Answer.Absent();
            case Outcome.Written(var timestamp) ->
                    action instanceof Action.Delete
                            ? new Answer.Deleted(timestamp.toString())
                            : new Answer.Stored(timestamp.toString());
            case Outcome.QuorumFailed _, Outcome.Undecided _ -> new Answer.Indeterminate("504");
            case Outcome.Refused(String reason, int seconds) -> new Answer.Refused(reason);
            case Outcome.TooOld tooOld -> new Answer.Refused("too old");
            case Outcome.VersionTaken taken -> new Answer.Refused("version taken");
            case Outcome.TooFarAhead ahead -> new Answer.Refused("too far ahead");
            case Outcome.Unmet(var current) ->
                    new Answer.Unmet(current == null ? "" : current.toString());
            case Outcome.TooLong tooLong -> new Answer.Refused("413");
            case Outcome.NotJudged notJudged -> new Answer.Refused("503");
        };
    }

    /** An outstanding request for one key, or for all keys: a range counts as a GET of each. */
    private final class Asked {

        private static final long POLL_NANOS = 5 * NANOS_PER_MILLI;

        private SimulatedNode node;
        private final String key;
        private final Action action;
        private final boolean isRange;
        private final QuorumSpec spec;
        private final boolean renews;
        private final Runnable whenDone;
        private final Map<String, Recorder.Call> calls = new TreeMap<>();
        private final SplittableRandom own = new SplittableRandom(31L * number + requests);
        private int life;

        /** The version of the first attempt, if that may have been executed. */
        private @Nullable Timestamp origin;

        /** Whether an earlier attempt may have been executed. */
        private boolean isUndecided;

        private boolean answered;

        Asked(
                SimulatedNode node,
                List<String> keys,
                Action action,
                boolean isRange,
                QuorumSpec spec,
                boolean renews,
                Runnable whenDone) {
            this.node = node;
            this.key = keys.getFirst();
            this.action = action;
            this.isRange = isRange;
            this.spec = spec;
            this.renews = renews;
            this.whenDone = whenDone;
            long now = machines.queue.nanos();
            for (String key : keys) {
                calls.put(key, recorder.begin(number, key, action, spec.ack(), spec.from(), now));
            }
        }

        boolean isConditional() {
            return !action.condition().equals(HistoryCondition.NONE);
        }

        /** The condition to send. This client has not seen the key since it drew the condition. */
        ConditionalRequest.Condition required() {
            return switch (action.condition()) {
                case HistoryCondition.None() -> throw new IllegalStateException("no condition");
                case HistoryCondition.Absent() -> ConditionalRequest.Condition.Absent.ABSENT;
                case HistoryCondition.Present() -> ConditionalRequest.Condition.Present.PRESENT;
                case HistoryCondition.Is(_) ->
                        new ConditionalRequest.Condition.Is(
                                Timestamp.parse(Objects.requireNonNull(seen.of(key)).version()));
            };
        }

        private void arrive() {
            if (node.serving() == null && isUndecided) {
                again();
            } else if (node.serving() == null) {
                endLater(new Answer.Refused("connection refused"));
            } else {
                life = node.life();
                watch();
                node.after(0, () -> handle(this));
            }
        }

        private void watch() {
            if (calls.isEmpty() || answered) {
                return;
            }
            if (node.life() != life) {
                end(_ -> new Answer.Indeterminate("connection reset"));
            } else {
                machines.queue.after(POLL_NANOS, this::watch);
            }
        }

        /** Sends an undecided write again, to another node or the same. */
        void again() {
            answered = true;
            isUndecided = true;
            machines.queue.after(
                    machines.network.delay(),
                    () -> {
                        if (!calls.isEmpty()) {
                            answered = false;
                            node = node(own);
                            machines.queue.after(machines.network.delay(), this::arrive);
                        }
                    });
        }

        OutcomeCallback written(NodeCore core, Function<Timestamp, Entry> write) {
            return outcome ->
                    answer(scenario.behavior().written(core, machines.nodes, outcome, write));
        }

        void answer(Outcome outcome) {
            endLater(answerTo(action, outcome));
        }

        void endLater(Answer answer) {
            endLater(_ -> answer);
        }

        /** Ends with answers in flight, which are delivered even if the node ends. */
        void endLater(Function<String, Answer> answers) {
            answered = true;
            machines.queue.after(machines.network.delay(), () -> end(answers));
        }

        private void end(Function<String, Answer> answers) {
            if (!calls.isEmpty()) {
                calls.forEach((each, call) -> end(each, call, answers.apply(each)));
                calls.clear();
                whenDone.run();
            }
        }

        private void end(String each, Recorder.Call call, Answer answer) {
            call.end(answer, machines.queue.nanos());
            seen.note(each, action, answer);
        }
    }
}

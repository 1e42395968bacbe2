package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.conditional.Request;
import dev.quorate.node.coordinator.NewValue;
import dev.quorate.node.coordinator.Operations;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.node.coordinator.OutcomeCallback;
import dev.quorate.node.coordinator.ScanScope;
import dev.quorate.node.coordinator.ScanStream;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.Condition;
import dev.quorate.testkit.history.Recorder;
import java.nio.charset.StandardCharsets;
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
 * One client, which sends one request at a time, each to a newly drawn node. It observes what an
 * HTTP client would: an answer, a broken connection, or a timeout.
 */
final class Client {

    private static final int REQUEST_BITS = 20;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Longer than the request timeout of a node. */
    private static final long PATIENCE_NANOS = 2_000 * NANOS_PER_MILLI;

    /** For a conditional write, which is sent again while it is undecided. */
    private static final long CONDITIONAL_PATIENCE_NANOS = 8_000 * NANOS_PER_MILLI;

    private final int number;
    private final EventQueue queue;
    private final SimulatedNetwork network;
    private final List<SimulatedNode> nodes;
    private final SplittableRandom random;
    private final Recorder recorder;
    private final Workload workload;
    private final SimulationInput scenario;
    private boolean stopped;
    private int requests;
    private final List<Integer> asked = new ArrayList<>();

    /** The last value that this client has seen of each key. */
    private final Map<String, Seen> seen = new HashMap<>();

    /** A value and its version. */
    private record Seen(String value, Timestamp version) {}

    Client(
            int number,
            EventQueue queue,
            SimulatedNetwork network,
            List<SimulatedNode> nodes,
            SplittableRandom random,
            Recorder recorder,
            Workload workload,
            SimulationInput scenario) {
        this.scenario = scenario;
        this.number = number;
        this.queue = queue;
        this.network = network;
        this.nodes = nodes;
        this.random = random;
        this.recorder = recorder;
        this.workload = workload;
    }

    void start() {
        queue.after(random.nextLong(workload.mostThinkNanos()) + NANOS_PER_MILLI, this::next);
    }

    /** Sends no more requests; the outstanding one may still be answered. */
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
        int dice = own.nextInt(100);
        if (dice < workload.getPercent()) {
            ask(node(own), key, new Action.Get(), spec, this::start);
            return;
        }
        dice -= workload.getPercent();
        if (dice < workload.deletePercent()) {
            ask(node(own), key, new Action.Delete(condition(own, key)), spec, this::start);
        } else if (dice < workload.deletePercent() + workload.rangePercent()) {
            askForAll(node(own), spec);
        } else {
            String value = "c" + number + "-" + requests;
            Action put = new Action.Put(value, condition(own, key));
            ask(node(own), key, put, spec, this::start);
        }
    }

    /** Mostly that nothing has changed since this client saw the key. */
    private Condition condition(SplittableRandom own, String key) {
        if (own.nextInt(100) >= workload.conditionalPercent()) {
            return Condition.NONE;
        }
        Seen last = seen.get(key);
        return switch (own.nextInt(8)) {
            case 0 -> new Condition.Present();
            case 1 -> new Condition.Absent();
            default -> last == null ? new Condition.Absent() : new Condition.Is(last.value());
        };
    }

    /** The numbers of its requests, unique among all clients. */
    List<Integer> asked() {
        return asked;
    }

    /** Mostly a node that serves, as a load balancer would choose. */
    private SimulatedNode node(SplittableRandom own) {
        SimulatedNode node = nodes.get(own.nextInt(nodes.size()));
        for (int i = 0; i < 5 && !node.takesRequests(); i++) {
            node = nodes.get(own.nextInt(nodes.size()));
        }
        return node;
    }

    /** Sends one request. */
    void ask(SimulatedNode node, String key, Action action, QuorumSpec spec, Runnable whenDone) {
        Asked asked = new Asked(node, whenDone);
        asked.begin(key, action, spec);
        boolean isConditional = !action.condition().equals(Condition.NONE);
        send(
                asked,
                isConditional ? CONDITIONAL_PATIENCE_NANOS : PATIENCE_NANOS,
                () -> handle(asked, key, action, spec));
    }

    /** Reads the range of all keys, which counts as a GET of each. */
    private void askForAll(SimulatedNode node, QuorumSpec spec) {
        Asked asked = new Asked(node, this::start);
        for (int i = 0; i < workload.keys(); i++) {
            asked.begin(Workload.key(i), new Action.Get(), spec);
        }
        send(asked, PATIENCE_NANOS, () -> handleRange(asked, spec));
    }

    private void send(Asked asked, long patienceNanos, Runnable handle) {
        queue.after(patienceNanos, () -> asked.end(new Answer.Indeterminate("no answer in time")));
        queue.after(network.delay(), () -> arrive(asked, handle));
    }

    private void arrive(Asked asked, Runnable handle) {
        SimulatedNode node = asked.node;
        if (node.serving() == null && asked.isUndecided) {
            asked.again(handle);
            return;
        }
        if (node.serving() == null) {
            queue.after(network.delay(), () -> asked.end(new Answer.Refused("connection refused")));
            return;
        }
        asked.life = node.life();
        asked.watch();
        node.after(0, handle);
    }

    private void handleRange(Asked asked, QuorumSpec spec) {
        NodeCore core = asked.node.serving();
        if (core == null) {
            return;
        }
        byte[] start = Workload.key(0).getBytes(StandardCharsets.UTF_8);
        ScanStream stream =
                core.coordinator().scan(start, Workload.endOfKeys(), spec, ScanScope.CLUSTER);
        stream.next(new RangeReader(asked, stream));
    }

    /** Reads a range to its end. */
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
            asked.answered = true;
            queue.after(network.delay(), () -> asked.end(found));
        }

        @Override
        public void failed(Outcome.QuorumFailed outcome) {
            stream.close();
            asked.answered = true;
            queue.after(network.delay(), () -> asked.end(new Answer.Indeterminate("aborted")));
        }
    }

    private Answer value(Entry entry) {
        return new Answer.Value(workload.name(entry.value()), entry.timestamp().toString());
    }

    private void handle(Asked asked, String key, Action action, QuorumSpec spec) {
        NodeCore core = asked.node.serving();
        if (core == null) {
            return; // it is ending: watch() reports it
        }
        Operations node = operations(core);
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        if (!action.condition().equals(Condition.NONE)) {
            writeIf(asked, key, action, spec);
            return;
        }
        switch (action) {
            case Action.Get() -> read(asked, core, bytes, spec);
            case Action.Delete(_) ->
                    node.delete(
                            bytes,
                            null,
                            spec,
                            written(
                                    asked,
                                    action,
                                    core,
                                    at -> Entry.tombstone(bytes, at, spec.from())));
            case Action.Put(String value, _) -> {
                byte[] whole = workload.value(value);
                node.put(
                        bytes,
                        new NewValue(whole, workload.timeToLive(value), null),
                        null,
                        spec,
                        written(
                                asked,
                                action,
                                core,
                                at -> Entry.value(bytes, at, whole, spec.from())));
            }
        }
    }

    private OutcomeCallback written(
            Asked asked, Action action, NodeCore core, Function<Timestamp, Entry> write) {
        return outcome ->
                answer(asked, action, scenario.behavior().written(core, nodes, outcome, write));
    }

    /** Sends a conditional write; while it is undecided, again, to any node. */
    private void writeIf(Asked asked, String key, Action action, QuorumSpec spec) {
        Request.Condition condition =
                switch (action.condition()) {
                    case Condition.None() -> throw new IllegalArgumentException("no condition");
                    case Condition.Absent() -> Request.Condition.Absent.ABSENT;
                    case Condition.Present() -> Request.Condition.Present.PRESENT;
                    case Condition.Is(String value) ->
                            new Request.Condition.Is(
                                    Objects.requireNonNull(seen.get(key)).version());
                };
        writeIf(asked, key, action, spec, condition, null);
    }

    private void writeIf(
            Asked asked,
            String key,
            Action action,
            QuorumSpec spec,
            Request.Condition condition,
            @Nullable Timestamp origin) {
        NodeCore core = asked.node.serving();
        if (core == null) {
            return;
        }
        String name = action instanceof Action.Put(String value, _) ? value : null;
        core.coordinator()
                .writeIf(
                        key.getBytes(StandardCharsets.UTF_8),
                        name == null
                                ? null
                                : new NewValue(
                                        workload.value(name), workload.timeToLive(name), null),
                        condition,
                        origin,
                        spec,
                        outcome -> {
                            if (outcome instanceof Outcome.Undecided(Timestamp first, _, _)) {
                                Timestamp same = scenario.behavior().retryOf(first);
                                asked.again(
                                        () -> writeIf(asked, key, action, spec, condition, same));
                            } else if (origin != null && !isDecided(outcome)) {
                                asked.again(
                                        () -> writeIf(asked, key, action, spec, condition, origin));
                            } else if (origin != null && outcome.equals(new Outcome.Unmet(null))) {
                                // What was there when an earlier attempt was refused is unknown.
                                asked.endLater(new Answer.Refused("412"));
                            } else {
                                answer(asked, action, outcome);
                            }
                        });
    }

    /** Remembers what this client has seen of a key. */
    private void note(String key, Action action, Answer answer) {
        switch (answer) {
            case Answer.Value(String value, String version) ->
                    seen.put(key, new Seen(value, Timestamp.parse(version)));
            case Answer.Stored(String version) -> {
                if (action instanceof Action.Put(String value, _)) {
                    seen.put(key, new Seen(value, Timestamp.parse(version)));
                }
            }
            case Answer.Deleted deleted -> seen.remove(key);
            case Answer.Absent absent -> seen.remove(key);
            case Answer other -> {}
        }
    }

    private static boolean isDecided(Outcome outcome) {
        return outcome instanceof Outcome.Written || outcome instanceof Outcome.Unmet;
    }

    private void read(Asked asked, NodeCore core, byte[] key, QuorumSpec spec) {
        UnaryOperator<Outcome> answer = scenario.behavior().readAnswer(core, key);
        operations(core)
                .read(
                        key,
                        scenario.behavior().read(spec),
                        outcome -> answer(asked, new Action.Get(), answer.apply(outcome)));
    }

    private Operations operations(NodeCore core) {
        return scenario.behavior().operations(core, workload.linearizable());
    }

    private void answer(Asked asked, Action action, Outcome outcome) {
        asked.endLater(answerTo(action, outcome));
    }

    private Answer answerTo(Action action, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Found(var entry) -> value(entry);
            case Outcome.Missing(var deletedAt) -> new Answer.Absent();
            case Outcome.Written(var timestamp) -> done(action, timestamp);
            case Outcome.QuorumFailed(var timestamp, var accepted, var failures, var why) ->
                    new Answer.Indeterminate("504");
            case Outcome.Refused(String reason, int seconds) -> new Answer.Refused(reason);
            case Outcome.TooOld tooOld -> new Answer.Refused("too old");
            case Outcome.VersionTaken taken -> new Answer.Refused("version taken");
            case Outcome.TooFarAhead ahead -> new Answer.Refused("too far ahead");
            case Outcome.Unmet(var current) ->
                    new Answer.Unmet(current == null ? "" : current.toString());
            case Outcome.Undecided undecided -> new Answer.Indeterminate("504");
            case Outcome.NotJudged notJudged -> new Answer.Refused("503");
        };
    }

    private static Answer done(Action action, Timestamp timestamp) {
        return action instanceof Action.Delete
                ? new Answer.Deleted(timestamp.toString())
                : new Answer.Stored(timestamp.toString());
    }

    /** An outstanding request, for one key or for all. */
    private final class Asked {
        private static final long POLL_NANOS = 5 * NANOS_PER_MILLI;

        private SimulatedNode node;
        private final Runnable whenDone;
        private final Map<String, Recorder.Call> calls = new TreeMap<>();
        private int life;
        private final SplittableRandom own = new SplittableRandom(31L * number + requests);
        private final Map<String, Action> actions = new HashMap<>();

        /** Whether it was sent before, and may have been executed. */
        private boolean isUndecided;

        /** Whether the answer is in flight. */
        private boolean answered;

        Asked(SimulatedNode node, Runnable whenDone) {
            this.node = node;
            this.whenDone = whenDone;
        }

        void begin(String key, Action action, QuorumSpec spec) {
            actions.put(key, action);
            calls.put(
                    key,
                    recorder.begin(number, key, action, spec.ack(), spec.from(), queue.nanos()));
        }

        /** Detects that the connection breaks. */
        void watch() {
            if (calls.isEmpty() || answered) {
                return;
            }
            if (node.life() != life) {
                end(new Answer.Indeterminate("connection reset"));
            } else {
                queue.after(POLL_NANOS, this::watch);
            }
        }

        /** Sends an undecided write again, to another node or the same. */
        void again(Runnable handle) {
            answered = true;
            isUndecided = true;
            queue.after(
                    network.delay(),
                    () -> {
                        if (calls.isEmpty()) {
                            return;
                        }
                        answered = false;
                        node = node(own);
                        queue.after(network.delay(), () -> arrive(this, handle));
                    });
        }

        /** Ends with an answer in flight, which is delivered even if the node ends. */
        void endLater(Answer answer) {
            answered = true;
            queue.after(network.delay(), () -> end(answer));
        }

        void end(Answer answer) {
            endEach(key -> answer);
        }

        /** Keys without an answer are absent. */
        void end(Map<String, Answer> answers) {
            endEach(key -> answers.getOrDefault(key, new Answer.Absent()));
        }

        private void end(String key, Recorder.Call call, Answer answer) {
            call.end(answer, queue.nanos());
            note(key, Objects.requireNonNull(actions.get(key)), answer);
        }

        private void endEach(Function<String, Answer> answers) {
            if (!calls.isEmpty()) {
                calls.forEach((key, call) -> end(key, call, answers.apply(key)));
                calls.clear();
                whenDone.run();
            }
        }
    }
}

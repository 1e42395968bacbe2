package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.coordinator.Operations;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.Recorder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One client, which asks one thing after the other, each of a node drawn anew. It learns what a
 * client over HTTP would: an answer, that a connection broke, or nothing in time.
 */
final class Client {

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Longer than any node works on a request. */
    private static final long PATIENCE_NANOS = 2_000 * NANOS_PER_MILLI;

    private final int number;
    private final EventQueue queue;
    private final SimulatedNetwork network;
    private final List<SimulatedNode> nodes;
    private final SplittableRandom random;
    private final Recorder recorder;
    private final Workload workload;
    private final Sabotage sabotage;
    private boolean stopped;
    private int written;

    Client(
            int number,
            EventQueue queue,
            SimulatedNetwork network,
            List<SimulatedNode> nodes,
            SplittableRandom random,
            Recorder recorder,
            Workload workload,
            Sabotage sabotage) {
        this.sabotage = sabotage;
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

    /** What is under way is still answered. */
    void stop() {
        stopped = true;
    }

    private void next() {
        if (stopped) {
            return;
        }
        String key = "key" + random.nextInt(workload.keys());
        QuorumSpec spec = workload.specs().get(random.nextInt(workload.specs().size()));
        int dice = random.nextInt(100);
        Action action;
        if (dice < workload.getPercent()) {
            action = new Action.Get();
        } else if (dice < workload.getPercent() + workload.deletePercent()) {
            action = new Action.Delete();
        } else {
            action = new Action.Put("c" + number + "-" + written++);
        }
        ask(node(), key, action, spec, this::start);
    }

    /** Mostly one that is there, as a load balancer would have it. */
    private SimulatedNode node() {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        for (int i = 0; i < 5 && node.serving() == null; i++) {
            node = nodes.get(random.nextInt(nodes.size()));
        }
        return node;
    }

    /** Asks one thing. */
    void ask(SimulatedNode node, String key, Action action, QuorumSpec spec, Runnable whenDone) {
        Recorder.Call call =
                recorder.begin(number, key, action, spec.ack(), spec.from(), queue.nanos());
        Asked asked = new Asked(node, call, whenDone);
        queue.after(PATIENCE_NANOS, () -> asked.end(new Answer.Indeterminate("no answer in time")));
        queue.after(network.delay(), () -> arrive(asked, key, action, spec));
    }

    private void arrive(Asked asked, String key, Action action, QuorumSpec spec) {
        SimulatedNode node = asked.node;
        if (node.serving() == null) {
            queue.after(network.delay(), () -> asked.end(new Answer.Refused("connection refused")));
            return;
        }
        asked.life = node.life();
        asked.watch();
        node.after(0, () -> handle(asked, key, action, spec));
    }

    private void handle(Asked asked, String key, Action action, QuorumSpec spec) {
        NodeCore core = asked.node.serving();
        if (core == null) {
            return; // it has just begun to end: the watch tells
        }
        Operations node = core.coordinator();
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        switch (action) {
            case Action.Get() -> {
                QuorumSpec read =
                        sabotage == Sabotage.READS_FROM_ONE_REPLICA
                                ? new QuorumSpec(1, spec.from())
                                : spec;
                node.read(bytes, read, outcome -> answer(asked, action, outcome));
            }
            case Action.Delete() ->
                    node.delete(bytes, null, spec, outcome -> answer(asked, action, outcome));
            case Action.Put(String value) ->
                    node.put(
                            bytes,
                            workload.padded(value, random),
                            null,
                            spec,
                            outcome -> answer(asked, action, outcome));
        }
    }

    private void answer(Asked asked, Action action, Outcome outcome) {
        Answer answer = answerTo(action, outcome);
        // Once it has left the node, the node's end does not take it back.
        queue.after(network.delay(), () -> asked.end(answer));
    }

    private Answer answerTo(Action action, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Found(var entry) ->
                    new Answer.Value(
                            Workload.unpadded(entry.value()), entry.timestamp().toString());
            case Outcome.Missing(var deletedAt) -> new Answer.Absent();
            case Outcome.Written(var timestamp) -> done(action, timestamp);
            case Outcome.QuorumFailed(var timestamp, var accepted, var failures) ->
                    timestamp != null && sabotage == Sabotage.COUNTS_TIMEOUTS_AS_ACKNOWLEDGEMENTS
                            ? done(action, timestamp)
                            : new Answer.Indeterminate("504");
            case Outcome.Refused(String reason, int seconds) -> new Answer.Refused(reason);
        };
    }

    private static Answer done(Action action, Timestamp timestamp) {
        return action instanceof Action.Delete
                ? new Answer.Deleted(timestamp.toString())
                : new Answer.Stored(timestamp.toString());
    }

    /** A request under way. */
    private final class Asked {
        private static final long LOOK_NANOS = 5 * NANOS_PER_MILLI;

        private final SimulatedNode node;
        private final Runnable whenDone;
        private Recorder.@Nullable Call call;
        private int life;

        Asked(SimulatedNode node, Recorder.Call call, Runnable whenDone) {
            this.node = node;
            this.call = call;
            this.whenDone = whenDone;
        }

        /** Sees that the connection breaks. */
        void watch() {
            if (call == null) {
                return;
            }
            if (node.life() != life) {
                end(new Answer.Indeterminate("connection reset"));
            } else {
                queue.after(LOOK_NANOS, this::watch);
            }
        }

        void end(Answer answer) {
            Recorder.Call ending = call;
            if (ending != null) {
                call = null;
                ending.end(answer, queue.nanos());
                whenDone.run();
            }
        }
    }
}

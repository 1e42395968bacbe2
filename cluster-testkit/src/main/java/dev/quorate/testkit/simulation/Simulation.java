package dev.quorate.testkit.simulation;

import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A stretch of a cluster's life, from a seed: clients work while things break; then everything is
 * made whole, each key is read through each node, and the history is judged. The same seed gives
 * the same history, byte for byte.
 */
public final class Simulation {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** For so much longer two are waited for that have nothing to do with each other. */
    private static final long MAX_APART_NANOS = 30 * NANOS_PER_SECOND;

    private final Scenario scenario;
    private final EventQueue queue;
    private final Story story;
    private final SimulatedNetwork network;
    private final List<SimulatedNode> nodes;
    private final List<Client> clients = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private final Nemesis nemesis;
    private final Workload workload;
    private final ReplicaSelector selector;
    private final Client reader;

    private Simulation(Scenario scenario) {
        this.scenario = scenario;
        SplittableRandom random = new SplittableRandom(scenario.seed());
        queue = new EventQueue(random.split());
        story = new Story(queue);
        network = new SimulatedNetwork(queue, random.split());
        int size = random.nextInt(4) == 0 ? 5 : 3;
        NodeSettings settings = NodeSettings.random(random.split(), scenario.work());
        Machines machines =
                Machines.of(size, queue, network, random, story, settings, scenario.sabotage());
        selector = machines.selector();
        nodes = machines.nodes();
        workload = Workload.random(random.split(), size, scenario.work());
        for (int i = 0; i < workload.clients(); i++) {
            clients.add(client(i, random.split()));
        }
        reader = client(workload.clients(), random.split());
        nemesis =
                new Nemesis(
                        queue, network, nodes, random.split(), story, settings, workload, scenario);
    }

    private Client client(int number, SplittableRandom random) {
        return new Client(number, queue, network, nodes, random, recorder, workload, scenario);
    }

    /**
     * Runs one.
     *
     * @param seed any number
     * @param length how long clients work and things break, in virtual time
     */
    public static SimulationResult run(long seed, Duration length) {
        return run(Scenario.of(seed, length));
    }

    /**
     * Looks for a shorter story that ends as badly.
     *
     * @param seed one that ends badly
     * @return the shortest that was found
     * @throws IllegalArgumentException if that seed ends well
     */
    public static SimulationResult shrink(long seed, Duration length) {
        return Shrinker.shrink(Scenario.of(seed, length));
    }

    static SimulationResult run(Scenario scenario) {
        return new Simulation(scenario).run();
    }

    /**
     * Nothing breaks any more, but a clock that was ahead keeps a node apart from the others until
     * theirs have caught up: what they are to do in peace, they can do only then.
     */
    private void runQuietly() {
        long wantedNanos = scenario.peace().toNanos();
        long quietNanos = 0;
        for (long nanos = 0;
                quietNanos < wantedNanos && nanos < wantedNanos + MAX_APART_NANOS;
                nanos += NANOS_PER_SECOND) {
            queue.run(NANOS_PER_SECOND);
            quietNanos = Convergence.anyRefuse(nodes) ? 0 : quietNanos + NANOS_PER_SECOND;
        }
    }

    private SimulationResult run() {
        nodes.forEach(SimulatedNode::start);
        queue.run(NANOS_PER_SECOND);
        clients.forEach(Client::start);
        nemesis.start();
        queue.run(scenario.length().toNanos());
        clients.forEach(Client::stop);
        nemesis.makePeace();
        long peaceMillis = nodes.getFirst().wallMillis();
        runQuietly();
        int from = Math.min(3, nodes.size());
        QuorumSpec majority = new QuorumSpec(from / 2 + 1, from);
        for (int key = 0; key < workload.keys(); key++) {
            for (SimulatedNode node : nodes) {
                reader.ask(node, Workload.key(key), new Action.Get(), majority, () -> {});
            }
        }
        queue.run(10 * NANOS_PER_SECOND);
        List<String> keys = IntStream.range(0, workload.keys()).mapToObj(Workload::key).toList();
        Convergence convergence = new Convergence(selector, nodes, peaceMillis);
        convergence.differences(keys).forEach(story::broken);
        convergence.withoutVote().forEach(story::broken);
        History history = recorder.history();
        List<Integer> requests = new ArrayList<>();
        clients.forEach(client -> requests.addAll(client.asked()));
        return new SimulationResult(
                scenario.seed(),
                history,
                Checker.check(history, workload.promise()),
                nemesis.struck(),
                story.strikes(),
                requests,
                story.events(),
                story.brokenThings(),
                nodes.stream().mapToLong(SimulatedNode::droppedTombstones).sum());
    }
}

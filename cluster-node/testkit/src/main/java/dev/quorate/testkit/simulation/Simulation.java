package dev.quorate.testkit.simulation;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Recorder;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A stretch of a cluster's life, from a seed: clients work while things break; then everything is
 * made whole, each key is read through each node, and the history is judged. The same seed gives
 * the same history, byte for byte.
 */
public final class Simulation {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Long enough for all that waits to be over, clocks that ran ahead included. */
    private static final Duration PEACE = Duration.ofSeconds(15);

    private final long seed;
    private final Sabotage sabotage;
    private final EventQueue queue;
    private final Story story;
    private final SimulatedNetwork network;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private final Nemesis nemesis;
    private final Workload workload;
    private final Client reader;

    private Simulation(long seed, Sabotage sabotage) {
        this.sabotage = sabotage;
        this.seed = seed;
        SplittableRandom random = new SplittableRandom(seed);
        queue = new EventQueue(random.split());
        story = new Story(queue);
        network = new SimulatedNetwork(queue, random.split());
        List<Member> members = new ArrayList<>();
        int size = random.nextInt(4) == 0 ? 5 : 3;
        for (int i = 1; i <= size; i++) {
            members.add(new Member("n" + i, URI.create("http://localhost:" + (8080 + i))));
        }
        Topology topology = new Topology(members);
        for (Member member : topology.members()) {
            SimulatedNode node =
                    new SimulatedNode(
                            member, topology, queue, network, random.split(), story, sabotage);
            nodes.add(node);
            network.add(node);
        }
        workload = Workload.random(random.split(), size);
        for (int i = 0; i < workload.clients(); i++) {
            clients.add(client(i, random.split()));
        }
        reader = client(workload.clients(), random.split());
        nemesis = new Nemesis(queue, network, nodes, random.split(), story);
    }

    private Client client(int number, SplittableRandom random) {
        return new Client(number, queue, network, nodes, random, recorder, workload, sabotage);
    }

    /**
     * Runs one.
     *
     * @param seed any number
     * @param length how long clients work and things break, in virtual time
     */
    public static SimulationResult run(long seed, Duration length) {
        return run(seed, length, Sabotage.NONE);
    }

    /** As {@link #run(long, Duration)}, with a cluster that makes a mistake. */
    static SimulationResult run(long seed, Duration length, Sabotage sabotage) {
        return new Simulation(seed, sabotage).run(length);
    }

    private SimulationResult run(Duration length) {
        nodes.forEach(SimulatedNode::start);
        queue.run(NANOS_PER_SECOND);
        clients.forEach(Client::start);
        nemesis.start();
        queue.run(length.toNanos());
        clients.forEach(Client::stop);
        nemesis.makePeace();
        queue.run(PEACE.toNanos());
        int from = Math.min(3, nodes.size());
        QuorumSpec majority = new QuorumSpec(from / 2 + 1, from);
        for (int key = 0; key < workload.keys(); key++) {
            for (SimulatedNode node : nodes) {
                reader.ask(node, "key" + key, new Action.Get(), majority, () -> {});
            }
        }
        queue.run(10 * NANOS_PER_SECOND);
        History history = recorder.history();
        return new SimulationResult(
                seed,
                history,
                Checker.check(history),
                nemesis.faults(),
                story.lines(),
                story.brokenThings());
    }
}

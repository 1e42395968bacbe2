package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Lookup;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Recorder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A simulation of a cluster from a seed: clients work while faults are injected; then all faults
 * are healed, each key is read through each node, and the history is checked. The same seed
 * produces the same history, byte for byte.
 */
public final class Simulation {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /**
     * Maximum additional wait while nodes refuse each other because of their clocks, or members
     * change.
     */
    private static final long MAX_APART_NANOS = 120 * NANOS_PER_SECOND;

    private final SimulationInput scenario;
    private final EventQueue queue;
    private final Machines machines;
    private final List<Client> clients = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private final Nemesis nemesis;
    private final Workload workload;
    private final Client reader;

    private Simulation(SimulationInput scenario) {
        this.scenario = scenario;
        SplittableRandom random = new SplittableRandom(scenario.seed());
        queue = new EventQueue(random.split());
        SimulatedNetwork network = new SimulatedNetwork(queue, random.split());
        int size = random.nextInt(4) == 0 ? 5 : 3;
        NodeSettings settings = NodeSettings.random(random.split(), scenario.work());
        machines = new Machines(size, queue, network, random, settings, scenario.behavior());
        workload = Workload.random(random.split(), size, scenario.work());
        for (int i = 0; i < workload.clients(); i++) {
            clients.add(client(i, random.split()));
        }
        reader = client(workload.clients(), random.split());
        nemesis = new Nemesis(machines, random.split(), settings, workload, scenario);
    }

    private Client client(int number, SplittableRandom random) {
        return new Client(number, machines, random, recorder, workload, scenario);
    }

    /** Runs a simulation in which clients work and faults are injected for a virtual time. */
    public static SimulationResult run(long seed, Duration length) {
        return run(SimulationInput.of(seed, length));
    }

    /**
     * Shrinks a failing simulation and returns the shortest failing one found.
     *
     * @throws IllegalArgumentException if the simulation of that seed does not fail
     */
    public static SimulationResult shrink(long seed, Duration length) {
        return Shrinker.shrink(SimulationInput.of(seed, length));
    }

    static SimulationResult run(SimulationInput scenario) {
        return new Simulation(scenario).run();
    }

    /**
     * Runs without faults for the quiet period. A node whose clock was ahead is refused until the
     * other clocks have caught up, and the period counts from then, and from the end of a change of
     * members.
     */
    private void runQuietly() {
        long wantedNanos = scenario.quietPeriod().toNanos();
        long quietNanos = 0;
        for (long nanos = 0;
                quietNanos < wantedNanos && nanos < wantedNanos + MAX_APART_NANOS;
                nanos += NANOS_PER_SECOND) {
            queue.run(NANOS_PER_SECOND);
            Operator.renewFormer(machines);
            quietNanos =
                    machines.anyRefuse() || machines.latest().isJoint()
                            ? 0
                            : quietNanos + NANOS_PER_SECOND;
        }
    }

    private SimulationResult run() {
        List<SimulatedNode> nodes = machines.nodes;
        nodes.forEach(SimulatedNode::start);
        queue.run(NANOS_PER_SECOND);
        clients.forEach(Client::start);
        nemesis.start();
        queue.run(scenario.length().toNanos());
        clients.forEach(Client::stop);
        nemesis.healAll();
        long peaceMillis = nodes.getFirst().wallMillis();
        runQuietly();
        QuorumSpec majority = QuorumSpec.majority(Math.min(3, nodes.size()));
        List<String> keys = workload.allKeys();
        for (String key : keys) {
            for (SimulatedNode node : machines.members()) {
                reader.ask(node, key, new Action.Get(), majority, () -> {});
            }
        }
        queue.run(10 * NANOS_PER_SECOND);
        Convergence convergence = new Convergence(machines, peaceMillis);
        convergence.differences(keys).forEach(machines::broken);
        convergence.withoutVote().forEach(machines::broken);
        convergence.topologies().forEach(machines::broken);
        convergence.waits().forEach(machines::broken);
        History history = recorder.history();
        List<Integer> requests = clients.stream().flatMap(c -> c.asked().stream()).toList();
        return new SimulationResult(
                scenario.seed(),
                history,
                Checker.check(history, workload.promise()),
                nemesis.faultCounts(),
                nemesis.strikes(),
                requests,
                machines.events(),
                machines.brokenThings(),
                nodes.stream().mapToLong(SimulatedNode::droppedTombstones).sum());
    }

    /**
     * Checks the stores of the nodes directly: some time after all faults are healed, each replica
     * of a key must store its newest entry.
     */
    private static final class Convergence {

        private final Machines machines;
        private final Ring ring;
        private final List<SimulatedNode> nodes;
        private final long peaceMillis;
        private final boolean areAllThere;

        /**
         * Excludes nodes with damaged tables, which may be unable to read entries. Checks nothing
         * while any two nodes refuse each other.
         *
         * @param peaceMillis the true time at which clients stopped. A later timestamp is from a
         *     skewed clock, and replicas need not have accepted it yet
         */
        Convergence(Machines machines, long peaceMillis) {
            this.machines = machines;
            this.ring =
                    machines.members().stream()
                            .map(SimulatedNode::serving)
                            .filter(Objects::nonNull)
                            .map(core -> core.placement().current().after())
                            .findFirst()
                            .orElse(machines.ring);
            this.peaceMillis = peaceMillis;
            this.nodes =
                    machines.members().stream()
                            .filter(node -> node.serving() != null)
                            .filter(node -> !node.mayBeCorrupt() && !machines.anyRefuse())
                            .toList();
            this.areAllThere = nodes.size() == machines.members().size();
        }

        List<String> differences(List<String> keys) {
            return keys.stream().flatMap(key -> difference(key).stream()).toList();
        }

        /**
         * Nodes that do not vote yet after a loss of their disk. None are expected at the end of
         * the quiet period if all nodes serve.
         */
        List<String> withoutVote() {
            List<String> without = new ArrayList<>();
            for (SimulatedNode node : nodes) {
                NodeCore core = node.serving();
                if (areAllThere && core != null && !core.membership().votes()) {
                    without.add(node + " does not vote: " + core.membership().progress());
                }
            }
            return without;
        }

        /**
         * What is wrong with the topologies in use: all members learn the latest, and each change
         * of members ends.
         */
        List<String> topologies() {
            List<String> wrong = new ArrayList<>();
            for (SimulatedNode node : nodes) {
                NodeCore core = node.serving();
                Topology used = core == null ? machines.latest() : core.topology().current();
                if (!used.equals(machines.latest()) || (areAllThere && used.isJoint())) {
                    String progress = core == null ? "" : core.membership().progress();
                    wrong.add(node + " uses " + used + ": " + progress);
                }
            }
            return wrong;
        }

        /** Waits that have not ended, though their time is over. */
        List<String> waits() {
            return nodes.stream()
                    .map(SimulatedNode::serving)
                    .filter(core -> core != null && core.coordinator().waits().size() > 0)
                    .map(core -> "a wait has no end: " + core.membership().progress())
                    .toList();
        }

        private Optional<String> difference(String key) {
            byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
            Map<Member, Entry> entries = new HashMap<>();
            Entry newest = null;
            for (SimulatedNode node : nodes) {
                NodeCore core = node.serving();
                if (core != null
                        && core.store().lookup(bytes) instanceof Lookup.Found(Entry entry)) {
                    entries.put(node.member, entry);
                    if (isOwner(node, entry) && (newest == null || entry.supersedes(newest))) {
                        newest = entry;
                    }
                }
            }
            if (newest == null || newest.timestamp().wallMillis() > peaceMillis) {
                return Optional.empty();
            }
            List<Member> owners = ring.replicas(bytes, ring.effectiveFrom(newest.from()));
            for (SimulatedNode node : nodes) {
                if (owners.contains(node.member)) {
                    Entry entry = entries.get(node.member);
                    boolean isCurrent =
                            entry == null
                                    ? isBelowGcWatermark(newest)
                                    : entry.timestamp().equals(newest.timestamp());
                    if (!isCurrent) {
                        return Optional.of(
                                "%s lacks %s of %s: it stores %s"
                                        .formatted(node, newest.timestamp(), key, entry));
                    }
                }
            }
            return Optional.empty();
        }

        /**
         * Whether the node is a replica that the entry was written to. A read with a larger {@code
         * from} also repairs other nodes, which later tombstones of the key need not reach.
         */
        private boolean isOwner(SimulatedNode node, Entry entry) {
            return ring.replicas(entry.key(), ring.effectiveFrom(entry.from()))
                    .contains(node.member);
        }

        /**
         * Whether the entry is a tombstone below the GC watermark of a member. Then every member
         * has stored it and may have dropped it.
         */
        private boolean isBelowGcWatermark(Entry newest) {
            return newest.isTombstone()
                    && nodes.stream()
                            .map(SimulatedNode::serving)
                            .filter(Objects::nonNull)
                            .map(core -> core.store().tombstonesCollectedUpTo())
                            .anyMatch(upTo -> !newest.timestamp().ceiling().isAfter(upTo));
        }
    }
}

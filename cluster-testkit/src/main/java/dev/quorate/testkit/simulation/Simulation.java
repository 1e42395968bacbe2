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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        new Convergence(machines, peaceMillis).check(keys);
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
        private final Map<Member, NodeCore> nodes = new LinkedHashMap<>();
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
            for (SimulatedNode node : machines.members()) {
                NodeCore core = node.serving();
                if (core != null && !node.mayBeCorrupt() && !machines.anyRefuse()) {
                    nodes.put(node.member, core);
                }
            }
            this.areAllThere = nodes.size() == machines.members().size();
        }

        void check(List<String> keys) {
            keys.forEach(this::check);
            nodes.forEach(this::check);
        }

        /**
         * At the end of the quiet period, members know the latest topology. If all of them serve,
         * they vote, and no change is in progress. No wait outlasts its time.
         */
        private void check(Member member, NodeCore core) {
            String progress = core.membership().progress();
            Topology used = core.topology().current();
            if (areAllThere && !core.membership().votes()) {
                machines.broken(member.name() + " does not vote: " + progress);
            }
            if (!used.equals(machines.latest()) || (areAllThere && used.isJoint())) {
                machines.broken(member.name() + " uses " + used + ": " + progress);
            }
            if (core.coordinator().waits().size() > 0) {
                machines.broken("a wait has no end: " + progress);
            }
        }

        private void check(String key) {
            byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
            Map<Member, Entry> entries = new HashMap<>();
            Entry newest = null;
            for (Map.Entry<Member, NodeCore> node : nodes.entrySet()) {
                if (node.getValue().store().lookup(bytes) instanceof Lookup.Found(Entry entry)) {
                    entries.put(node.getKey(), entry);
                    boolean isNewer = newest == null || entry.supersedes(newest);
                    newest = isNewer && isOwner(node.getKey(), entry) ? entry : newest;
                }
            }
            if (newest == null || newest.timestamp().wallMillis() > peaceMillis) {
                return;
            }
            for (Member owner : ring.replicas(bytes, ring.effectiveFrom(newest.from()))) {
                Entry entry = entries.get(owner);
                boolean isCurrent =
                        entry == null
                                ? isBelowGcWatermark(newest)
                                : entry.timestamp().equals(newest.timestamp());
                if (nodes.containsKey(owner) && !isCurrent) {
                    machines.broken(
                            "%s lacks %s of %s: it stores %s"
                                    .formatted(owner.name(), newest.timestamp(), key, entry));
                    return;
                }
            }
        }

        /**
         * Whether the node is a replica that the entry was written to. A read with a larger {@code
         * from} also repairs other nodes, which later tombstones of the key need not reach.
         */
        private boolean isOwner(Member member, Entry entry) {
            return ring.replicas(entry.key(), ring.effectiveFrom(entry.from())).contains(member);
        }

        /**
         * Whether the entry is a tombstone below the GC watermark of a member. Then every member
         * has stored it and may have dropped it.
         */
        private boolean isBelowGcWatermark(Entry newest) {
            return newest.isTombstone()
                    && nodes.values().stream()
                            .map(core -> core.store().tombstonesCollectedUpTo())
                            .anyMatch(upTo -> !newest.timestamp().ceiling().isAfter(upTo));
        }
    }
}

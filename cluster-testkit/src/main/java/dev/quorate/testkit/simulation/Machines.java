package dev.quorate.testkit.simulation;

import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.testkit.simulation.SimulationResult.Event;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** The machines of a cluster, their time, their network and their log. */
final class Machines {

    /** Cached by number of members: rings are the same in all simulations, and slow to build. */
    private static final Map<Integer, Ring> RINGS = new ConcurrentHashMap<>();

    final EventQueue queue;
    final SimulatedNetwork network;

    final Ring ring;

    /** The number of machines that found the cluster. */
    final int founders;

    final List<SimulatedNode> nodes = new ArrayList<>();

    private final SplittableRandom random;
    private final NodeSettings settings;
    private final Behavior behavior;

    private final List<Event> events = new ArrayList<>();

    /** Failures that no injected fault explains. */
    private final List<String> broken = new ArrayList<>();

    /** The topology of each epoch: there is one. */
    private final Map<String, Topology> topologies = new HashMap<>();

    private Topology latest;

    /** Creates machines without nodes, each with its own random source. */
    Machines(
            int count,
            EventQueue queue,
            SimulatedNetwork network,
            SplittableRandom random,
            NodeSettings settings,
            Behavior behavior) {
        this.queue = queue;
        this.network = network;
        this.ring = RINGS.computeIfAbsent(count, Machines::ring);
        this.founders = count;
        this.latest = ring.topology();
        this.random = random;
        this.settings = settings;
        this.behavior = behavior;
        for (Member member : ring.topology().members()) {
            nodes.add(new SimulatedNode(member, ring, this, random.split(), settings, behavior));
        }
    }

    /** Adds a machine with an empty disk, whose option names all machines. */
    SimulatedNode add() {
        Ring all = RINGS.computeIfAbsent(nodes.size() + 1, Machines::ring);
        Member member = Objects.requireNonNull(all.topology().member("n" + (nodes.size() + 1)));
        SimulatedNode added =
                new SimulatedNode(member, all, this, random.split(), settings, behavior);
        nodes.add(added);
        return added;
    }

    /** The option of a node without a topology: it names all machines. */
    Ring option() {
        return RINGS.computeIfAbsent(nodes.size(), Machines::ring);
    }

    private static Ring ring(int count) {
        List<Member> members = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            members.add(new Member("n" + i, URI.create("http://localhost:" + (8080 + i))));
        }
        return new Ring(new Topology(members));
    }

    SimulatedNode node(Member member) {
        return nodes.stream()
                .filter(node -> node.member.name().equals(member.name()))
                .findFirst()
                .orElseThrow();
    }

    /** The machines of the members in the latest epoch. */
    List<SimulatedNode> members() {
        return nodes.stream().filter(node -> latest.member(node.member.name()) != null).toList();
    }

    /** The topology of the latest epoch that a node has used. */
    Topology latest() {
        return latest;
    }

    /** Whether any member refuses another one, for example because their clocks differ too much. */
    boolean anyRefuse() {
        return members().stream().anyMatch(node -> members().stream().anyMatch(node::refuses));
    }

    /** Checks a topology that a node uses now. */
    void uses(SimulatedNode node, Topology topology) {
        String epoch = topology.cluster() + " " + topology.epoch();
        Topology other = topologies.putIfAbsent(epoch, topology);
        if (topology.epoch() > 0 && other != null && !other.equals(topology)) {
            broken(node + " uses " + topology + ", and another node has used " + other);
        }
        latest = topology.epoch() > latest.epoch() ? topology : latest;
    }

    // ---- the log

    void record(String what) {
        events.add(new Event(queue.nanos(), what));
    }

    void broken(String what) {
        record("BROKEN: " + what);
        broken.add(what);
    }

    List<Event> events() {
        return List.copyOf(events);
    }

    List<String> brokenThings() {
        return List.copyOf(broken);
    }
}

package dev.quorate.testkit.simulation;

import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The machines of a cluster, connected with each other; no node runs on them yet.
 *
 * @param selector selects the owners of a key
 */
record Machines(ReplicaSelector selector, List<SimulatedNode> nodes) {

    /** By number of members: rings are the same in all simulations, and slow to build. */
    private static final Map<Integer, ReplicaSelector> SELECTORS = new ConcurrentHashMap<>();

    /** Machines, each with its own random source, drawn from {@code random} in turn. */
    static Machines of(
            int count,
            EventQueue queue,
            SimulatedNetwork network,
            SplittableRandom random,
            EventLog log,
            NodeSettings settings,
            Behavior behavior) {
        ReplicaSelector selector = SELECTORS.computeIfAbsent(count, Machines::selector);
        List<SimulatedNode> nodes = new ArrayList<>();
        for (Member member : selector.ring().topology().members()) {
            SimulatedNode node =
                    new SimulatedNode(
                            member,
                            selector,
                            queue,
                            network,
                            random.split(),
                            log,
                            settings,
                            behavior);
            nodes.add(node);
            network.add(node);
        }
        return new Machines(selector, List.copyOf(nodes));
    }

    private static ReplicaSelector selector(int count) {
        List<Member> members = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            members.add(new Member("n" + i, URI.create("http://localhost:" + (8080 + i))));
        }
        return new ReplicaSelector(new HashRing(new Topology(members)));
    }
}

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
 * @param selector says which of them own a key
 */
record Machines(ReplicaSelector selector, List<SimulatedNode> nodes) {

    /** By how many members there are: rings are the same in all lives, and take long to make. */
    private static final Map<Integer, ReplicaSelector> SELECTORS = new ConcurrentHashMap<>();

    /** So many, each with a source of randomness of its own, drawn from {@code random} in turn. */
    static Machines of(
            int count,
            EventQueue queue,
            SimulatedNetwork network,
            SplittableRandom random,
            Story story,
            NodeSettings settings,
            Sabotage sabotage) {
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
                            story,
                            settings,
                            sabotage);
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

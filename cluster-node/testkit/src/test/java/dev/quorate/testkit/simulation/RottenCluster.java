package dev.quorate.testkit.simulation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.NodeCore;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Three simulated nodes of which parts of the disks rot. */
final class RottenCluster {

    static final long SECOND = 1_000_000_000L;
    static final int KEYS = 60;

    private final SplittableRandom random = new SplittableRandom(5);
    final EventQueue queue = new EventQueue(random.split());
    final Story story = new Story(queue);
    private final SimulatedNetwork network = new SimulatedNetwork(queue, random.split());
    final List<SimulatedNode> nodes = new ArrayList<>();

    RottenCluster(NodeSettings settings) {
        this(settings, Sabotage.NONE);
    }

    RottenCluster(NodeSettings settings, Sabotage sabotage) {
        List<Member> members = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            members.add(new Member("n" + i, URI.create("http://localhost:" + (8080 + i))));
        }
        Topology topology = new Topology(members);
        ReplicaSelector selector = new ReplicaSelector(new HashRing(topology));
        for (Member member : topology.members()) {
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
        nodes.forEach(SimulatedNode::start);
        queue.run(5 * SECOND);
    }

    static byte[] key(int number) {
        return "key%02d".formatted(number).getBytes(US_ASCII);
    }

    static byte[] value(int number) {
        return ("value" + number + " ").repeat(20).getBytes(US_ASCII);
    }

    static NodeCore core(SimulatedNode node) {
        return Objects.requireNonNull(node.serving());
    }

    static KeyValueStore store(SimulatedNode node) {
        return core(node).store();
    }

    void inTurn(SimulatedNode coordinator, Consumer<Integer> each) {
        for (int i = 0; i < KEYS; i++) {
            int number = i;
            coordinator.after(i * SECOND / 20, () -> each.accept(number));
        }
        queue.run(5 * SECOND);
    }

    void writeAll() {
        List<Outcome> outcomes = new ArrayList<>();
        SimulatedNode first = nodes.getFirst();
        inTurn(
                first,
                i ->
                        core(first)
                                .coordinator()
                                .put(
                                        key(i),
                                        value(i),
                                        null,
                                        null,
                                        new QuorumSpec(3, 3),
                                        outcomes::add));
        assertThat(outcomes).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
        nodes.forEach(node -> store(node).flush());
    }

    List<Path> tables(SimulatedNode node) {
        return node.disk().list(SimulatedNode.STORE).stream()
                .filter(name -> name.endsWith(".sst"))
                .sorted()
                .map(SimulatedNode.STORE::resolve)
                .toList();
    }

    /** What each key is on a node, as its own vote would be; -1 for those that it cannot read. */
    static int failing(SimulatedNode node) {
        int failing = 0;
        for (int i = 0; i < KEYS; i++) {
            try {
                Entry entry = ((Lookup.Found) store(node).lookup(key(i))).entry();
                assertThat(entry.value()).isEqualTo(value(i));
            } catch (CorruptionException e) {
                failing++;
            }
        }
        return failing;
    }

    void damageEachTable(SimulatedNode node) {
        node.allowCorruption();
        tables(node).forEach(table -> node.disk().flip(table, 40));
    }
}

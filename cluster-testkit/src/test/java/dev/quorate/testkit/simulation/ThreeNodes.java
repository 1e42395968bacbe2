package dev.quorate.testkit.simulation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.NodeCore;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Three simulated nodes, for tests in which things happen in an order. */
final class ThreeNodes {

    static final long SECOND = 1_000_000_000L;
    static final int KEYS = 60;

    /** Hints for all missed writes, and no anti-entropy. */
    static final NodeSettings HINTS_ALONE =
            new NodeSettings(Duration.ofHours(3), 256 << 10, Duration.ZERO);

    final EventQueue queue;
    final Machines machines;
    final SimulatedNetwork network;
    final List<SimulatedNode> nodes;

    ThreeNodes(NodeSettings settings) {
        this(settings, Sabotage.NONE);
    }

    ThreeNodes(NodeSettings settings, Sabotage sabotage) {
        this(3, settings, sabotage);
    }

    /** Fewer nodes. */
    ThreeNodes(int count, NodeSettings settings, Sabotage sabotage) {
        SplittableRandom random = new SplittableRandom(5);
        queue = new EventQueue(random.split());
        network = new SimulatedNetwork(queue, random.split());
        Behavior behavior = new SabotagedBehavior(sabotage, Long.MAX_VALUE);
        machines = new Machines(count, queue, network, random, settings, behavior);
        nodes = machines.nodes;
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
        writeAllBy(nodes.getFirst(), new QuorumSpec(3, 3));
        nodes.forEach(node -> store(node).flush());
    }

    void writeAllBy(SimulatedNode coordinator, QuorumSpec spec) {
        List<Outcome> outcomes = new ArrayList<>();
        inTurn(
                coordinator,
                i ->
                        core(coordinator)
                                .coordinator()
                                .write(
                                        key(i),
                                        new NewValue(value(i), null, null),
                                        null,
                                        spec,
                                        false,
                                        outcomes::add));
        assertThat(outcomes).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
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

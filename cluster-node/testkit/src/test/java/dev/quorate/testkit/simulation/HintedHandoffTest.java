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
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A replica that was away has, without any read, what was written meanwhile. */
class HintedHandoffTest {

    private static final long SECOND = 1_000_000_000L;
    private static final int KEYS = 50;

    private final SplittableRandom random = new SplittableRandom(5);
    private final EventQueue queue = new EventQueue(random.split());
    private final Story story = new Story(queue);
    private final SimulatedNetwork network = new SimulatedNetwork(queue, random.split());
    private final List<SimulatedNode> nodes = new ArrayList<>();

    HintedHandoffTest() {
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
                            NodeSettings.hintsAlone(), // comparisons would do it too
                            Sabotage.NONE);
            nodes.add(node);
            network.add(node);
        }
        nodes.forEach(SimulatedNode::start);
        queue.run(5 * SECOND);
    }

    private static byte[] key(int number) {
        return ("key" + number).getBytes(US_ASCII);
    }

    private static NodeCore core(SimulatedNode node) {
        return Objects.requireNonNull(node.serving());
    }

    private void writeAllBy(SimulatedNode coordinator) {
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            byte[] key = key(i);
            coordinator.after(
                    i * SECOND / 20,
                    () ->
                            core(coordinator)
                                    .coordinator()
                                    .put(
                                            key,
                                            key,
                                            null,
                                            null,
                                            new QuorumSpec(2, 3),
                                            outcomes::add));
        }
        queue.run(10 * SECOND);
        assertThat(outcomes).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
    }

    private static int held(SimulatedNode node) {
        int held = 0;
        for (int i = 0; i < KEYS; i++) {
            if (core(node).store().lookup(key(i)) instanceof Lookup.Found) {
                held++;
            }
        }
        return held;
    }

    @Test
    void aReplicaThatIsBackGetsWhatItMissed() {
        SimulatedNode away = nodes.get(2);
        away.end(FaultyDisk::afterKill);
        writeAllBy(nodes.get(0));
        away.start();
        queue.run(20 * SECOND);
        assertThat(held(away)).isEqualTo(KEYS);
        assertThat(story.brokenThings()).isEmpty();
    }

    @Test
    void hintsOutliveTheKilledCoordinator() {
        SimulatedNode away = nodes.get(2);
        SimulatedNode coordinator = nodes.get(0);
        away.end(FaultyDisk::afterKill);
        writeAllBy(coordinator);
        coordinator.end(FaultyDisk::afterKill);
        away.start();
        queue.run(5 * SECOND);
        assertThat(held(away)).isZero();
        coordinator.start();
        queue.run(20 * SECOND);
        assertThat(held(away)).isEqualTo(KEYS);
    }
}

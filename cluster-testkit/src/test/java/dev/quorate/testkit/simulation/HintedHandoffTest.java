package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.KEYS;
import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import org.junit.jupiter.api.Test;

/** A replica that was away has, without any read, what was written meanwhile. */
class HintedHandoffTest {

    private static final QuorumSpec MAJORITY = new QuorumSpec(2, 3);

    private final ThreeNodes cluster =
            new ThreeNodes(ThreeNodes.HINTS_ALONE); // comparisons would do it too
    private final SimulatedNode coordinator = cluster.nodes.get(0);
    private final SimulatedNode away = cluster.nodes.get(2);

    private static int held(SimulatedNode node) {
        int held = 0;
        for (int i = 0; i < KEYS; i++) {
            if (store(node).lookup(key(i)) instanceof Lookup.Found) {
                held++;
            }
        }
        return held;
    }

    @Test
    void aReplicaThatIsBackGetsWhatItMissed() {
        away.end(FaultyDisk::afterKill);
        cluster.writeAllBy(coordinator, MAJORITY);
        away.start();
        cluster.queue.run(20 * SECOND);
        assertThat(held(away)).isEqualTo(KEYS);
        assertThat(cluster.machines.brokenThings()).isEmpty();
    }

    @Test
    void hintsOutliveTheKilledCoordinator() {
        away.end(FaultyDisk::afterKill);
        cluster.writeAllBy(coordinator, MAJORITY);
        coordinator.end(FaultyDisk::afterKill);
        away.start();
        cluster.queue.run(5 * SECOND);
        assertThat(held(away)).isZero();
        coordinator.start();
        cluster.queue.run(20 * SECOND);
        assertThat(held(away)).isEqualTo(KEYS);
    }
}

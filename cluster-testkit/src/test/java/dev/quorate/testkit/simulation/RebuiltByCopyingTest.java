package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.KEYS;
import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.simulated.FaultyDisk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A member that lost its disk, and votes as soon as it has copied, hides what was acknowledged: of
 * the members that could give an entry only the first does, and that one may have missed it.
 * Clients and faults at random come upon this mistake in one of hundreds of lives, so here they do
 * not come at random.
 */
class RebuiltByCopyingTest {

    private static final QuorumSpec MAJORITY = new QuorumSpec(2, 3);

    /** How many acknowledged keys a read at a majority does not find. */
    private static long hidden(Sabotage sabotage) {
        ThreeNodes cluster =
                new ThreeNodes(new NodeSettings(Duration.ZERO, 256 << 10, Duration.ZERO), sabotage);
        SimulatedNode behind = cluster.nodes.get(0);
        SimulatedNode empty = cluster.nodes.get(1);
        behind.end(FaultyDisk::afterKill);
        List<Outcome> written = new ArrayList<>();
        cluster.inTurn(
                empty,
                i ->
                        core(empty)
                                .coordinator()
                                .write(
                                        key(i),
                                        new NewValue(value(i), null, null),
                                        null,
                                        MAJORITY,
                                        false,
                                        written::add));
        assertThat(written).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
        behind.start();
        cluster.queue.run(5 * SECOND);
        empty.loseDisk();
        empty.start();
        cluster.queue.run(30 * SECOND);
        assertThat(core(empty).membership().votes()).isTrue();
        List<Outcome> read = new ArrayList<>();
        cluster.inTurn(behind, i -> core(behind).coordinator().read(key(i), MAJORITY, read::add));
        assertThat(read).hasSize(KEYS).noneMatch(Outcome.QuorumFailed.class::isInstance);
        return read.stream().filter(Outcome.Missing.class::isInstance).count();
    }

    @Test
    void whatIsOnlyCopiedIsNotAll() {
        assertThat(hidden(Sabotage.VOTES_AFTER_COPYING)).isPositive();
    }

    @Test
    void whatIsComparedIs() {
        assertThat(hidden(Sabotage.NONE)).isZero();
    }
}

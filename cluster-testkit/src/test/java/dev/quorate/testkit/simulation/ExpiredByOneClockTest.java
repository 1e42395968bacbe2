package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.KEYS;
import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static dev.quorate.testkit.simulation.ThreeNodes.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A replica that drops values when they have expired by its own clock loses those that were
 * acknowledged, if that clock is ahead for a second while a table is written. It takes as many
 * replicas as a read may miss, so that clients and faults at random come upon it in one of hundreds
 * of lives: here each clock is ahead in turn.
 */
class ExpiredByOneClockTest {

    private static final QuorumSpec ALL = new QuorumSpec(3, 3);
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(30);
    private static final Duration AHEAD = Duration.ofHours(1);

    /** How many acknowledged keys, none of which has expired, a read does not find. */
    private static long lost(Sabotage sabotage) {
        ThreeNodes cluster =
                new ThreeNodes(new NodeSettings(Duration.ZERO, 256 << 10, Duration.ZERO), sabotage);
        SimulatedNode coordinator = cluster.nodes.getFirst();
        List<Outcome> written = new ArrayList<>();
        cluster.inTurn(
                coordinator,
                i ->
                        core(coordinator)
                                .coordinator()
                                .write(
                                        key(i),
                                        new NewValue(value(i), TIME_TO_LIVE, null),
                                        null,
                                        ALL,
                                        false,
                                        written::add));
        assertThat(written).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
        for (SimulatedNode node : cluster.nodes) {
            node.setSkewMillis(AHEAD.toMillis());
            store(node).flush();
            cluster.queue.run(SECOND);
            node.setSkewMillis(0);
            cluster.queue.run(5 * SECOND);
        }
        List<Outcome> read = new ArrayList<>();
        cluster.inTurn(
                coordinator, i -> core(coordinator).coordinator().read(key(i), ALL, read::add));
        assertThat(read).hasSize(KEYS);
        return read.stream().filter(Outcome.Missing.class::isInstance).count();
    }

    @Test
    void oneClockIsNotEnough() {
        assertThat(lost(Sabotage.NONE)).isZero();
    }

    @Test
    void withOneClockAcknowledgedValuesAreLost() {
        assertThat(lost(Sabotage.EXPIRES_BY_ITS_OWN_CLOCK)).isPositive();
    }
}

package dev.quorate.router.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.waiting.Positions;
import dev.quorate.router.coordinator.waiting.PrefixWait;
import dev.quorate.router.coordinator.waiting.Wait;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * A wait that ends while it is being registered leaves no registration behind. Each message is
 * answered within the call, so that the wait has ended before the last member is asked.
 */
final class EndedWaitsTest {

    private static final Duration TIME = Duration.ofSeconds(50);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Coordinator coordinator = cluster.nodes.getFirst().coordinator;

    private void requireNoRegistration() {
        for (SimulatedCluster.Node node : cluster.nodes.subList(1, 3)) {
            List<ReplicaRequest.Watch> watches =
                    node.requests.stream()
                            .filter(ReplicaRequest.Watch.class::isInstance)
                            .map(ReplicaRequest.Watch.class::cast)
                            .toList();
            assertThat(watches).isNotEmpty();
            assertThat(watches.getLast().millis()).as("%s: %s", node, watches).isZero();
        }
        assertThat(coordinator.waits().size()).isZero();
    }

    /** Keys differ in the order in which their owners are asked. */
    @Test
    void aWaitThatAMajorityEndsIsForgottenByAll() {
        for (byte key = 0; key < 20; key++) {
            Outcomes outcomes = new Outcomes();
            coordinator
                    .waits()
                    .begin(
                            new Wait.Asked(
                                    new byte[] {key}, new QuorumSpec(2, 3), version -> false, TIME),
                            () -> outcomes,
                            () -> {});
            assertThat(outcomes.isPending()).isFalse();
            requireNoRegistration();
        }
    }

    /** The first member that is asked reports a change at once. */
    @Test
    void aWaitBelowAPrefixThatAChangeEndsIsForgottenByAll() {
        AtomicReference<Positions> positions = new AtomicReference<>();
        byte[] prefix = {'p'};
        coordinator
                .waits()
                .begin(new PrefixWait.Asked(prefix, null, TIME), positions::set, () -> {});
        cluster.nodes.get(1).whenAsked =
                request -> {
                    if (request instanceof ReplicaRequest.Watch watch && watch.millis() > 0) {
                        coordinator.waits().changed(List.of(watch.id()));
                    }
                };
        coordinator
                .waits()
                .begin(
                        new PrefixWait.Asked(prefix, positions.get(), TIME),
                        positions::set,
                        () -> {});
        requireNoRegistration();
    }
}

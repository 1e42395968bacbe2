package dev.quorate.router.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.range.ScanRange;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The trace of a client's request reaches every replica that is asked for it, and no other does.
 */
final class TracedOperationsTest {

    private static final byte[] KEY = {'k'};
    private static final QuorumSpec ALL = new QuorumSpec(3, 3);
    private static final TraceParent TRACE = new TraceParent(1, 2, 3, 1);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Coordinator coordinator = cluster.nodes.getFirst().coordinator;

    private static OutcomeCallback traced(@Nullable TraceParent trace) {
        return new OutcomeCallback() {
            @Override
            public void completed(Outcome outcome) {
                assertThat(outcome).isNotInstanceOf(Outcome.QuorumFailed.class);
            }

            @Override
            public @Nullable TraceParent trace() {
                return trace;
            }
        };
    }

    private void scan(@Nullable TraceParent trace) {
        ScanRange all = new ScanRange(new byte[1], null, KeyOrder.ASCENDING, false);
        try (ScanStream scan = coordinator.scan(all, ALL, ScanScope.CLUSTER, trace)) {
            scan.next(
                    new ScanStream.ScanCallback() {
                        @Override
                        public void entries(List<Entry> entries) {}

                        @Override
                        public void end() {}

                        @Override
                        public void failed(Outcome.QuorumFailed outcome) {
                            throw new AssertionError(outcome);
                        }
                    });
        }
    }

    private void perform(String operation, @Nullable TraceParent trace) {
        switch (operation) {
            case "get" -> coordinator.read(KEY, ALL, traced(trace));
            case "put" ->
                    coordinator.write(
                            KEY, new NewValue(KEY, null, null), null, ALL, false, traced(trace));
            case "delete" -> coordinator.write(KEY, null, null, ALL, false, traced(trace));
            default -> scan(trace);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "put", "delete", "scan"})
    void itReachesAllThatAreAsked(String operation) {
        perform(operation, TRACE);
        perform(operation, null);
        for (SimulatedCluster.Node node : cluster.nodes.subList(1, 3)) {
            assertThat(node.requests).hasSize(2);
            assertThat(node.requests.getFirst())
                    .isInstanceOfSatisfying(
                            ReplicaRequest.Traced.class,
                            request -> assertThat(request.trace()).isEqualTo(TRACE));
            assertThat(node.requests.getLast()).isNotInstanceOf(ReplicaRequest.Traced.class);
        }
    }
}

package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Operations that meet a replica in a later epoch go on in it, without a failure. */
class NextEpochTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final NewValue VALUE = new NewValue("value".getBytes(US_ASCII), null, null);

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.getFirst();
    private final Topology first = cluster.topology.in(new UUID(1, 2));
    private final Topology second =
            first.next(
                    first.members().stream()
                            .map(each -> each.at(URI.create("http://" + each.name() + ":9")))
                            .toList());

    private void install(Topology topology, Node... nodes) {
        for (Node each : nodes) {
            each.live.install(topology);
        }
    }

    /** The outcome of an operation of n1, whose node learns of the second epoch after 20 ms. */
    private Outcome acrossEpochs(Consumer<Outcomes> operation) {
        install(first, cluster.nodes.toArray(Node[]::new));
        install(second, cluster.nodes.get(1), cluster.nodes.get(2));
        Outcomes outcomes = new Outcomes();
        operation.accept(outcomes);
        cluster.time.advanceMillis(20);
        assertThat(outcomes.isPending()).isTrue();
        install(second, n1);
        for (int i = 0; i < 1_000 && outcomes.isPending(); i++) {
            cluster.time.advanceMillis(1);
        }
        return outcomes.only();
    }

    private void holdAtAll() {
        Timestamp timestamp = Objects.requireNonNull(n1.clock.next());
        Entry entry = Entry.value(KEY, timestamp, "held".getBytes(US_ASCII), 0);
        cluster.nodes.forEach(node -> node.hold(entry));
    }

    @Test
    void aReadIsRepeated() {
        holdAtAll();
        assertThat(acrossEpochs(to -> n1.coordinator.read(KEY, TWO_OF_THREE, to)))
                .isInstanceOf(Outcome.Found.class);
    }

    /** Under its timestamp: a replica may have stored it before it refused. */
    @Test
    void aWriteIsRepeatedAsItWas() {
        Outcome outcome =
                acrossEpochs(to -> n1.coordinator.write(KEY, VALUE, null, TWO_OF_THREE, false, to));
        Timestamp written = ((Outcome.Written) outcome).timestamp();
        for (Node node : cluster.nodes) {
            assertThat(Objects.requireNonNull(node.held(KEY)).timestamp()).isEqualTo(written);
        }
    }

    @Test
    void aLinearizableWriteIsRepeated() {
        assertThat(
                        acrossEpochs(
                                to ->
                                        n1.coordinator.write(
                                                KEY, VALUE, null, TWO_OF_THREE, true, to)))
                .isInstanceOf(Outcome.Written.class);
    }

    @Test
    void aConditionalWriteAsksTheOwnersOfTheNextEpoch() {
        assertThat(
                        acrossEpochs(
                                to ->
                                        n1.coordinator.writeIf(
                                                KEY,
                                                VALUE,
                                                Condition.Absent.ABSENT,
                                                null,
                                                TWO_OF_THREE,
                                                to)))
                .isInstanceOf(Outcome.Written.class);
    }

    @Test
    void aRangeContinuesBehindItsLastKey() {
        for (int i = 0; i < 50; i++) {
            byte[] key = "key%02d".formatted(i).getBytes(US_ASCII);
            Timestamp timestamp = Objects.requireNonNull(n1.clock.next());
            Entry entry = Entry.value(key, timestamp, new byte[200_000], 0);
            cluster.nodes.forEach(node -> node.hold(entry));
        }
        install(first, cluster.nodes.toArray(Node[]::new));
        ScanStream range = n1.coordinator.scan(new byte[0], null, TWO_OF_THREE, ScanScope.CLUSTER);
        List<String> keys = new ArrayList<>();
        Reader reader = new Reader(keys);
        range.next(reader);
        assertThat(keys).hasSizeBetween(1, 49);
        install(second, cluster.nodes.get(1), cluster.nodes.get(2));
        for (int i = 0; i < 100 && !reader.hasEnded; i++) {
            range.next(reader);
            cluster.time.advanceMillis(20);
            install(second, n1);
            cluster.time.advanceMillis(20);
        }
        assertThat(reader.failure).isNull();
        assertThat(keys).hasSize(50).isSorted().doesNotHaveDuplicates();
    }

    private static final class Reader implements ScanStream.ScanCallback {
        private final List<String> keys;
        private boolean hasEnded;
        private @Nullable Outcome failure;

        Reader(List<String> keys) {
            this.keys = keys;
        }

        @Override
        public void entries(List<Entry> entries) {
            entries.forEach(each -> keys.add(new String(each.key(), US_ASCII)));
        }

        @Override
        public void end() {
            hasEnded = true;
        }

        @Override
        public void failed(Outcome.QuorumFailed outcome) {
            failure = outcome;
            hasEnded = true;
        }
    }

    /** The next epoch does not come: the client is told at the deadline. */
    @Test
    void withoutTheNextEpochItFailsAtItsDeadline() {
        install(first, cluster.nodes.toArray(Node[]::new));
        install(second, cluster.nodes.get(1), cluster.nodes.get(2));
        Outcomes outcomes = new Outcomes();
        n1.coordinator.read(KEY, TWO_OF_THREE, outcomes);
        cluster.time.advanceMillis(1_900);
        assertThat(outcomes.isPending()).isTrue();
        cluster.time.advanceMillis(200);
        assertThat(((Outcome.QuorumFailed) outcomes.only()).failures())
                .extracting(Outcome.ReplicaFailure::reason)
                .containsOnly(Failure.STALE);
    }
}

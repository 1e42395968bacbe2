package dev.quorate.node.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.coordinator.SimulatedCluster.Condition;
import dev.quorate.node.coordinator.SimulatedCluster.Node;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A node that is asked for more than there is time or room for. */
final class CrowdedNodeTest {

    private static final QuorumSpec ALL = new QuorumSpec(3, 3);
    private static final int VALUE_BYTES = 1 << 20;

    private final SimulatedCluster cluster = new SimulatedCluster(3);
    private final Node n1 = cluster.nodes.getFirst();
    private final List<Outcome> outcomes = new ArrayList<>();

    private static byte[] key(int number) {
        return ("k" + number).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void writesThatPileUpAreRefusedAndReadsGoOn() {
        cluster.nodes.getLast().condition = Condition.DEAF;
        for (int tick = 0; tick < 2 * Admission.TICKS; tick++) {
            for (int i = 0; i < 20; i++) {
                n1.coordinator.put(key(i), new byte[1], null, ALL, outcomes::add);
            }
            n1.coordinator.tick();
            cluster.time.advance(Admission.TICK);
        }
        assertThat(outcomes).as("refused").hasSizeGreaterThan(100);
        assertThat(outcomes).allMatch(outcome -> outcome instanceof Outcome.Refused);
        assertThat(n1.coordinator.refusesNow(true)).isTrue();
        assertThat(n1.coordinator.refusesNow(false)).isFalse();
        List<Outcome> reads = new ArrayList<>();
        n1.coordinator.read(key(1), new QuorumSpec(2, 3), reads::add);
        cluster.time.advanceMillis(100);
        assertThat(reads).hasSize(1).allMatch(outcome -> !(outcome instanceof Outcome.Refused));

        cluster.nodes.getLast().condition = Condition.UP;
        cluster.time.advanceMillis(5_000);
        n1.coordinator.tick();
        assertThat(n1.coordinator.refusesNow(true)).as("it is over").isFalse();
        assertThat(n1.coordinator.statistics().outstanding()).isZero();
    }

    @Test
    void pagesOfLargeValuesAreReservedAndReleased() {
        hold();
        ScanStream scan = scan();
        Taken taken = new Taken();
        scan.next(taken);
        assertThat(taken.entries).hasSize(1);
        assertThat(taken.heldBytes).isEqualTo(3L * VALUE_BYTES);
        assertThat(cluster.largeValues.usedBytes()).as("handed over").isZero();
        scan.next(taken);
        scan.next(taken);
        assertThat(taken.entries).hasSize(3);
        assertThat(taken.heldBytes).isEqualTo(3L * VALUE_BYTES);
        scan.close();
        assertThat(cluster.largeValues.usedBytes()).isZero();
    }

    @Test
    void withoutRoomForItsPagesARangeIsRefused() {
        hold();
        long rest = (1L << 30) - 2 * VALUE_BYTES + 1;
        assertThat(cluster.largeValues.tryReserve(rest)).isTrue();
        Taken taken = new Taken();
        ScanStream scan = scan();
        scan.next(taken);
        assertThat(taken.entries).isEmpty();
        assertThat(taken.failures).containsOnly(Failure.OVERLOADED);
        scan.close();
        assertThat(cluster.largeValues.usedBytes()).isEqualTo(rest);
        cluster.largeValues.release(rest);
        Taken again = new Taken();
        scan().next(again);
        assertThat(again.entries).hasSize(1);
    }

    @Test
    void aReadForWhoseValueThereIsNoRoomIsRefusedWithoutAskingOthers() {
        hold();
        long rest = (1L << 30) - VALUE_BYTES + 1;
        assertThat(cluster.largeValues.tryReserve(rest)).isTrue();
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome instanceof Outcome.Refused);
        assertThat(cluster.nodes).as("the same would come from them").allMatch(this::isUnasked);
        assertThat(cluster.largeValues.usedBytes()).isEqualTo(rest);
        cluster.largeValues.release(rest);
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        assertThat(outcomes.getLast()).isInstanceOf(Outcome.Found.class);
        assertThat(n1.coordinator.statistics().outstanding()).isZero();
    }

    private boolean isUnasked(Node node) {
        return node.timesAsked == 0;
    }

    private ScanStream scan() {
        return n1.coordinator.scan(key(0), null, new QuorumSpec(2, 3), ScanScope.CLUSTER);
    }

    private void hold() {
        for (int i = 0; i < 3; i++) {
            Timestamp timestamp = Objects.requireNonNull(n1.clock.next());
            Entry entry = Entry.value(key(i), timestamp, new byte[VALUE_BYTES], 3);
            for (Node node : cluster.nodes) {
                node.hold(entry);
            }
        }
    }

    private final class Taken implements ScanStream.ScanCallback {
        private final List<Entry> entries = new ArrayList<>();
        private final List<Failure> failures = new ArrayList<>();
        private long heldBytes;

        @Override
        public void entries(List<Entry> batch) {
            heldBytes = cluster.largeValues.usedBytes();
            entries.addAll(batch);
        }

        @Override
        public void end() {
            throw new AssertionError("there is more");
        }

        @Override
        public void failed(Outcome.QuorumFailed failed) {
            failed.failures().forEach(failure -> failures.add(failure.reason()));
        }
    }
}

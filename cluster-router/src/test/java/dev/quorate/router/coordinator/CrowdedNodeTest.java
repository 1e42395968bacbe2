package dev.quorate.router.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.admission.Admission;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.HeapFootprint;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
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
                n1.coordinator.write(
                        key(i),
                        new NewValue(new byte[1], null, null),
                        null,
                        ALL,
                        false,
                        outcomes::add);
            }
            n1.coordinator.tick();
            cluster.time.advance(Admission.TICK);
        }
        assertThat(outcomes).as("refused").hasSizeGreaterThan(100);
        assertThat(outcomes).allMatch(outcome -> outcome instanceof Outcome.Refused);
        assertThat(n1.coordinator.refusesNow(true)).isTrue();
        assertThat(n1.coordinator.refusesNow(false)).isFalse();
        List<String> begun = new ArrayList<>();
        n1.coordinator.whenRoom(true, () -> begun.add("write"));
        n1.coordinator.whenRoom(false, () -> begun.add("read"));
        n1.coordinator.tick();
        assertThat(begun).containsExactly("read");
        List<Outcome> reads = new ArrayList<>();
        n1.coordinator.read(key(1), new QuorumSpec(2, 3), reads::add);
        cluster.time.advanceMillis(100);
        assertThat(reads).hasSize(1).allMatch(outcome -> !(outcome instanceof Outcome.Refused));

        cluster.nodes.getLast().condition = Condition.UP;
        cluster.time.advanceMillis(5_000);
        n1.coordinator.tick();
        assertThat(n1.coordinator.refusesNow(true)).as("it is over").isFalse();
        assertThat(begun).containsExactly("read", "write");
        assertThat(n1.coordinator.figures().count("http_requests_in_flight")).isZero();
    }

    @Test
    void readsThatPileUpKeepRenewalsOut() {
        cluster.nodes.getLast().condition = Condition.DEAF;
        for (int tick = 0; tick < 2 * Admission.TICKS; tick++) {
            for (int i = 0; i < 20; i++) {
                n1.coordinator.read(key(i), ALL, outcomes::add);
            }
            n1.coordinator.tick();
            cluster.time.advance(Admission.TICK);
        }
        assertThat(n1.coordinator.refusesNow(false)).isTrue();
        assertThat(n1.coordinator.refusesNow(true)).isFalse();
        List<Outcome> renewals = new ArrayList<>();
        n1.coordinator.renew(key(1), null, null, new QuorumSpec(2, 3), renewals::add);
        assertThat(renewals).singleElement().isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void theRoomOfALongValueIsFreeForTheAnswer() {
        hold();
        ScanStream scan = scan();
        Taken taken = new Taken();
        scan.next(taken);
        assertThat(taken.entries).hasSize(1);
        assertThat(taken.heldBytes).isZero();
        assertThat(cluster.largeValues.usedBytes()).as("handed over").isZero();
        scan.next(taken);
        scan.next(taken);
        assertThat(taken.entries).hasSize(3);
        assertThat(taken.heldBytes).isZero();
        scan.close();
        assertThat(cluster.largeValues.usedBytes()).isZero();
    }

    @Test
    void aRangeWaitsForRoomForALongValue() {
        hold();
        long rest = (1L << 30) - 2 * VALUE_BYTES + 1;
        assertThat(cluster.largeValues.tryReserve(rest)).isTrue();
        Taken taken = new Taken();
        ScanStream scan = scan();
        scan.next(taken);
        cluster.time.advanceMillis(900);
        assertThat(taken.entries).isEmpty();
        assertThat(taken.failures).isEmpty();
        cluster.time.advanceMillis(5_000);
        assertThat(taken.failures).containsOnly(Failure.OVERLOADED);
        scan.close();
        assertThat(cluster.largeValues.usedBytes()).isEqualTo(rest);
        Taken again = new Taken();
        scan().next(again);
        assertThat(again.entries).isEmpty();
        cluster.largeValues.release(rest);
        assertThat(again.entries).hasSize(1);
    }

    @Test
    void aReadForWhoseValueThereIsNoRoomIsRefusedAtItsDeadlineWithoutAskingOthers() {
        hold();
        long rest = (1L << 30) - VALUE_BYTES + 1;
        assertThat(cluster.largeValues.tryReserve(rest)).isTrue();
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        cluster.time.advanceMillis(900);
        assertThat(outcomes).as("it waits").isEmpty();
        cluster.time.advanceMillis(5_000);
        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome instanceof Outcome.Refused);
        assertThat(cluster.nodes).as("the same would come from them").allMatch(this::isUnasked);
        assertThat(cluster.largeValues.usedBytes()).isEqualTo(rest);
        cluster.largeValues.release(rest);
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        assertThat(outcomes.getLast()).isInstanceOf(Outcome.Found.class);
        assertThat(n1.coordinator.figures().count("http_requests_in_flight")).isZero();
    }

    /** Answers that clients do not read have all the room of large values. */
    @Test
    void largeValuesDoNotExcludeSmallOnes() {
        assertThat(cluster.largeValues.tryReserve(cluster.largeValues.limitBytes())).isTrue();
        n1.coordinator.write(
                key(1), new NewValue(new byte[1_000], null, null), null, ALL, false, outcomes::add);
        n1.coordinator.read(key(1), new QuorumSpec(2, 3), outcomes::add);
        assertThat(outcomes).hasSize(2);
        assertThat(outcomes.getLast()).isInstanceOf(Outcome.Found.class);
    }

    @Test
    void aReadThatWaitsForRoomReadsItsValueWhenThereIsSome() {
        hold();
        long rest = (1L << 30) - VALUE_BYTES + 1;
        assertThat(cluster.largeValues.tryReserve(rest)).isTrue();
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        n1.coordinator.read(key(1), new QuorumSpec(2, 3), outcomes::add);
        cluster.time.advanceMillis(500);
        assertThat(outcomes).isEmpty();
        assertThat(cluster.largeValues.usedBytes()).as("who waits has none").isEqualTo(rest);
        cluster.largeValues.release(rest);
        assertThat(outcomes).hasSize(2).allMatch(outcome -> outcome instanceof Outcome.Found);
        assertThat(cluster.largeValues.usedBytes()).isZero();
        cluster.time.advanceMillis(2_000);
        assertThat(outcomes).hasSize(2);
        assertThat(n1.coordinator.figures().count("http_requests_in_flight")).isZero();
    }

    /** With room for one value the read would otherwise repeat itself until its deadline. */
    @Test
    void aReadReplacesAnOlderLargeValueInItsRoom() {
        hold();
        Timestamp later = Objects.requireNonNull(n1.clock.next());
        Entry newer = Entry.value(key(0), later, new byte[VALUE_BYTES], 3);
        SimulatedCluster.hold(newer, cluster.nodes.get(1), cluster.nodes.get(2));
        long rest = (1L << 30) - HeapFootprint.ofArray(VALUE_BYTES);
        assertThat(cluster.largeValues.tryReserve(rest)).isTrue();
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        assertThat(outcomes)
                .hasSize(1)
                .allMatch(
                        outcome ->
                                outcome instanceof Outcome.Found found
                                        && found.entry().equals(newer));
        assertThat(cluster.largeValues.usedBytes()).isEqualTo(rest);
        assertThat(n1.held(key(0))).as("repaired").isEqualTo(newer);
    }

    /** The older, smaller value is read first, with the room that was granted for the newer one. */
    @Test
    void aReadThatWaitedReplacesAnOlderSmallerValueInItsRoom() {
        hold();
        Timestamp later = Objects.requireNonNull(n1.clock.next());
        Entry newer = Entry.value(key(0), later, new byte[3 * VALUE_BYTES], 3);
        SimulatedCluster.hold(newer, cluster.nodes.get(1), cluster.nodes.get(2));
        long rest = (1L << 30) - HeapFootprint.ofArray(3 * VALUE_BYTES);
        assertThat(cluster.largeValues.tryReserve(rest)).isTrue();
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome instanceof Outcome.Found);
        assertThat(cluster.largeValues.usedBytes()).isEqualTo(rest);
    }

    @Test
    void aSmallValueIsReadWhileLargeOnesWait() {
        hold();
        Timestamp timestamp = Objects.requireNonNull(n1.clock.next());
        for (Node node : cluster.nodes) {
            node.hold(Entry.value(key(9), timestamp, new byte[1_000], 3));
        }
        assertThat(cluster.largeValues.tryReserve((1L << 30) - VALUE_BYTES + 1)).isTrue();
        n1.coordinator.read(key(0), new QuorumSpec(2, 3), outcomes::add);
        n1.coordinator.read(key(9), new QuorumSpec(2, 3), outcomes::add);
        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome instanceof Outcome.Found);
    }

    @Test
    void theRoomOfAFoundValueIsHandedToTheAnswer() {
        hold();
        List<HeldRoom> rooms = new ArrayList<>();
        n1.coordinator.read(
                key(0),
                new QuorumSpec(2, 3),
                new OutcomeCallback() {
                    @Override
                    public void acceptRoom(HeldRoom room) {
                        rooms.add(room);
                    }

                    @Override
                    public void completed(Outcome outcome) {
                        outcomes.add(outcome);
                    }
                });
        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome instanceof Outcome.Found);
        assertThat(cluster.largeValues.usedBytes()).isGreaterThanOrEqualTo(VALUE_BYTES);
        rooms.getFirst().release();
        rooms.getFirst().release();
        assertThat(cluster.largeValues.usedBytes()).isZero();
    }

    @Test
    void aValueIsKeptUntilTheLastReplicaHasAnswered() {
        AtomicInteger released = new AtomicInteger();
        cluster.nodes.getLast().condition = Condition.DEAF;
        n1.coordinator.write(
                key(0),
                new NewValue(new byte[VALUE_BYTES], null, null),
                null,
                new QuorumSpec(2, 3),
                false,
                kept(released));
        cluster.time.advanceMillis(500);
        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome instanceof Outcome.Written);
        assertThat(released).as("one replica has not answered").hasValue(0);
        cluster.time.advanceMillis(5_000);
        assertThat(released).hasValue(1);
    }

    @Test
    void aValueIsReleasedOnceAfterEveryKindOfOutcome() {
        AtomicInteger released = new AtomicInteger();
        n1.coordinator.write(
                key(0),
                new NewValue(new byte[VALUE_BYTES], null, null),
                null,
                ALL,
                false,
                kept(released));
        assertThat(released).hasValue(1);
        cluster.nodes.forEach(node -> node.condition = Condition.DEAF);
        n1.coordinator.write(
                key(0),
                new NewValue(new byte[VALUE_BYTES], null, null),
                null,
                ALL,
                false,
                kept(released));
        cluster.time.advanceMillis(6_000);
        assertThat(outcomes).hasSize(2);
        assertThat(released).hasValue(2);
        n1.coordinator.drain();
        n1.coordinator.write(
                key(0),
                new NewValue(new byte[VALUE_BYTES], null, null),
                null,
                ALL,
                false,
                kept(released));
        assertThat(outcomes).hasSize(3);
        assertThat(released).as("no replica was asked").hasValue(2);
    }

    private OutcomeCallback kept(AtomicInteger released) {
        return new OutcomeCallback() {
            @Override
            public Runnable retainValue() {
                return released::incrementAndGet;
            }

            @Override
            public void completed(Outcome outcome) {
                outcomes.add(outcome);
            }
        };
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

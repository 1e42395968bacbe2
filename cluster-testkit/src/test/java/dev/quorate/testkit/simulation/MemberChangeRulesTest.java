package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.storage.Entry;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * One test for each rule about changes of members whose breach random simulations do not notice
 * (docs/testing.md).
 */
class MemberChangeRulesTest extends ChangingMembers {

    private static final byte[] NEW_VALUE = "new".getBytes(US_ASCII);

    private void cut(SimulatedNode one, SimulatedNode other) {
        three.network.cut(one, other);
        three.network.cut(other, one);
    }

    private List<Outcome> write(SimulatedNode by, byte[] key, byte[] value) {
        List<Outcome> outcomes = new ArrayList<>();
        core(by).coordinator()
                .write(
                        key,
                        new NewValue(value, null, null),
                        null,
                        TWO_OF_THREE,
                        false,
                        outcomes::add);
        return outcomes;
    }

    /** Only members that leave have the values that must move. */
    @Test
    void aChangeWaitsForTheComparisonWithMembersThatLeave() {
        cut(n1, n2);
        cut(n1, n3);
        three.writeAllBy(n2, TWO_OF_THREE);
        three.network.heal();
        SimulatedNode n4 = three.machines.add();
        SimulatedNode n5 = three.machines.add();
        for (SimulatedNode joiner : List.of(n4, n5)) {
            joiner.start();
            cut(joiner, n2);
            cut(joiner, n3);
        }
        three.queue.run(SECOND);
        change(n1, Map.of("n4", n4.member.url(), "n5", n5.member.url()), Set.of("n2", "n3"));
        three.queue.run(30 * SECOND);
        assertThat(topology(n4).isJoint()).as("%s in %s", n4, topology(n4)).isTrue();
        three.network.heal();
        three.queue.run(60 * SECOND);
        assertStable(3, n1, n4, n5);
        assertOwned(n1, n4, n5);
        assertReadable(n4);
    }

    /** Members that have not learnt of the end of a change ask the new owners, too. */
    @Test
    void aReadInAJointEpochAsksTheNewOwners() {
        three.writeAll();
        SimulatedNode n4 = three.machines.add();
        n4.start();
        three.queue.run(SECOND);
        change(n1, Map.of("n4", n4.member.url()), Set.of("n2"));
        while (topology(n1).epoch() < 3 && topology(n3).epoch() < 3) {
            three.queue.run(SECOND / 5_000_000);
        }
        SimulatedNode first = topology(n1).epoch() == 3 ? n1 : n3;
        List<SimulatedNode> behind = List.of(n2, first.equals(n1) ? n3 : n1);
        for (SimulatedNode each : behind) {
            each.end(FaultyDisk::afterKill);
            cut(each, first);
            cut(each, n4);
        }
        three.queue.run(SECOND);
        List<Outcome> written = write(first, ThreeNodes.key(0), NEW_VALUE);
        three.queue.run(2 * SECOND);
        assertThat(written).singleElement().isInstanceOf(Outcome.Written.class);
        behind.forEach(SimulatedNode::start);
        while (!behind.stream().allMatch(each -> each.isKnownTo(behind))) {
            three.queue.run(SECOND / 1_000);
        }
        // A moment later they complete the change.
        assertThat(behind).allMatch(each -> topology(each).epoch() == 2);
        List<Outcome> read = new ArrayList<>();
        core(n2).coordinator().read(ThreeNodes.key(0), TWO_OF_THREE, read::add);
        three.queue.run(2 * SECOND);
        assertThat(read).singleElement().isNotInstanceOf(Outcome.Found.class);
    }

    /** Three of five nodes are no majority if two of them join. */
    @Test
    void membersThatJoinDoNotDecideAboutTheirChange() {
        three.writeAll();
        SimulatedNode n4 = three.machines.add();
        SimulatedNode n5 = three.machines.add();
        n4.start();
        n5.start();
        three.queue.run(SECOND);
        n3.end(FaultyDisk::afterKill);
        change(n1, Map.of("n4", n4.member.url(), "n5", n5.member.url()), Set.of());
        three.queue.run(10 * SECOND);
        for (SimulatedNode each : List.of(n1, n2, n4, n5)) {
            assertThat(topology(each).epoch()).isEqualTo(2);
            assertThat(core(each).membership().votes()).isTrue();
        }
        n2.end(FaultyDisk::afterKill);
        results.clear();
        propose(n1, topology(n1).cancelled());
        three.queue.run(10 * SECOND);
        assertThat(results).singleElement().isInstanceOf(Epochs.Result.Undecided.class);
        assertThat(topology(n1).epoch()).isEqualTo(2);
    }

    /** The directory of a member that has not learnt of its removal is not one of its successor. */
    @Test
    void aMemberThatReturnsUnderItsNameIsAnotherOne() {
        three.writeAll();
        SimulatedNode n4 = join();
        three.queue.run(60 * SECOND);
        n4.end(FaultyDisk::afterKill);
        propose(
                n1,
                ChangeRule.withMembers(
                        topology(n1), Map.of(), Set.of(), Set.of("n4"), Map.of(), 0));
        three.queue.run(60 * SECOND);
        assertStable(5, n1, n2, n3);
        change(n1, Map.of("n4", n4.member.url()), Set.of());
        three.queue.run(SECOND);
        assertThat(topology(n1).epoch()).isEqualTo(6);
        n4.start();
        three.queue.run(30 * SECOND);
        assertThat(core(n4).membership().votes()).isFalse();
        assertThat(topology(n1).isJoint()).isTrue();
        n4.renew();
        n4.start();
        three.queue.run(60 * SECOND);
        assertStable(7, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
    }

    /** Keys get new values after the range has begun, by members that have joined since. */
    @Test
    void aRangeContinuesWithTheOwnersOfTheNewEpoch() {
        List<byte[]> keys = new ArrayList<>();
        byte[] large = new byte[60 << 10];
        for (int i = 0; i < 20; i++) {
            keys.add("large%02d".formatted(i).getBytes(US_ASCII));
            List<Outcome> outcomes = write(n1, keys.getLast(), large);
            three.queue.run(SECOND);
            assertThat(outcomes).singleElement().isInstanceOf(Outcome.Written.class);
        }
        Reader reader =
                new Reader(
                        core(n1).coordinator()
                                .scan(
                                        "l".getBytes(US_ASCII),
                                        null,
                                        TWO_OF_THREE,
                                        ScanScope.CLUSTER));
        reader.stream.next(reader);
        three.queue.run(SECOND);
        assertThat(reader.found).isNotEmpty().hasSizeLessThan(keys.size() / 2);
        SimulatedNode n4 = three.machines.add();
        SimulatedNode n5 = three.machines.add();
        n4.start();
        n5.start();
        three.queue.run(SECOND);
        change(n1, Map.of("n4", n4.member.url(), "n5", n5.member.url()), Set.of("n2", "n3"));
        three.queue.run(60 * SECOND);
        assertStable(3, n1, n4, n5);
        cut(n1, n4);
        cut(n1, n5);
        List<byte[]> last = keys.subList(keys.size() / 2, keys.size());
        for (byte[] key : last) {
            List<Outcome> outcomes = write(n4, key, NEW_VALUE);
            three.queue.run(SECOND / 50);
            assertThat(outcomes).singleElement().isInstanceOf(Outcome.Written.class);
        }
        three.network.heal();
        reader.isPaused = false;
        reader.stream.next(reader);
        three.queue.run(SECOND);
        assertThat(reader.hasEnded).isTrue();
        assertThat(reader.found).hasSize(keys.size());
        for (byte[] key : last) {
            assertThat(reader.found.get(new String(key, US_ASCII))).isEqualTo(NEW_VALUE);
        }
    }

    /** Reads the first page of a range, and the others later. */
    private static final class Reader implements ScanStream.ScanCallback {

        private final ScanStream stream;
        private final Map<String, byte[]> found = new HashMap<>();
        private boolean isPaused = true;
        private boolean hasEnded;

        Reader(ScanStream stream) {
            this.stream = stream;
        }

        @Override
        public void entries(List<Entry> entries) {
            entries.forEach(each -> found.put(new String(each.key(), US_ASCII), each.value()));
            if (!isPaused) {
                stream.next(this);
            }
        }

        @Override
        public void end() {
            hasEnded = true;
            stream.close();
        }

        @Override
        public void failed(Outcome.QuorumFailed outcome) {
            throw new AssertionError(outcome);
        }
    }

    /** The other members may have dropped tombstones below it. */
    @Test
    void aMemberJoinsWithTheWatermarkOfTheOthers() {
        three.writeAll();
        three.queue.run(100 * SECOND);
        long watermark = core(n1).membership().gcWatermarkMillis();
        assertThat(watermark).isPositive();
        SimulatedNode n4 = join();
        while (topology(n4).epoch() < 3) {
            three.queue.run(SECOND / 100);
        }
        assertThat(core(n4).membership().gcWatermarkMillis()).isGreaterThanOrEqualTo(watermark);
    }
}

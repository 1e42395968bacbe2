package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.KEYS;
import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.failing;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cluster's id: who may choose it, who learns it, and what another id keeps apart. */
class FoundingTest {

    private static final long LONG = 120 * SECOND;

    private final ThreeNodes three = new ThreeNodes(ThreeNodes.HINTS_ALONE);
    private final SimulatedNode n1 = three.nodes.get(0);
    private final SimulatedNode n2 = three.nodes.get(1);
    private final SimulatedNode n3 = three.nodes.get(2);

    private Set<UUID> ids() {
        Set<UUID> ids = new HashSet<>();
        for (SimulatedNode each : three.nodes) {
            ids.add(core(each).membership().cluster());
        }
        return ids;
    }

    private static FaultyDisk withoutPower(FaultyDisk disk) {
        return disk.afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(7));
    }

    private static boolean votes(SimulatedNode node) {
        return core(node).membership().votes();
    }

    private static PeerHealth sight(SimulatedNode from, SimulatedNode of) {
        return core(from).transport().health().stream()
                .filter(each -> each.member().equals(of.member.name()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void allMembersHaveOneIdAndKeepIt() {
        Set<UUID> before = ids();
        assertThat(before).hasSize(1).doesNotContainNull();
        for (SimulatedNode each : three.nodes) {
            each.end(FoundingTest::withoutPower);
        }
        three.nodes.forEach(SimulatedNode::start);
        three.queue.run(5 * SECOND);
        assertThat(ids()).isEqualTo(before);
        assertThat(three.nodes).allMatch(FoundingTest::votes);
    }

    @Test
    void aMemberThatLostItsDiskLearnsTheId() {
        Set<UUID> before = ids();
        three.writeAll();
        n1.loseDisk();
        n1.start();
        three.queue.run(LONG);
        assertThat(ids()).isEqualTo(before);
        assertThat(votes(n1)).isTrue();
        assertThat(failing(n1)).isZero();
    }

    /** The data is on n2, which is down: the two others cannot know that the cluster is new. */
    private void leaveOnlyTheDataOfN2() {
        three.writeAll();
        n2.end(FaultyDisk::afterKill);
        n1.loseDisk();
        n3.loseDisk();
    }

    @Test
    void twoEmptyMembersWaitForTheThird() {
        UUID before = core(n2).membership().cluster();
        leaveOnlyTheDataOfN2();
        n1.start();
        n3.start();
        three.queue.run(LONG);
        for (SimulatedNode each : new SimulatedNode[] {n1, n3}) {
            assertThat(votes(each)).isFalse();
            assertThat(core(each).membership().progress())
                    .isEqualTo("its directory is new, and it has not heard from n2 yet");
        }
        n2.start();
        three.queue.run(LONG);
        assertThat(ids()).containsExactly(before);
        assertThat(failing(n1)).isZero();
    }

    @Test
    void twoFoundAnotherClusterIfTheOperatorSaysSoWhichRefusesTheThird() {
        UUID before = core(n2).membership().cluster();
        leaveOnlyTheDataOfN2();
        n1.foundNew();
        n3.foundNew();
        n1.start();
        n3.start();
        three.queue.run(LONG);
        UUID another = core(n1).membership().cluster();
        assertThat(another)
                .isNotNull()
                .isNotEqualTo(before)
                .isEqualTo(core(n3).membership().cluster());
        assertThat(votes(n1)).isTrue();
        assertThat(votes(n3)).isTrue();

        n2.start();
        three.queue.run(LONG);
        assertThat(core(n2).membership().cluster()).isEqualTo(before);
        assertThat(failing(n2)).as("keys that n2 lost").isZero();
        assertThat(sight(n1, n2).standing()).isEqualTo(PeerStanding.REFUSED);
        assertThat(sight(n1, n2).lastError())
                .isEqualTo(
                        "This node belongs to cluster %s, and that one to cluster %s."
                                .formatted(another, before));
        assertThat(sight(n2, n1).standing()).isEqualTo(PeerStanding.REFUSED);
        three.writeAllBy(n1, new QuorumSpec(2, 3));
        for (int i = 0; i < KEYS; i++) {
            assertThat(store(n3).lookup(key(i))).isInstanceOf(Lookup.Found.class);
        }
    }

    /** The operator has told only one of them, so there is no majority. */
    @Test
    void oneMemberWithTheFlagFoundsNoCluster() {
        UUID before = core(n2).membership().cluster();
        leaveOnlyTheDataOfN2();
        n1.foundNew();
        n1.start();
        n3.start();
        three.queue.run(LONG);
        assertThat(votes(n1)).isFalse();
        assertThat(votes(n3)).isFalse();
        n2.start();
        three.queue.run(LONG);
        assertThat(ids()).containsExactly(before);
    }

    /** The flag is given although others have data: they are asked first. */
    @Test
    void aMemberThatFindsAClusterJoinsItWhateverTheOperatorSays() {
        Set<UUID> before = ids();
        three.writeAll();
        n1.loseDisk();
        n1.foundNew();
        n1.start();
        three.queue.run(LONG);
        assertThat(ids()).isEqualTo(before);
        assertThat(votes(n1)).isTrue();
        assertThat(failing(n1)).isZero();
    }

    /** One of the founders fails at each of its steps on the disk, with power or without. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thereIsOneIdWhereverAFounderFails(boolean withPower) {
        UnaryOperator<FaultyDisk> afterwards =
                withPower ? FaultyDisk::afterKill : FoundingTest::withoutPower;
        three.nodes.forEach(SimulatedNode::loseDisk);
        three.nodes.forEach(SimulatedNode::start);
        three.queue.run(SECOND);
        long steps = n2.disk().steps();
        assertThat(votes(n2)).isTrue();
        for (int step = 1; step <= steps; step++) {
            three.nodes.forEach(SimulatedNode::loseDisk);
            n2.endAtDiskStep(step, afterwards);
            three.nodes.forEach(SimulatedNode::start);
            for (int i = 0; i < 3; i++) { // it may fail late
                three.queue.run(LONG / 3);
                n2.start();
            }
            three.queue.run(LONG);
            assertThat(ids()).as("after step " + step).hasSize(1).doesNotContainNull();
            assertThat(three.nodes).as("after step " + step).allMatch(FoundingTest::votes);
        }
    }
}

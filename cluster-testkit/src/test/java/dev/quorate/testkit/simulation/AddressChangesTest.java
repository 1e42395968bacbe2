package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.simulated.FaultyDisk;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The addresses of members change, one epoch after the other, whatever fails meanwhile. */
class AddressChangesTest {

    private static final long LONG = 60 * SECOND;
    private static final int MAX_SEEDS_TO_SEE = 200;

    private final ThreeNodes three = new ThreeNodes(ThreeNodes.HINTS_ALONE);
    private final SimulatedNode n1 = three.nodes.get(0);
    private final SimulatedNode n2 = three.nodes.get(1);
    private final SimulatedNode n3 = three.nodes.get(2);
    private final List<Epochs.Result> results = new ArrayList<>();

    private static Topology topology(SimulatedNode node) {
        return core(node).topology().current();
    }

    private static FaultyDisk withoutPower(FaultyDisk disk) {
        return disk.afterPowerLoss(FaultyDisk.Keep.NOTHING, new SplittableRandom(7));
    }

    private void move(SimulatedNode by, String name, String url) {
        Topology next = ChangeRule.withAddresses(topology(by), Map.of(name, URI.create(url)));
        core(by).epochs().change(next, Duration.ofSeconds(5), results::add);
    }

    private void assertAllAt(int epoch, String name, String url) {
        assertThat(three.nodes)
                .extracting(AddressChangesTest::topology)
                .allSatisfy(
                        each -> {
                            assertThat(each.epoch()).isEqualTo(epoch);
                            assertThat(each.member(name).url()).hasToString(url);
                        });
    }

    @Test
    void aChosenAddressIsUsedByAllMembersAndAfterAPowerLoss() {
        three.writeAll();
        move(n1, "n2", "http://b:1");
        three.queue.run(SECOND);
        assertThat(results).containsExactly(new Epochs.Result.Chosen(topology(n1)));
        assertAllAt(2, "n2", "http://b:1");
        move(n3, "n1", "http://a:1");
        three.queue.run(SECOND);
        assertAllAt(3, "n1", "http://a:1");
        for (SimulatedNode each : three.nodes) {
            each.end(AddressChangesTest::withoutPower);
        }
        three.nodes.forEach(SimulatedNode::start);
        three.queue.run(5 * SECOND);
        assertAllAt(3, "n1", "http://a:1");
        three.writeAllBy(n2, new QuorumSpec(3, 3));
        assertThat(failing(n1)).isZero();
    }

    @Test
    void operationsSucceedWhileAddressesChange() {
        for (int i = 0; i < 5; i++) {
            int round = i;
            n1.after(
                    i * SECOND / 2,
                    () -> move(three.nodes.get(round % 3), "n3", "http://c:" + (round + 1)));
        }
        three.writeAllBy(n2, new QuorumSpec(3, 3));
        assertThat(results).hasSize(5).allMatch(Epochs.Result.Chosen.class::isInstance);
        assertAllAt(6, "n3", "http://c:5");
    }

    @Test
    void ofTwoOperatorsOneWins() {
        for (int i = 0; i < 20; i++) {
            results.clear();
            int before = topology(n1).epoch();
            move(n1, "n1", "http://a:" + (i + 1));
            move(n3, "n3", "http://c:" + (i + 1));
            three.queue.run(10 * SECOND);
            assertThat(results).hasSize(2);
            assertThat(results)
                    .as("of %s", results)
                    .areExactly(
                            1,
                            new org.assertj.core.api.Condition<>(
                                    Epochs.Result.Chosen.class::isInstance, "chosen"));
            assertThat(three.nodes)
                    .allMatch(each -> topology(each).equals(topology(n1)))
                    .allMatch(each -> topology(each).epoch() == before + 1);
        }
    }

    @Test
    void aMinorityChangesNothing() {
        n2.end(FaultyDisk::afterKill);
        n3.end(FaultyDisk::afterKill);
        move(n1, "n2", "http://b:1");
        three.queue.run(10 * SECOND);
        assertThat(results).containsExactly(new Epochs.Result.Undecided());
        assertThat(topology(n1).epoch()).isEqualTo(1);
    }

    @Test
    void aMemberThatWasAwayInstallsTheLastEpoch() {
        n3.end(FaultyDisk::afterKill);
        for (int i = 1; i <= 10; i++) {
            move(n1, "n3", "http://c:" + i);
            three.queue.run(2 * SECOND);
        }
        assertThat(topology(n2).epoch()).isEqualTo(11);
        n3.start();
        three.queue.run(10 * SECOND);
        assertAllAt(11, "n3", "http://c:10");
    }

    /** It may have promised something: until all others were asked, two members must agree. */
    @Test
    void aMemberThatLostItsDiskTakesPartAgainOnceAllOthersWereAsked() {
        three.writeAll();
        move(n1, "n2", "http://b:1");
        three.queue.run(SECOND);
        n2.end(FaultyDisk::afterKill);
        n3.loseDisk();
        n3.start();
        three.queue.run(LONG);
        assertThat(topology(n3).epoch()).isEqualTo(2);
        results.clear();
        move(n1, "n1", "http://a:1");
        three.queue.run(10 * SECOND);
        assertThat(results).as("n3 abstains").containsExactly(new Epochs.Result.Undecided());
        n2.start();
        three.queue.run(LONG);
        n2.end(FaultyDisk::afterKill);
        results.clear();
        int before = topology(n1).epoch();
        move(n1, "n1", "http://a:2");
        three.queue.run(10 * SECOND);
        assertThat(results).hasSize(1).allMatch(Epochs.Result.Chosen.class::isInstance);
        assertThat(topology(n3).epoch()).isEqualTo(before + 1);
    }

    @Test
    void aPowerLossAtAnyStepOfAnAcceptorLosesNoChoice() {
        losePowerAtEachStep(n2, AddressChangesTest::withoutPower);
    }

    @Test
    void aKillAtAnyStepOfTheProposerLosesNoChoice() {
        losePowerAtEachStep(n1, FaultyDisk::afterKill);
    }

    /** The checks notice each mistake about epochs within a bounded number of seeds. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "KEEPS_ITS_TOPOLOGY_IN_MEMORY",
                "USES_OLDER_TOPOLOGIES",
                "USES_ACCEPTED_TOPOLOGIES"
            })
    void aMistakeIsNoticed(Sabotage sabotage) {
        for (long seed = 1; seed <= MAX_SEEDS_TO_SEE; seed++) {
            SimulationInput scenario =
                    SimulationInput.of(seed, Duration.ofSeconds(20))
                            .withFaults(
                                    EnumSet.of(
                                            SimulatedFault.MOVED_MEMBER,
                                            SimulatedFault.KILL,
                                            SimulatedFault.ISOLATE));
            SimulationResult result = Simulation.run(sabotage.in(scenario));
            if (result.broken().stream()
                    .anyMatch(
                            each -> each.contains(" went back ") || each.contains(" has used "))) {
                assertThat(Simulation.run(scenario).isGood()).isTrue();
                System.out.println(sabotage + " is noticed with seed " + seed);
                return;
            }
        }
        fail(sabotage + " was not noticed in " + MAX_SEEDS_TO_SEE + " seeds");
    }

    private void losePowerAtEachStep(SimulatedNode victim, UnaryOperator<FaultyDisk> afterwards) {
        for (int step = 1; step <= 40; step++) {
            results.clear();
            String url = "http://b:" + step;
            victim.endAtDiskStep(step, afterwards);
            move(n1, "n2", url);
            three.queue.run(10 * SECOND);
            three.nodes.stream()
                    .filter(each -> each.serving() == null)
                    .forEach(SimulatedNode::start);
            three.queue.run(LONG);
            Topology chosen = topology(n1);
            assertThat(three.nodes)
                    .as("after step " + step)
                    .extracting(AddressChangesTest::topology)
                    .containsOnly(chosen);
            if (results.stream().anyMatch(Epochs.Result.Chosen.class::isInstance)) {
                assertThat(chosen.member("n2").url()).hasToString(url);
            }
        }
    }
}

package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Members join and leave while the cluster serves. */
class MemberChangesTest extends ChangingMembers {

    /** Runs until a node is in an epoch, and hardly longer. */
    private static void await(ThreeNodes nodes, SimulatedNode node, int epoch) {
        for (int i = 0; i < 12_000 && topology(node).epoch() < epoch; i++) {
            nodes.queue.run(SECOND / 100);
        }
        assertThat(topology(node).epoch()).as("of %s: %s", node, topology(node)).isEqualTo(epoch);
    }

    @Test
    void aMemberJoins() {
        three.writeAll();
        SimulatedNode n4 = join();
        await(three, n4, 3);
        assertOwned(n4);
        three.queue.run(60 * SECOND);
        assertThat(results).hasOnlyElementsOfType(Epochs.Result.Chosen.class);
        assertStable(3, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
        assertReadable(n4);
        three.writeAllBy(n4, new QuorumSpec(3, 3));
    }

    /** n1 alone has what it wrote, and is the first owner of few of the keys that it loses. */
    @Test
    void aMemberThatJoinsGetsWhatOnlyTheLosingOwnerHas() {
        cutOff(n1);
        three.writeAllBy(n1, new QuorumSpec(1, 3));
        SimulatedNode n4 = three.machines.add();
        n4.start();
        three.queue.run(SECOND);
        change(n2, Map.of("n4", n4.member.url()), Set.of());
        await(three, n2, 2);
        three.network.heal();
        await(three, n1, 2);
        cutOff(n1);
        await(three, n4, 3);
        int lost = 0;
        for (int i = 0; i < ThreeNodes.KEYS; i++) {
            byte[] key = ThreeNodes.key(i);
            if (!core(n4).placement().current().owners(key, TWO_OF_THREE).contains(n1.member)) {
                assertThat(store(n2).lookup(key)).isEqualTo(Lookup.Absent.ABSENT);
                lost++;
                assertThat(store(n4).lookup(key)).isInstanceOf(Lookup.Found.class);
            }
        }
        assertThat(lost).isGreaterThan(5);
    }

    private void cutOff(SimulatedNode node) {
        for (SimulatedNode each : List.of(n2, n3)) {
            three.network.cut(each, node);
            three.network.cut(node, each);
        }
    }

    /**
     * A complete copy needs no comparison; what could not be copied is compared once it is healed.
     */
    @Test
    void aMemberThatJoinsComparesOnlyWhatItCouldNotCopy() {
        three.writeAll();
        assertThat(comparesWhileItJoins(() -> {})).isFalse();
        three.queue.run(60 * SECOND);
        change(n1, Map.of(), Set.of("n4"));
        three.queue.run(60 * SECOND);
        assertStable(5, n1, n2, n3);
        store(n1).flush();
        assertThat(comparesWhileItJoins(() -> three.damageEachTable(n1))).isTrue();
    }

    /**
     * Whether a fourth member that joins compares with others.
     *
     * @param event happens when it is asked to join
     */
    private boolean comparesWhileItJoins(Runnable event) {
        SimulatedNode joiner = three.machines.add();
        joiner.start();
        three.queue.run(SECOND);
        int epoch = topology(n1).epoch() + 2;
        event.run();
        change(n1, Map.of(joiner.member.name(), joiner.member.url()), Set.of());
        boolean isComparing = false;
        for (int i = 0; i < 1_200_000 && topology(joiner).epoch() < epoch; i++) {
            three.queue.run(SECOND / 10_000);
            isComparing |= progress(joiner).contains("comparing with");
        }
        assertOwned(joiner);
        return isComparing;
    }

    @Test
    void aMemberLeaves() {
        three.writeAll();
        SimulatedNode n4 = join();
        three.queue.run(60 * SECOND);
        change(n4, Map.of(), Set.of("n2"));
        await(three, n4, 5);
        assertOwned(n1, n3, n4);
        three.queue.run(60 * SECOND);
        assertStable(5, n1, n3, n4);
        assertOwned(n1, n3, n4);
        assertThat(core(n2).membership().votes()).isFalse();
        assertReadable(n3);
        n2.end(FaultyDisk::afterKill);
        n2.start();
        three.queue.run(10 * SECOND);
        assertThat(core(n2).membership().votes()).isFalse();
        assertStable(5, n1, n3, n4);
    }

    /** Those that lose nothing would read all of their keys to send none. */
    @Test
    void onlyTheMemberThatLeavesIsAskedForItsKeys() {
        three.writeAll();
        join();
        three.queue.run(60 * SECOND);
        change(n1, Map.of(), Set.of("n4"));
        Set<String> copied = new HashSet<>();
        for (int i = 0; i < 1_200_000 && topology(n1).epoch() < 5; i++) {
            three.queue.run(SECOND / 10_000);
            Matcher work = Pattern.compile("copying from [n0-9, ]*").matcher(progress(n2));
            if (work.find()) {
                copied.add(work.group());
            }
        }
        assertThat(copied).containsExactly("copying from n4");
        assertOwned(n1, n2, n3);
    }

    /** Most keys have two new owners, of three: neither votes at once. */
    @Test
    void operationsSucceedWhileTwoMembersJoin() {
        three.writeAll();
        SimulatedNode n4 = three.machines.add();
        SimulatedNode n5 = three.machines.add();
        n4.start();
        n5.start();
        three.queue.run(SECOND);
        change(n1, Map.of("n4", n4.member.url(), "n5", n5.member.url()), Set.of());
        assertWrites(200);
        assertStable(3, n1, n2, n3, n4, n5);
    }

    /** It knows its change already, so nobody tells it again. */
    @Test
    void aMemberThatIsKilledBeforeItVotesJoins() {
        three.writeAll();
        SimulatedNode n4 = join();
        for (int i = 0; i < 100_000 && topology(n4).epoch() < 2; i++) {
            three.queue.run(SECOND / 100_000);
        }
        assertThat(core(n4).membership().ours().condition()).isEqualTo(Condition.EMPTY);
        n4.end(FaultyDisk::afterKill);
        n4.start();
        three.queue.run(60 * SECOND);
        assertStable(3, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
    }

    /** Each of two new members would refuse the other if it might have forgotten promises. */
    @Test
    void membersThatJoinTogetherDecideTheNextChanges() {
        three.writeAll();
        SimulatedNode n4 = three.machines.add();
        SimulatedNode n5 = three.machines.add();
        n4.start();
        n5.start();
        three.queue.run(SECOND);
        change(n1, Map.of("n4", n4.member.url(), "n5", n5.member.url()), Set.of());
        three.queue.run(60 * SECOND);
        assertStable(3, n1, n2, n3, n4, n5);
        change(n5, Map.of(), Set.of("n1"));
        three.queue.run(60 * SECOND);
        assertStable(5, n2, n3, n4, n5);
        change(n4, Map.of(), Set.of("n2"));
        three.queue.run(60 * SECOND);
        assertStable(7, n3, n4, n5);
        assertOwned(n3, n4, n5);
        assertThat(results).hasOnlyElementsOfType(Epochs.Result.Chosen.class);
    }

    /** The writes of n2 and n3 are on n3 alone in the end, and n1 and n4 must get them. */
    @Test
    void aLostMemberIsReplaced() {
        cutOff(n1);
        three.writeAllBy(n2, TWO_OF_THREE);
        n2.end(FaultyDisk::afterKill);
        three.network.heal();
        SimulatedNode n4 = three.machines.add();
        n4.start();
        three.queue.run(SECOND);
        Topology next =
                ChangeRule.withMembers(
                        topology(n1),
                        Map.of("n4", n4.member.url()),
                        Set.of(),
                        Set.of("n2"),
                        Map.of(),
                        0);
        propose(n1, next);
        await(three, n4, 3);
        assertOwned(n1, n3, n4);
        three.queue.run(10 * SECOND);
        assertStable(3, n1, n3, n4);
        assertReadable(n4);
        n2.start();
        three.queue.run(10 * SECOND);
        assertThat(core(n2).membership().votes()).as("it is removed").isFalse();
        assertStable(3, n1, n3, n4);
    }

    @Test
    void membersGetZonesAndWeights() {
        three.writeAll();
        SimulatedNode n4 = join();
        three.queue.run(60 * SECOND);
        Map<String, Member.Place> places =
                Map.of("n1", new Member.Place("a", 100), "n4", new Member.Place("b", 200));
        propose(n3, ChangeRule.withMembers(topology(n3), Map.of(), Set.of(), Set.of(), places, 0));
        await(three, n1, 5);
        assertOwned(n1, n2, n3, n4);
        three.queue.run(60 * SECOND);
        assertStable(5, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
        for (int i = 0; i < ThreeNodes.KEYS; i++) {
            assertThat(core(n2).placement().current().owners(ThreeNodes.key(i), TWO_OF_THREE))
                    .as("the only members of two of three zones")
                    .extracting(Member::name)
                    .contains("n1", "n4");
        }
        assertReadable(n2);
    }

    /** Founders write 400 times, and each write succeeds. */
    private void assertWrites(int perSecond) {
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            int number = i % ThreeNodes.KEYS;
            SimulatedNode by = three.nodes.get(i % 3);
            by.after(
                    i * SECOND / perSecond,
                    () ->
                            core(by).coordinator()
                                    .write(
                                            ThreeNodes.key(number),
                                            new NewValue(ThreeNodes.value(number), null, null),
                                            null,
                                            TWO_OF_THREE,
                                            false,
                                            outcomes::add));
        }
        three.queue.run(60 * SECOND);
        assertThat(outcomes).hasSize(400).allMatch(Outcome.Written.class::isInstance);
    }

    /** How many of the nodes have a key. */
    private static long copies(int key, SimulatedNode... nodes) {
        return Stream.of(nodes)
                .filter(each -> store(each).lookup(ThreeNodes.key(key)) instanceof Lookup.Found)
                .count();
    }

    private void setCopies(SimulatedNode by, int factor) {
        propose(
                by,
                ChangeRule.withMembers(
                        topology(by), Map.of(), Set.of(), Set.of(), Map.of(), factor));
    }

    @Test
    void keysGetMoreAndFewerCopies() {
        three.writeAll();
        SimulatedNode n4 = three.machines.add();
        SimulatedNode n5 = three.machines.add();
        n4.start();
        n5.start();
        three.queue.run(SECOND);
        change(n1, Map.of("n4", n4.member.url(), "n5", n5.member.url()), Set.of());
        three.queue.run(60 * SECOND);
        assertThat(copies(0, n1, n2, n3, n4, n5)).isEqualTo(3);
        setCopies(n4, 5);
        await(three, n5, 5);
        for (int i = 0; i < ThreeNodes.KEYS; i++) {
            assertThat(copies(i, n1, n2, n3, n4, n5)).as("of key %s", i).isEqualTo(5);
        }
        three.queue.run(60 * SECOND);
        n1.end(FaultyDisk::afterKill);
        n2.end(FaultyDisk::afterKill);
        three.writeAllBy(n5, QuorumSpec.majority(3).asDefault());
        assertReadable(n3, QuorumSpec.majority(3).asDefault());
        n1.start();
        n2.start();
        three.queue.run(60 * SECOND);
        setCopies(n1, 3);
        three.queue.run(60 * SECOND);
        assertStable(7, n1, n2, n3, n4, n5);
        assertOwned(n1, n2, n3, n4, n5);
        for (int i = 0; i < ThreeNodes.KEYS; i++) {
            assertThat(copies(i, n1, n2, n3, n4, n5)).as("of key %s", i).isEqualTo(3);
        }
        assertReadable(n4);
    }

    /** Each would refuse the other if all others had to promise what it may have forgotten. */
    @Test
    void membersThatLostTheirDisksTogetherDecideAgain() {
        ThreeNodes five = new ThreeNodes(5, SHORT_WINDOW, Sabotage.NONE);
        five.queue.run(30 * SECOND);
        SimulatedNode first = five.nodes.get(0);
        SimulatedNode second = five.nodes.get(1);
        for (SimulatedNode each : List.of(first, second)) {
            each.loseDisk();
            each.start();
        }
        five.queue.run(120 * SECOND);
        assertThat(core(first).membership().votes()).isTrue();
        assertThat(core(second).membership().votes()).isTrue();
        five.nodes.get(2).end(FaultyDisk::afterKill);
        five.nodes.get(3).end(FaultyDisk::afterKill);
        SimulatedNode last = five.nodes.get(4);
        propose(
                last,
                ChangeRule.withAddresses(
                        topology(last), Map.of("n3", URI.create("http://moved:1"))));
        five.queue.run(20 * SECOND);
        assertThat(results).hasOnlyElementsOfType(Epochs.Result.Chosen.class).hasSize(1);
    }

    @Test
    void aSingleNodeGrowsAndIsLost() {
        ThreeNodes one = new ThreeNodes(1, SHORT_WINDOW, Sabotage.NONE);
        SimulatedNode first = one.nodes.getFirst();
        one.writeAllBy(first, QuorumSpec.majority(1));
        SimulatedNode second = one.machines.add();
        SimulatedNode third = one.machines.add();
        second.start();
        third.start();
        one.queue.run(SECOND);
        change(first, Map.of("n2", second.member.url(), "n3", third.member.url()), Set.of());
        await(one, third, 3);
        first.end(FaultyDisk::afterKill);
        List<Outcome> outcomes = new ArrayList<>();
        QuorumSpec planned = QuorumSpec.majority(1).asDefault();
        one.inTurn(
                third,
                i -> core(third).coordinator().read(ThreeNodes.key(i), planned, outcomes::add));
        assertThat(outcomes).hasSize(ThreeNodes.KEYS).allMatch(Outcome.Found.class::isInstance);
    }

    @Test
    void aChangeIsCancelled() {
        three.writeAll();
        n3.end(FaultyDisk::afterKill);
        SimulatedNode n4 = join();
        three.queue.run(60 * SECOND);
        assertThat(topology(n1).isJoint()).as("n3 must show what it has").isTrue();
        propose(n2, topology(n2).cancelled());
        three.queue.run(5 * SECOND);
        n3.start();
        three.queue.run(10 * SECOND);
        assertStable(3, n1, n2, n3);
        assertThat(core(n4).membership().votes()).isFalse();
        assertOwned(n1, n2, n3);
        assertReadable(n1);
    }

    @Test
    void operationsSucceedWhileAMemberJoins() {
        three.writeAll();
        SimulatedNode n4 = join();
        assertWrites(20);
        assertStable(3, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
    }

    @Test
    void aMemberThatLosesItsDiskWhileItJoinsIsRebuilt() {
        three.writeAll();
        n3.end(FaultyDisk::afterKill);
        SimulatedNode n4 = join();
        three.queue.run(30 * SECOND);
        assertThat(core(n4).membership().votes()).isTrue();
        n4.loseDisk();
        n4.start();
        three.queue.run(30 * SECOND);
        assertThat(core(n4).membership().votes()).isFalse();
        n3.start();
        three.queue.run(120 * SECOND);
        assertStable(3, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
    }

    /** n3 has compared with n4, and no longer hears from it. */
    @Test
    void aMemberIsRebuiltAlthoughTheOneThatJoinedIsGone() {
        three.writeAll();
        n3.end(FaultyDisk::afterKill);
        SimulatedNode n4 = join();
        three.queue.run(30 * SECOND);
        n3.loseDisk();
        n3.start();
        three.queue.run(SECOND / 2);
        for (int i = 0; i < 200_000 && !progress(n3).contains("copying records"); i++) {
            three.queue.run(SECOND / 10_000);
        }
        n4.end(FaultyDisk::afterKill);
        assertThat(progress(n3)).contains("copying records");
        propose(n2, topology(n2).cancelled());
        three.queue.run(60 * SECOND);
        assertStable(3, n1, n2, n3);
        assertOwned(n1, n2, n3);
    }

    private static String progress(SimulatedNode node) {
        return core(node).membership().progress();
    }

    @Test
    void anAddressThatChangesMeanwhileDelaysTheChange() {
        three.writeAll();
        SimulatedNode n4 = join();
        three.queue.run(SECOND / 10);
        Topology joint = topology(n1);
        assertThat(joint.isJoint()).isTrue();
        propose(n1, ChangeRule.withAddresses(joint, Map.of("n3", URI.create("http://moved:1"))));
        three.queue.run(60 * SECOND);
        assertStable(4, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
    }

    @Test
    void nobodyHasEntriesOfKeysThatItHasLost() {
        three.writeAll();
        SimulatedNode n4 = join();
        three.queue.run(60 * SECOND);
        int lost = 0;
        for (SimulatedNode each : List.of(n1, n2, n3, n4)) {
            for (int i = 0; i < ThreeNodes.KEYS; i++) {
                byte[] key = ThreeNodes.key(i);
                if (!core(each).placement().current().ownersOf(key, 3).contains(each.member)) {
                    lost++;
                    assertThat(store(each).lookup(key)).isEqualTo(Lookup.Absent.ABSENT);
                    assertThat(store(each).holdings(key).entries()).isEmpty();
                }
            }
        }
        assertThat(lost).isEqualTo(ThreeNodes.KEYS);
    }

    /** Their owners delete keys and drop the tombstones; then the members of before own them. */
    @Test
    void aDeletedKeyDoesNotReturnWithItsFormerOwners() {
        three.writeAll();
        SimulatedNode n4 = join();
        three.queue.run(60 * SECOND);
        List<Outcome> outcomes = new ArrayList<>();
        three.inTurn(
                n4,
                i ->
                        core(n4).coordinator()
                                .write(
                                        ThreeNodes.key(i),
                                        null,
                                        null,
                                        new QuorumSpec(3, 3),
                                        false,
                                        outcomes::add));
        assertThat(outcomes).hasSize(ThreeNodes.KEYS).allMatch(Outcome.Written.class::isInstance);
        List<SimulatedNode> all = List.of(n1, n2, n3, n4);
        all.forEach(each -> store(each).flush());
        three.queue.run(200 * SECOND);
        assertThat(all.stream().mapToLong(SimulatedNode::droppedTombstones).sum())
                .isEqualTo(3 * ThreeNodes.KEYS);
        change(n1, Map.of(), Set.of("n4"));
        three.queue.run(120 * SECOND);
        assertStable(5, n1, n2, n3);
        outcomes.clear();
        three.inTurn(
                n1,
                i -> core(n1).coordinator().read(ThreeNodes.key(i), TWO_OF_THREE, outcomes::add));
        assertThat(outcomes).hasSize(ThreeNodes.KEYS).allMatch(Outcome.Missing.class::isInstance);
    }

    @Test
    void aChangeWaitsUntilAllHaveDeletedWhatTheyLost() {
        three.writeAll();
        SimulatedNode n4 = join();
        while (topology(n1).epoch() < 3) {
            three.queue.run(SECOND / 10);
        }
        results.clear();
        change(n1, Map.of(), Set.of("n4"));
        three.queue.run(SECOND);
        assertThat(results)
                .singleElement()
                .isInstanceOfSatisfying(
                        Epochs.Result.Early.class,
                        early -> assertThat(early.members()).contains("n1"));
        three.queue.run(60 * SECOND);
        change(n1, Map.of(), Set.of("n4"));
        three.queue.run(60 * SECOND);
        assertStable(5, n1, n2, n3);
        assertThat(core(n4).membership().votes()).isFalse();
    }

    @Test
    void leftoversAreHiddenUntilTheyAreDeleted() {
        three.writeAll();
        SimulatedNode n4 = join();
        List<SimulatedNode> all = List.of(n1, n2, n3, n4);
        while (all.stream().anyMatch(each -> topology(each).epoch() < 3)) {
            three.queue.run(SECOND / 1_000);
        }
        for (SimulatedNode each : all) {
            for (int i = 0; i < ThreeNodes.KEYS; i++) {
                byte[] key = ThreeNodes.key(i);
                if (!core(each).placement().current().ownersOf(key, 3).contains(each.member)) {
                    assertThat(store(each).lookup(key)).isEqualTo(Lookup.Absent.ABSENT);
                }
            }
        }
    }

    /** A proof counts in its epoch only: a member that has gained keys before proves again. */
    @Test
    void aChangeWaitsForAMemberThatHasProvedAnEarlierOne() {
        three.writeAll();
        join();
        three.queue.run(60 * SECOND);
        change(n1, Map.of(), Set.of("n4"));
        three.queue.run(60 * SECOND);
        assertStable(5, n1, n2, n3);
        SimulatedNode n4 = three.nodes.get(3);
        n4.renew();
        n4.start();
        three.queue.run(SECOND);
        change(n1, Map.of("n4", n4.member.url()), Set.of());
        three.queue.run(60 * SECOND);
        assertStable(7, n1, n2, n3, n4);
        n3.end(FaultyDisk::afterKill);
        change(n1, Map.of(), Set.of("n4"));
        three.queue.run(30 * SECOND);
        assertThat(topology(n1).epoch()).isEqualTo(8);
        assertThat(topology(n1).isJoint()).isTrue();
        n3.start();
        three.queue.run(60 * SECOND);
        assertStable(9, n1, n2, n3);
        assertOwned(n1, n2, n3);
    }

    @Test
    void aMemberDoesNotJoinWithItsOldDirectory() {
        three.writeAll();
        SimulatedNode n4 = join();
        three.queue.run(60 * SECOND);
        change(n1, Map.of(), Set.of("n4"));
        three.queue.run(60 * SECOND);
        change(n1, Map.of("n4", n4.member.url()), Set.of());
        three.queue.run(60 * SECOND);
        assertThat(core(n4).membership().votes()).isFalse();
        assertThat(topology(n1).isJoint()).isTrue();
        n4.renew();
        n4.start();
        three.queue.run(60 * SECOND);
        assertStable(7, n1, n2, n3, n4);
        assertOwned(n1, n2, n3, n4);
    }
}

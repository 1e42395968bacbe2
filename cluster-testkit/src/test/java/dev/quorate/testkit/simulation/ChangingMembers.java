package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Lookup;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Three simulated nodes, and others that join them, for tests of changes of members. */
abstract class ChangingMembers {

    static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    /** Tombstones are dropped soon. */
    static final NodeSettings SHORT_WINDOW =
            new NodeSettings(Duration.ofSeconds(5), 256 << 10, Duration.ofSeconds(5));

    final ThreeNodes three = new ThreeNodes(SHORT_WINDOW);
    final SimulatedNode n1 = three.nodes.get(0);
    final SimulatedNode n2 = three.nodes.get(1);
    final SimulatedNode n3 = three.nodes.get(2);
    final List<Epochs.Result> results = new ArrayList<>();

    static Topology topology(SimulatedNode node) {
        return core(node).topology().current();
    }

    final void change(SimulatedNode by, Map<String, URI> joins, Set<String> leaves) {
        propose(by, ChangeRule.withMembers(topology(by), joins, leaves, Set.of(), Map.of(), 0));
    }

    final void propose(SimulatedNode by, Topology next) {
        core(by).epochs().change(next, Duration.ofSeconds(5), results::add);
    }

    /** Starts a fourth node, and lets it join. */
    final SimulatedNode join() {
        SimulatedNode n4 = three.machines.add();
        n4.start();
        three.queue.run(SECOND);
        assertThat(core(n4).membership().votes()).isFalse();
        change(n1, Map.of("n4", n4.member.url()), Set.of());
        return n4;
    }

    final void assertStable(int epoch, SimulatedNode... members) {
        for (SimulatedNode each : members) {
            Topology used = topology(each);
            assertThat(used.epoch()).as("of %s: %s", each, used).isEqualTo(epoch);
            assertThat(used.isJoint()).isFalse();
            assertThat(used.members())
                    .extracting(Member::name)
                    .containsExactlyInAnyOrderElementsOf(
                            List.of(members).stream().map(node -> node.member.name()).toList());
            assertThat(core(each).membership().votes()).as("%s votes", each).isTrue();
        }
    }

    /** Each owner of each key has its value. */
    final void assertOwned(SimulatedNode... members) {
        for (SimulatedNode each : members) {
            for (int i = 0; i < ThreeNodes.KEYS; i++) {
                byte[] key = ThreeNodes.key(i);
                byte[] value = ThreeNodes.value(i);
                boolean owns =
                        core(each).placement().current().owners(key, TWO_OF_THREE).stream()
                                .anyMatch(owner -> owner.name().equals(each.member.name()));
                if (owns) {
                    assertThat(store(each).lookup(key))
                            .as("%s of %s", i, each)
                            .isInstanceOfSatisfying(
                                    Lookup.Found.class,
                                    found -> assertThat(found.entry().value()).isEqualTo(value));
                }
            }
        }
    }

    final void assertReadable(SimulatedNode by) {
        assertReadable(by, TWO_OF_THREE);
    }

    final void assertReadable(SimulatedNode by, QuorumSpec spec) {
        List<Outcome> outcomes = new ArrayList<>();
        three.inTurn(by, i -> core(by).coordinator().read(ThreeNodes.key(i), spec, outcomes::add));
        assertThat(outcomes).hasSize(ThreeNodes.KEYS).allMatch(Outcome.Found.class::isInstance);
    }
}

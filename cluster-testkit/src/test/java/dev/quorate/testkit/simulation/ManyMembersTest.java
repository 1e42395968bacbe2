package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.message.Lane;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What a cluster of many members costs without clients, while its members change. Only with {@code
 * -Dquorate.sim.members=100}; {@code -Dquorate.sim.member.changes=4} makes fewer changes than ten.
 */
@EnabledIfSystemProperty(named = "quorate.sim.members", matches = "[0-9]+")
final class ManyMembersTest {

    /** As by default, unlike in other simulations. */
    private static final NodeSettings SETTINGS =
            new NodeSettings(Duration.ofHours(3), 256 << 10, Duration.ofMinutes(10));

    private static final long MOST_SECONDS = 600;

    /**
     * More would take long: here each task of a node's data directory takes a millisecond, and
     * while a cluster is founded each announcement is one.
     */
    private static final int MOST_FOUNDERS = 10;

    private final int changes = Integer.getInteger("quorate.sim.member.changes", 10);
    private final long begun = System.nanoTime();
    private final int count = Integer.getInteger("quorate.sim.members");
    private final ThreeNodes cluster =
            new ThreeNodes(Math.min(count, MOST_FOUNDERS), SETTINGS, Sabotage.NONE);
    private final SimulatedNode first = cluster.nodes.getFirst();
    private final List<Epochs.Result> results = new ArrayList<>();
    private long reportedAt = begun;
    private long reportedSimulated;
    private Map<Lane, Long> reportedBytes = Map.of();

    private List<SimulatedNode> members() {
        return cluster.machines.members();
    }

    private static Topology topology(SimulatedNode node) {
        return core(node).topology().current();
    }

    /** Prints what has passed since the last report. */
    private void report(String what) {
        double simulated = (cluster.queue.nanos() - reportedSimulated) / 1e9;
        long now = System.nanoTime();
        StringBuilder bytes = new StringBuilder();
        cluster.network.sentBytes.forEach(
                (lane, sent) -> {
                    double each = sent - reportedBytes.getOrDefault(lane, 0L);
                    each /= simulated * members().size();
                    bytes.append(String.format(Locale.ROOT, " %s %,.0f", lane, each));
                });
        reportedBytes = Map.copyOf(cluster.network.sentBytes);
        System.out.printf(
                Locale.ROOT,
                "%-24s %3d members, %6.1f s simulated, %6.1f s real; bytes a second and member:%s%n",
                what,
                members().size(),
                simulated,
                (now - reportedAt) / 1e9,
                bytes);
        reportedAt = now;
        reportedSimulated = cluster.queue.nanos();
    }

    private void awaitAll(int epoch) {
        for (int i = 0; i < 10 * MOST_SECONDS; i++) {
            if (members().stream()
                    .allMatch(
                            each ->
                                    topology(each).epoch() == epoch
                                            && core(each).membership().votes())) {
                return;
            }
            cluster.queue.run(SECOND / 10);
        }
        for (SimulatedNode each : members()) {
            assertThat(topology(each).epoch())
                    .as("of %s: %s", each, core(each).membership().progress())
                    .isEqualTo(epoch);
        }
    }

    private void change(String what, SimulatedNode by, Topology next) {
        int epoch = next.epoch();
        do {
            results.clear();
            core(by).epochs().change(next, Duration.ofSeconds(5), results::add);
            cluster.queue.run(SECOND);
        } while (!results.isEmpty() && results.getFirst() instanceof Epochs.Result.Early);
        awaitAll(epoch + 1);
        assertThat(results).hasOnlyElementsOfType(Epochs.Result.Chosen.class).hasSize(1);
        report(what);
    }

    private Map<String, URI> joiners(int number) {
        Map<String, URI> joiners = new TreeMap<>();
        for (int i = 0; i < number; i++) {
            SimulatedNode added = cluster.machines.add();
            joiners.put(added.member.name(), added.member.url());
            added.start();
        }
        cluster.queue.run(SECOND);
        return joiners;
    }

    private void add(String what, int number) {
        Map<String, URI> joins = joiners(number);
        change(
                what,
                first,
                ChangeRule.withMembers(topology(first), joins, Set.of(), Set.of(), Map.of(), 0));
    }

    private void changeMembers(int number) {
        SimulatedNode last = members().getLast();
        Set<String> leaves = Set.of(last.member.name());
        switch (number % 4) {
            case 0 -> add("add", 1);
            case 1 -> {
                Member.Place place = new Member.Place("", 150 + number);
                change(
                        "weight",
                        last,
                        ChangeRule.withMembers(
                                topology(last),
                                Map.of(),
                                Set.of(),
                                Set.of(),
                                Map.of("n2", place),
                                0));
            }
            case 2 -> {
                Map<String, URI> joins = joiners(1);
                change(
                        "replace",
                        first,
                        ChangeRule.withMembers(
                                topology(first), joins, leaves, Set.of(), Map.of(), 0));
            }
            default ->
                    change(
                            "remove",
                            first,
                            ChangeRule.withMembers(
                                    topology(first), Map.of(), leaves, Set.of(), Map.of(), 0));
        }
    }

    @Test
    void theMembersChange() {
        awaitAll(1);
        report("founding");
        if (members().size() < count) {
            add("to all", count - members().size());
        }
        cluster.queue.run(60 * SECOND);
        report("a minute");
        for (int i = 0; i < changes; i++) {
            changeMembers(i);
        }
        cluster.queue.run(60 * SECOND);
        report("a minute");
        assertThat(topology(first).members()).hasSizeBetween(count, count + 1);
        System.out.printf("all: %.0f s%n", (System.nanoTime() - begun) / 1e9);
    }
}

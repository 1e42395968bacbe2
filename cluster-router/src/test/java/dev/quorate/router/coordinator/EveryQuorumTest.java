package dev.quorate.router.coordinator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.SimulatedCluster.Condition;
import dev.quorate.router.coordinator.SimulatedCluster.Node;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract's table, whole: one to five nodes, every ack/from, every set of nodes down while
 * writing and another while reading, each node as coordinator. Status and value are held against a
 * model that knows nothing of how the coordinator works.
 */
class EveryQuorumTest {

    private int keys;

    @ParameterizedTest(name = "{0} nodes")
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void answersLikeTheModel(int size) {
        SimulatedCluster cluster = new SimulatedCluster(size);
        for (int from = 1; from <= size; from++) {
            for (int ack = 1; ack <= from; ack++) {
                for (int downForWrites = 0; downForWrites < 1 << size; downForWrites++) {
                    for (Node coordinator : cluster.nodes) {
                        check(cluster, new QuorumSpec(ack, from), downForWrites, coordinator);
                    }
                }
            }
        }
    }

    private void check(SimulatedCluster cluster, QuorumSpec spec, int down, Node writer) {
        byte[] key = ("key " + keys++).getBytes(US_ASCII);
        // The writer itself is up: a node that is down takes no requests.
        setDown(cluster, down, writer);
        Map<Node, String> model = new HashMap<>();
        boolean delete = keys % 3 == 0;
        write(cluster, key, "old", false, new QuorumSpec(1, spec.from()), writer, model);
        write(cluster, key, "new", delete, spec, writer, model);
        for (int downForReads = 0; downForReads < 1 << cluster.nodes.size(); downForReads++) {
            Node reader = cluster.nodes.get((keys + downForReads) % cluster.nodes.size());
            setDown(cluster, downForReads, reader);
            read(cluster, key, spec, reader, model);
        }
    }

    private static void setDown(SimulatedCluster cluster, int down, Node coordinator) {
        for (int i = 0; i < cluster.nodes.size(); i++) {
            Node node = cluster.nodes.get(i);
            boolean isDown = (down & 1 << i) != 0 && node != coordinator;
            node.condition = isDown ? Condition.DOWN : Condition.UP;
        }
    }

    private static void write(
            SimulatedCluster cluster,
            byte[] key,
            String value,
            boolean delete,
            QuorumSpec spec,
            Node coordinator,
            Map<Node, String> model) {
        int live = 0;
        int failed = 0;
        List<String> accepted = new ArrayList<>();
        List<String> results = new ArrayList<>();
        for (Node node : cluster.asked(key, spec.from(), coordinator)) {
            if (failed > spec.from() - spec.ack()) {
                results.add(node.member.name() + " NotAsked");
                continue;
            }
            results.add(expected(node, live < spec.ack(), "Stored"));
            if (node.condition == Condition.UP) {
                live++;
                accepted.add(node.member.name());
                model.put(node, delete ? "" : value);
            } else {
                failed++;
            }
        }
        Outcomes outcomes = new Outcomes(true);
        if (delete) {
            coordinator.coordinator.write(key, null, null, spec, false, outcomes);
        } else {
            coordinator.coordinator.write(
                    key,
                    new NewValue(value.getBytes(US_ASCII), null, null),
                    null,
                    spec,
                    false,
                    outcomes);
        }
        int expected =
                delete ? ExpectedStatus.ofDelete(spec, live) : ExpectedStatus.ofPut(spec, live);
        assertThat(Outcomes.status(outcomes.only(), delete))
                .as("writing %s %s from %s of %s", key, spec, coordinator, cluster.nodes)
                .isEqualTo(expected);
        assertThat(results(outcomes)).containsExactlyElementsOf(results);
        if (outcomes.only() instanceof Outcome.QuorumFailed quorumFailed) {
            assertThat(quorumFailed.explanation()).isEqualTo(outcomes.explanation());
            assertThat(quorumFailed.accepted()).containsExactlyElementsOf(accepted);
            // Each replica is in one of the two lists, also those that were not asked any more.
            assertThat(quorumFailed.failures()).hasSize(spec.from() - accepted.size());
        }
    }

    private static void read(
            SimulatedCluster cluster,
            byte[] key,
            QuorumSpec spec,
            Node coordinator,
            Map<Node, String> model) {
        int live = 0;
        @Nullable String expected = null;
        List<@Nullable String> answers = new ArrayList<>();
        List<Node> asked = cluster.asked(key, spec.from(), coordinator);
        List<String> results = new ArrayList<>();
        int failed = 0;
        for (Node node : asked) {
            boolean isDecided = live == spec.ack() || failed > spec.from() - spec.ack();
            String held = model.get(node);
            String holds =
                    held == null ? "Absent" : "Found " + (held.isEmpty() ? -1 : held.length());
            results.add(isDecided ? node.member.name() + " NotAsked" : expected(node, true, holds));
            failed += node.condition == Condition.UP ? 0 : 1;
            if (node.condition == Condition.UP && live < spec.ack()) {
                live++;
                answers.add(held);
                if (expected == null || (held != null && !held.equals("old"))) {
                    expected = held;
                }
            }
        }
        boolean present = expected != null && !expected.isEmpty();
        Outcomes outcomes = new Outcomes(true);
        coordinator.coordinator.read(key, spec, outcomes);
        assertThat(Outcomes.status(outcomes.only(), false))
                .as("reading %s from %s of %s with %s", spec, coordinator, cluster.nodes, model)
                .isEqualTo(ExpectedStatus.ofGet(spec, live, present));
        assertThat(results(outcomes)).containsExactlyElementsOf(results);
        if (outcomes.only() instanceof Outcome.Found found) {
            assertThat(new String(found.entry().value(), US_ASCII)).isEqualTo(expected);
        }
        boolean isAtMajority = live == spec.ack() && 2 * spec.ack() > spec.from();
        if (isAtMajority && answers.stream().distinct().count() > 1) {
            String repaired = Objects.requireNonNull(expected);
            for (Node node : asked) { // those that are up have it now, or something newer
                if (node.condition == Condition.UP) {
                    model.merge(node, repaired, (held, sent) -> held.equals("old") ? sent : held);
                }
            }
        }
    }

    /** The result of a node that was asked, by the model. */
    private static String expected(Node node, boolean isAwaited, String answer) {
        String name = node.member.name();
        if (!isAwaited) {
            return name + " NotAwaited";
        }
        return name + " " + (node.condition == Condition.UP ? answer : "Failed");
    }

    /** The result of each replica in the first round. */
    private static List<String> results(Outcomes outcomes) {
        List<String> results = new ArrayList<>();
        for (Explanation.Reply reply : outcomes.explanation().rounds().getFirst().replies()) {
            String answer = reply.result().getClass().getSimpleName();
            if (reply.result() instanceof Explanation.Result.Found holds) {
                answer += " " + (holds.tombstone() ? -1 : holds.valueBytes());
            }
            results.add(reply.member() + " " + answer);
        }
        return results;
    }

    @Test
    void theExpectedStatusMatchesTheContract() {
        QuorumSpec spec = new QuorumSpec(2, 3);
        assertThat(ExpectedStatus.ofPut(spec, 2)).isEqualTo(201);
        assertThat(ExpectedStatus.ofPut(spec, 1)).isEqualTo(504);
        assertThat(ExpectedStatus.ofDelete(spec, 3)).isEqualTo(202);
        assertThat(ExpectedStatus.ofDelete(spec, 0)).isEqualTo(504);
        assertThat(ExpectedStatus.ofGet(spec, 2, true)).isEqualTo(200);
        assertThat(ExpectedStatus.ofGet(spec, 2, false)).isEqualTo(404);
        assertThat(ExpectedStatus.ofGet(spec, 1, true)).isEqualTo(504);
    }
}

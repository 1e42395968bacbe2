package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.KEYS;
import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.failing;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static dev.quorate.testkit.simulation.ThreeNodes.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A replica whose disk has lost something gets it from its peers, and votes again. */
class NodeHealingTest {

    private final ThreeNodes cluster =
            new ThreeNodes(ThreeNodes.HINTS_ALONE); // comparisons would do a part of it

    private final EventQueue queue = cluster.queue;
    private final List<SimulatedNode> nodes = cluster.nodes;

    @Test
    void aDamagedReplicaIsHealedAndVotesAgain() {
        cluster.writeAll();
        SimulatedNode rotten = nodes.get(1);
        cluster.damageEachTable(rotten);
        assertThat(failing(rotten)).isBetween(1, KEYS - 1);
        int tables = cluster.tables(rotten).size();
        queue.run(20 * SECOND);
        assertThat(store(rotten).damage()).isEmpty();
        assertThat(store(rotten).figures().count("sstables_damaged")).isZero();
        assertThat(store(rotten).figures().count("healed_ranges")).isEqualTo(tables);
        assertThat(failing(rotten)).isZero();
        rotten.end(FaultyDisk::afterKill);
        rotten.start();
        queue.run(5 * SECOND);
        assertThat(failing(rotten)).isZero();
        assertThat(cluster.machines.brokenThings()).isEmpty();
    }

    @Test
    void aReadFindsItAndIsAnsweredAllTheSame() {
        cluster.writeAll();
        SimulatedNode rotten = nodes.get(1);
        cluster.damageEachTable(rotten);
        List<Outcome> outcomes = new ArrayList<>();
        cluster.inTurn(
                rotten,
                i -> core(rotten).coordinator().read(key(i), new QuorumSpec(2, 3), outcomes::add));
        assertThat(outcomes).hasSize(KEYS).allMatch(Outcome.Found.class::isInstance);
        queue.run(20 * SECOND);
        assertThat(store(rotten).figures().count("healed_ranges")).isPositive();
        assertThat(failing(rotten)).isZero();
    }

    @Test
    void itWaitsForEveryPeer() {
        cluster.writeAll();
        SimulatedNode rotten = nodes.get(1);
        SimulatedNode away = nodes.get(2);
        away.end(FaultyDisk::afterKill);
        cluster.damageEachTable(rotten);
        int failing = failing(rotten);
        assertThat(failing).isPositive();
        queue.run(60 * SECOND);
        assertThat(store(rotten).damage()).isNotEmpty();
        assertThat(failing(rotten)).isEqualTo(failing);
        away.start();
        queue.run(60 * SECOND);
        assertThat(store(rotten).damage()).isEmpty();
        assertThat(failing(rotten)).isZero();
    }

    /** What only the two had there is given up by the person who empties the disk of one. */
    @Test
    void twoThatAreDamagedAlikeWaitForEachOtherUntilOneOfThemBeginsAnew() {
        cluster.writeAll();
        SimulatedNode sound = nodes.get(0);
        SimulatedNode rotten = nodes.get(1);
        SimulatedNode given = nodes.get(2);
        cluster.damageEachTable(rotten);
        cluster.damageEachTable(given);
        int failing = failing(rotten);
        assertThat(failing).isPositive();
        assertThat(failing(given)).isEqualTo(failing);
        queue.run(120 * SECOND);
        assertThat(failing(rotten)).isEqualTo(failing);
        assertThat(failing(given)).isEqualTo(failing);
        List<Outcome> outcomes = new ArrayList<>();
        QuorumSpec majority = new QuorumSpec(2, 3);
        cluster.inTurn(sound, i -> core(sound).coordinator().read(key(i), majority, outcomes::add));
        assertThat(outcomes.stream().filter(Outcome.QuorumFailed.class::isInstance))
                .as("neither says that there is nothing, or something old")
                .hasSize(failing);
        assertThat(outcomes.stream().filter(Outcome.Found.class::isInstance))
                .hasSize(KEYS - failing);

        given.loseDisk();
        given.start();
        queue.run(120 * SECOND);
        assertThat(store(rotten).damage()).isEmpty();
        assertThat(failing(rotten)).isZero();
        assertThat(given.isWhole()).isTrue();
        assertThat(failing(given)).isZero();
    }

    /**
     * The tombstone is dropped on the others, and lost with a block here, where the value is still
     * in another table.
     */
    @Test
    void aDeletedKeyStaysDeletedThoughItsTombstoneIsLost() {
        List<Outcome> outcomes = new ArrayList<>();
        SimulatedNode rotten = nodes.get(1);
        byte[] deleted = key(7);
        QuorumSpec all = new QuorumSpec(3, 3);
        rotten.after(
                0,
                () ->
                        core(rotten)
                                .coordinator()
                                .write(
                                        deleted,
                                        new NewValue(value(7), null, null),
                                        null,
                                        all,
                                        false,
                                        outcomes::add));
        queue.run(SECOND);
        nodes.forEach(node -> store(node).flush());
        rotten.after(
                0,
                () ->
                        core(rotten)
                                .coordinator()
                                .write(deleted, null, null, all, false, outcomes::add));
        queue.run(SECOND);
        assertThat(outcomes).hasSize(2).allMatch(Outcome.Written.class::isInstance);
        List<Path> before = cluster.tables(rotten);
        nodes.forEach(node -> store(node).flush());
        List<Path> added = new ArrayList<>(cluster.tables(rotten));
        added.removeAll(before);
        assertThat(added).hasSize(1);
        rotten.allowCorruption();
        rotten.disk().flip(added.getFirst(), 5);
        assertThatThrownBy(() -> store(rotten).lookup(deleted))
                .isInstanceOf(CorruptionException.class);
        for (SimulatedNode node : nodes) {
            store(node).collectTombstones(store(nodes.getFirst()).newestTimestamp());
        }
        queue.run(SECOND);
        assertThat(store(nodes.getFirst()).lookup(deleted)).isEqualTo(Lookup.Absent.ABSENT);
        queue.run(20 * SECOND);
        assertThat(store(rotten).damage()).isEmpty();
        Lookup found = store(rotten).lookup(deleted);
        boolean isGone = !(found instanceof Lookup.Found is) || is.entry().isTombstone();
        assertThat(isGone).as("%s", found).isTrue();
    }
}

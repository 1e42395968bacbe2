package dev.quorate.testkit.simulation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.node.NodeCore;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A replica whose disk has lost something gets it from its peers, and votes again. */
class HealingTest {

    private static final long SECOND = 1_000_000_000L;
    private static final int KEYS = 60;

    private final SplittableRandom random = new SplittableRandom(5);
    private final EventQueue queue = new EventQueue(random.split());
    private final Story story = new Story(queue);
    private final SimulatedNetwork network = new SimulatedNetwork(queue, random.split());
    private final List<SimulatedNode> nodes = new ArrayList<>();

    HealingTest() {
        List<Member> members = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            members.add(new Member("n" + i, URI.create("http://localhost:" + (8080 + i))));
        }
        Topology topology = new Topology(members);
        ReplicaSelector selector = new ReplicaSelector(new HashRing(topology));
        for (Member member : topology.members()) {
            SimulatedNode node =
                    new SimulatedNode(
                            member,
                            selector,
                            queue,
                            network,
                            random.split(),
                            story,
                            NodeSettings.hintsAlone(), // comparisons would do a part of it
                            Sabotage.NONE);
            nodes.add(node);
            network.add(node);
        }
        nodes.forEach(SimulatedNode::start);
        queue.run(5 * SECOND);
    }

    private static byte[] key(int number) {
        return "key%02d".formatted(number).getBytes(US_ASCII);
    }

    private static byte[] value(int number) {
        return ("value" + number + " ").repeat(20).getBytes(US_ASCII);
    }

    private static NodeCore core(SimulatedNode node) {
        return Objects.requireNonNull(node.serving());
    }

    private static KeyValueStore store(SimulatedNode node) {
        return core(node).store();
    }

    private void inTurn(SimulatedNode coordinator, Consumer<Integer> each) {
        for (int i = 0; i < KEYS; i++) {
            int number = i;
            coordinator.after(i * SECOND / 20, () -> each.accept(number));
        }
        queue.run(5 * SECOND);
    }

    private void writeAll() {
        List<Outcome> outcomes = new ArrayList<>();
        SimulatedNode first = nodes.getFirst();
        inTurn(
                first,
                i ->
                        core(first)
                                .coordinator()
                                .put(
                                        key(i),
                                        value(i),
                                        null,
                                        null,
                                        new QuorumSpec(3, 3),
                                        outcomes::add));
        assertThat(outcomes).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
        nodes.forEach(node -> store(node).flush());
    }

    private List<Path> tables(SimulatedNode node) {
        return node.disk().list(SimulatedNode.STORE).stream()
                .filter(name -> name.endsWith(".sst"))
                .sorted()
                .map(SimulatedNode.STORE::resolve)
                .toList();
    }

    /** What each key is on a node, as its own vote would be; -1 for those that it cannot read. */
    private static int failing(SimulatedNode node) {
        int failing = 0;
        for (int i = 0; i < KEYS; i++) {
            try {
                Entry entry = ((Lookup.Found) store(node).lookup(key(i))).entry();
                assertThat(entry.value()).isEqualTo(value(i));
            } catch (CorruptionException e) {
                failing++;
            }
        }
        return failing;
    }

    private void damageEachTable(SimulatedNode node) {
        node.allowCorruption();
        tables(node).forEach(table -> node.disk().flip(table, 40));
    }

    @Test
    void aDamagedReplicaIsHealedAndVotesAgain() {
        writeAll();
        SimulatedNode rotten = nodes.get(1);
        damageEachTable(rotten);
        assertThat(failing(rotten)).isBetween(1, KEYS - 1);
        int tables = tables(rotten).size();
        queue.run(20 * SECOND);
        assertThat(store(rotten).damage()).isEmpty();
        assertThat(store(rotten).statistics().damagedTables()).isZero();
        assertThat(store(rotten).statistics().healedRanges()).isEqualTo(tables);
        assertThat(failing(rotten)).isZero();
        rotten.end(FaultyDisk::afterKill);
        rotten.start();
        queue.run(5 * SECOND);
        assertThat(failing(rotten)).isZero();
        assertThat(story.brokenThings()).isEmpty();
    }

    @Test
    void aReadFindsItAndIsAnsweredAllTheSame() {
        writeAll();
        SimulatedNode rotten = nodes.get(1);
        damageEachTable(rotten);
        List<Outcome> outcomes = new ArrayList<>();
        inTurn(
                rotten,
                i -> core(rotten).coordinator().read(key(i), new QuorumSpec(2, 3), outcomes::add));
        assertThat(outcomes).hasSize(KEYS).allMatch(Outcome.Found.class::isInstance);
        queue.run(20 * SECOND);
        assertThat(store(rotten).statistics().healedRanges()).isPositive();
        assertThat(failing(rotten)).isZero();
    }

    @Test
    void itWaitsForEveryPeer() {
        writeAll();
        SimulatedNode rotten = nodes.get(1);
        SimulatedNode away = nodes.get(2);
        away.end(FaultyDisk::afterKill);
        damageEachTable(rotten);
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
        writeAll();
        SimulatedNode sound = nodes.get(0);
        SimulatedNode rotten = nodes.get(1);
        SimulatedNode given = nodes.get(2);
        damageEachTable(rotten);
        damageEachTable(given);
        int failing = failing(rotten);
        assertThat(failing).isPositive();
        assertThat(failing(given)).isEqualTo(failing);
        queue.run(120 * SECOND);
        assertThat(failing(rotten)).isEqualTo(failing);
        assertThat(failing(given)).isEqualTo(failing);
        List<Outcome> outcomes = new ArrayList<>();
        QuorumSpec majority = new QuorumSpec(2, 3);
        inTurn(sound, i -> core(sound).coordinator().read(key(i), majority, outcomes::add));
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
                                .put(deleted, value(7), null, null, all, outcomes::add));
        queue.run(SECOND);
        nodes.forEach(node -> store(node).flush());
        rotten.after(0, () -> core(rotten).coordinator().delete(deleted, null, all, outcomes::add));
        queue.run(SECOND);
        assertThat(outcomes).hasSize(2).allMatch(Outcome.Written.class::isInstance);
        List<Path> before = tables(rotten);
        nodes.forEach(node -> store(node).flush());
        List<Path> added = new ArrayList<>(tables(rotten));
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

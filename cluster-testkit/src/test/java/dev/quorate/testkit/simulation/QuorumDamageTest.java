package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.KEYS;
import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.failing;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static dev.quorate.testkit.simulation.ThreeNodes.store;
import static dev.quorate.testkit.simulation.ThreeNodes.value;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.AcceptedLoss;
import dev.quorate.node.antientropy.Healing;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.simulated.FaultyDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Two of three replicas have lost the same keys, and neither can give them to the other. */
class QuorumDamageTest {

    private static final QuorumSpec MAJORITY = new QuorumSpec(2, 3);

    private final ThreeNodes cluster =
            new ThreeNodes(new NodeSettings(Duration.ZERO, 256 << 10, Duration.ZERO));
    private final EventQueue queue = cluster.queue;
    private final SimulatedNode sound = cluster.nodes.get(0);
    private final SimulatedNode rotten = cluster.nodes.get(1);
    private final SimulatedNode alike = cluster.nodes.get(2);

    private static Healing healing(SimulatedNode node) {
        return core(node).healing();
    }

    private static AcceptedLoss loss(SimulatedNode node) {
        return Objects.requireNonNull(healing(node).loss());
    }

    /** After that all know that they have what was written before. */
    private void compareAll() {
        queue.run(120 * SECOND);
        for (SimulatedNode node : cluster.nodes) {
            node.after(0, () -> core(node).repairs().begin());
            queue.run(5 * SECOND);
        }
    }

    /** Damages both, and has them notice. */
    private int damageBoth() {
        cluster.damageEachTable(rotten);
        cluster.damageEachTable(alike);
        int failing = failing(rotten);
        assertThat(failing).isPositive();
        assertThat(failing(alike)).isEqualTo(failing);
        return failing;
    }

    private List<Outcome> readAll() {
        List<Outcome> outcomes = new ArrayList<>();
        cluster.inTurn(sound, i -> core(sound).coordinator().read(key(i), MAJORITY, outcomes::add));
        assertThat(outcomes).hasSize(KEYS);
        return outcomes;
    }

    private static boolean isIn(AcceptedLoss loss, int number) {
        return loss.ranges().stream()
                .anyMatch(
                        range ->
                                range.covers(
                                        new KeyRange(key(number), KeyRange.after(key(number)))));
    }

    private static boolean isUnreadable(SimulatedNode node, int number) {
        try {
            var _ = store(node).lookup(key(number));
            return false;
        } catch (CorruptionException e) {
            return true;
        }
    }

    private static long failed(List<Outcome> outcomes) {
        return outcomes.stream().filter(Outcome.QuorumFailed.class::isInstance).count();
    }

    private static void assertHealed(SimulatedNode node) {
        assertThat(store(node).damage()).isEmpty();
        assertThat(failing(node)).isZero();
        assertThat(healing(node).loss()).isNull();
    }

    @Test
    void whereTheThirdHasAllThatIsAsOldBothAreHealed() {
        cluster.writeAll();
        compareAll();
        damageBoth();
        queue.run(120 * SECOND);
        assertHealed(rotten);
        assertHealed(alike);
        assertThat(readAll()).allMatch(Outcome.Found.class::isInstance);
        assertThat(cluster.machines.brokenThings()).isEmpty();
    }

    @Test
    void aPossiblyMissedWriteBlocksHealingUntilTheLossIsAccepted() {
        compareAll(); // before anything was written
        cluster.writeAll();
        int failing = damageBoth();
        queue.run(120 * SECOND);
        assertThat(failed(readAll())).isEqualTo(failing);
        AcceptedLoss loss = loss(rotten);
        assertThat(loss.damagedAlike()).containsExactly(alike.member.name());
        assertThat(loss.why()).startsWith(sound.member.name() + " is known to have everything");
        assertThat(cluster.tables(rotten)).contains(SimulatedNode.STORE.resolve(loss.file()));
        assertThat(loss.newest()).isLessThanOrEqualTo(store(rotten).newestTimestamp());
        assertThat(IntStream.range(0, KEYS).filter(i -> isIn(loss, i)))
                .isNotEmpty()
                .allMatch(i -> isUnreadable(rotten, i));
        assertThat(healing(rotten).acceptLoss("000001.sst-1-0")).isFalse();
        assertThat(healing(sound).acceptLoss(loss.name())).isFalse();
        queue.run(60 * SECOND);
        assertThat(failing(rotten)).isEqualTo(failing);

        while (healing(rotten).loss() != null) { // a table at a time
            assertThat(healing(rotten).acceptLoss(loss(rotten).name())).isTrue();
            queue.run(20 * SECOND);
        }
        queue.run(60 * SECOND);
        assertHealed(rotten);
        assertHealed(alike); // from the other two, without a word
        assertThat(readAll()).allMatch(Outcome.Found.class::isInstance);
    }

    @Test
    void entriesOfTheTwoDamagedNodesAreNotAbsentBeforeTheLossIsAccepted() {
        compareAll();
        sound.end(FaultyDisk::afterKill);
        List<Outcome> written = new ArrayList<>();
        cluster.inTurn(
                rotten,
                i ->
                        core(rotten)
                                .coordinator()
                                .write(
                                        key(i),
                                        new NewValue(value(i), null, null),
                                        null,
                                        MAJORITY,
                                        false,
                                        written::add));
        assertThat(written).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
        store(rotten).flush();
        store(alike).flush();
        sound.start();
        queue.run(5 * SECOND);
        int failing = damageBoth();
        compareAll(); // brings the third what can be read
        queue.run(120 * SECOND);
        List<Outcome> before = readAll();
        assertThat(failed(before)).isEqualTo(failing);
        assertThat(before.stream().filter(Outcome.Found.class::isInstance)).hasSize(KEYS - failing);

        while (healing(rotten).loss() != null) {
            assertThat(healing(rotten).acceptLoss(loss(rotten).name())).isTrue();
            queue.run(20 * SECOND);
        }
        queue.run(60 * SECOND);
        assertThat(store(rotten).damage()).isEmpty();
        assertThat(store(alike).damage()).isEmpty();
        List<Outcome> after = readAll();
        assertThat(after.stream().filter(new Outcome.Missing(null)::equals)).hasSize(failing);
        assertThat(after.stream().filter(Outcome.Found.class::isInstance)).hasSize(KEYS - failing);
    }

    @Test
    void aMemberThatIsAwayCannotBeDoneWithout() {
        compareAll();
        cluster.writeAll();
        damageBoth();
        queue.run(60 * SECOND);
        String name = loss(rotten).name();
        sound.end(FaultyDisk::afterKill);
        alike.end(FaultyDisk::afterKill);
        queue.run(120 * SECOND);
        assertThat(healing(rotten).loss()).isNull();
        assertThat(healing(rotten).acceptLoss(name)).isFalse();
        sound.start();
        queue.run(120 * SECOND);
        assertThat(healing(rotten).loss()).as("one is away still").isNull();
        assertThat(store(rotten).damage()).isNotEmpty();
    }

    private static byte[] between(int number) {
        return (new String(key(number), US_ASCII) + "x").getBytes(US_ASCII);
    }

    private static boolean hasBetween(SimulatedNode node, int number) {
        return store(node).lookup(between(number)) instanceof Lookup.Found found
                && !found.entry().isTombstone();
    }

    /** No sound member was to have it, so that none knows it says nothing. */
    @Test
    void whatIsForTheTwoAloneAndCanBeReadIsNotTakenForDeleted() {
        cluster.writeAll();
        List<Outcome> outcomes = new ArrayList<>();
        QuorumSpec two = new QuorumSpec(2, 2);
        cluster.inTurn(
                rotten,
                i ->
                        core(rotten)
                                .coordinator()
                                .write(
                                        between(i),
                                        new NewValue(new byte[1], null, null),
                                        null,
                                        two,
                                        false,
                                        outcomes::add));
        assertThat(outcomes).hasSize(KEYS).allMatch(Outcome.Written.class::isInstance);
        List<Integer> ofBoth =
                IntStream.range(0, KEYS)
                        .filter(i -> hasBetween(rotten, i) && hasBetween(alike, i))
                        .boxed()
                        .toList();
        compareAll();
        cluster.nodes.forEach(
                node -> store(node).collectTombstones(store(sound).newestTimestamp()));
        damageBoth(); // which has not what is in memory
        queue.run(SECOND / 10);
        assertThat(ofBoth)
                .anyMatch(
                        i ->
                                store(rotten).damage().stream()
                                        .flatMap(damage -> damage.ranges().stream())
                                        .anyMatch(
                                                range ->
                                                        range.covers(
                                                                new KeyRange(
                                                                        between(i),
                                                                        KeyRange.after(
                                                                                between(i))))));
        queue.run(120 * SECOND);
        assertHealed(rotten);
        assertHealed(alike);
        assertThat(ofBoth).allMatch(i -> hasBetween(rotten, i) && hasBetween(alike, i));
    }

    /**
     * Both have lost the tombstone, both still have the value, and the third has forgotten both.
     */
    @Test
    void aDeletedKeyStaysDeletedThoughBothHaveLostItsTombstone() {
        List<Outcome> outcomes = new ArrayList<>();
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
        cluster.nodes.forEach(node -> store(node).flush());
        List<List<Path>> before = cluster.nodes.stream().map(cluster::tables).toList();
        rotten.after(
                0,
                () ->
                        core(rotten)
                                .coordinator()
                                .write(deleted, null, null, all, false, outcomes::add));
        queue.run(SECOND);
        assertThat(outcomes).hasSize(2).allMatch(Outcome.Written.class::isInstance);
        cluster.nodes.forEach(node -> store(node).flush());
        compareAll();
        for (int i = 1; i <= 2; i++) {
            SimulatedNode node = cluster.nodes.get(i);
            List<Path> added = new ArrayList<>(cluster.tables(node));
            added.removeAll(before.get(i));
            assertThat(added).hasSize(1);
            node.allowCorruption();
            node.disk().flip(added.getFirst(), 5);
        }
        store(sound).collectTombstones(store(sound).newestTimestamp());
        queue.run(SECOND);
        assertThat(store(sound).lookup(deleted)).isEqualTo(Lookup.Absent.ABSENT);
        for (SimulatedNode node : List.of(rotten, alike)) {
            store(node).collectTombstones(store(sound).newestTimestamp());
        }
        queue.run(120 * SECOND);
        for (SimulatedNode node : List.of(rotten, alike)) {
            assertThat(store(node).damage()).isEmpty();
            Lookup found = store(node).lookup(deleted);
            boolean isGone = !(found instanceof Lookup.Found is) || is.entry().isTombstone();
            assertThat(isGone).as("%s", found).isTrue();
        }
    }
}

package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.ThreeNodes.SECOND;
import static dev.quorate.testkit.simulation.ThreeNodes.core;
import static dev.quorate.testkit.simulation.ThreeNodes.key;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.NodeCore;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.coordinator.waiting.Positions;
import dev.quorate.router.coordinator.waiting.PrefixWait;
import dev.quorate.router.coordinator.waiting.Wait;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients wait for changes of keys and below a prefix, while others write and nodes are killed. In
 * the end all waits are idle, each key is written once more, and each client sees that long before
 * the time of its wait is over.
 */
class WatchersSimulationTest {

    private static final QuorumSpec MAJORITY = new QuorumSpec(2, 3);
    private static final int WRITTEN = 5;
    private static final byte[] PREFIX = "key".getBytes(US_ASCII);
    private static final byte[] END = "kez".getBytes(US_ASCII);
    private static final Duration LONG = Duration.ofSeconds(50);

    private final ThreeNodes cluster = new ThreeNodes(ThreeNodes.HINTS_ALONE);
    private final EventQueue queue = cluster.queue;
    private final Map<String, Timestamp> acknowledged = new HashMap<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private SplittableRandom random = new SplittableRandom(0);
    private boolean isCalm;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nobodyMissesAnAcknowledgedWrite(long seed) {
        random = new SplittableRandom(seed);
        for (int i = 0; i < WRITTEN; i++) {
            watchers.add(new KeyWatcher(key(i)));
            watchers.add(new PrefixWatcher());
        }
        watchers.forEach(Watcher::begin);
        writeAndContinue();
        killAndContinue();
        queue.run(60 * SECOND);
        isCalm = true;
        queue.run(60 * SECOND);
        assertThat(missed()).as("seed %d, before the last writes", seed).isEmpty();
        List<Integer> attempts = watchers.stream().map(each -> each.attempt).toList();
        queue.run(3 * SECOND);
        assertThat(watchers.stream().map(each -> each.attempt).toList())
                .as("all are idle: no other event wakes them")
                .isEqualTo(attempts);
        Map<String, Timestamp> before = new HashMap<>(acknowledged);
        for (int i = 0; i < WRITTEN; i++) {
            write(i);
        }
        queue.run(5 * SECOND);
        acknowledged.forEach(
                (key, version) -> assertThat(version.isAfter(before.get(key))).isTrue());
        assertThat(missed()).as("seed %d", seed).isEmpty();
        assertThat(cluster.machines.brokenThings()).isEmpty();
    }

    private List<String> missed() {
        List<String> missed = new ArrayList<>();
        acknowledged.forEach(
                (key, version) -> {
                    for (Watcher each : watchers) {
                        Timestamp seen = each.seen.get(key);
                        if (each.watches(key) && (seen == null || version.isAfter(seen))) {
                            missed.add(each + ": " + key + " " + version + ", not " + seen);
                        }
                    }
                });
        return missed;
    }

    private SimulatedNode serving() {
        SimulatedNode node = cluster.nodes.get(random.nextInt(3));
        for (int i = 0; i < 9 && !node.takesRequests(); i++) {
            node = cluster.nodes.get(random.nextInt(3));
        }
        return node;
    }

    private void writeAndContinue() {
        if (!isCalm) {
            write(random.nextInt(WRITTEN));
            queue.after(random.nextLong(SECOND / 2), this::writeAndContinue);
        }
    }

    private void write(int number) {
        SimulatedNode node = serving();
        if (node.serving() == null) {
            return;
        }
        NewValue value = new NewValue(ThreeNodes.value(random.nextInt(99)), null, null);
        node.after(
                0,
                () ->
                        core(node)
                                .coordinator()
                                .write(
                                        key(number),
                                        value,
                                        null,
                                        MAJORITY,
                                        false,
                                        outcome -> note(number, outcome)));
    }

    private void note(int number, Outcome outcome) {
        if (outcome instanceof Outcome.Written(Timestamp version)) {
            acknowledged.merge(
                    new String(key(number), US_ASCII),
                    version,
                    (one, other) -> one.isAfter(other) ? one : other);
        }
    }

    private void killAndContinue() {
        if (isCalm) {
            return;
        }
        SimulatedNode node = cluster.nodes.get(random.nextInt(3));
        node.end(FaultyDisk::afterKill);
        queue.after(
                SECOND / 5 + random.nextLong(2 * SECOND),
                () -> {
                    node.start();
                    queue.after(random.nextLong(6 * SECOND), this::killAndContinue);
                });
    }

    /** A client, which asks another node if its node ends. */
    private abstract class Watcher {

        final Map<String, Timestamp> seen = new HashMap<>();
        int attempt;

        abstract void ask(NodeCore node, int current);

        abstract boolean watches(String key);

        final void begin() {
            int current = ++attempt;
            SimulatedNode node = serving();
            if (node.serving() == null) {
                queue.after(SECOND / 10, this::begin);
                return;
            }
            node.after(0, () -> ask(core(node), current));
            check(node, node.life(), current);
        }

        private void check(SimulatedNode node, int life, int current) {
            if (current != attempt) {
                return;
            }
            if (node.life() != life) {
                begin();
            } else {
                queue.after(SECOND / 50, () -> check(node, life, current));
            }
        }

        /** The answer arrives, unless the connection has ended. */
        final void answered(int current, Runnable next) {
            queue.after(
                    SECOND / 1_000,
                    () -> {
                        if (current == attempt) {
                            next.run();
                        }
                    });
        }

        final void again(int current) {
            answered(
                    current,
                    () -> {
                        attempt++;
                        queue.after(SECOND, this::begin);
                    });
        }

        final void see(byte[] key, Timestamp version) {
            seen.put(new String(key, US_ASCII), version);
        }
    }

    private final class KeyWatcher extends Watcher {

        private final byte[] key;

        KeyWatcher(byte[] key) {
            this.key = key;
        }

        @Override
        boolean watches(String other) {
            return other.equals(new String(key, US_ASCII));
        }

        @Override
        void ask(NodeCore node, int current) {
            Timestamp last = seen.get(new String(key, US_ASCII));
            var asked = new Wait.Asked(key, MAJORITY, now -> Objects.equals(now, last), LONG);
            Runnable whenGone =
                    node.coordinator()
                            .waits()
                            .begin(asked, () -> outcome -> take(outcome, current), () -> {});
            assertThat(whenGone).isNotNull();
        }

        private void take(Outcome outcome, int current) {
            answered(
                    current,
                    () -> {
                        if (outcome instanceof Outcome.Found(Entry entry)) {
                            see(key, entry.timestamp());
                        }
                        again(current);
                    });
        }
    }

    private final class PrefixWatcher extends Watcher {

        @Override
        boolean watches(String key) {
            return true;
        }

        @Override
        void ask(NodeCore node, int current) {
            await(node, null, Duration.ZERO, positions -> list(node, positions, current));
        }

        private void await(
                NodeCore node,
                Positions since,
                Duration time,
                java.util.function.Consumer<Positions> answer) {
            Runnable whenGone =
                    node.coordinator()
                            .waits()
                            .begin(new PrefixWait.Asked(PREFIX, since, time), answer, () -> {});
            assertThat(whenGone).isNotNull();
        }

        private void list(NodeCore node, Positions positions, int current) {
            ScanStream stream = node.coordinator().scan(PREFIX, END, MAJORITY, ScanScope.CLUSTER);
            stream.next(
                    new ScanStream.ScanCallback() {
                        @Override
                        public void entries(List<Entry> entries) {
                            entries.forEach(each -> see(each.key(), each.timestamp()));
                            stream.next(this);
                        }

                        @Override
                        public void end() {
                            stream.close();
                            await(node, positions, LONG, now -> again(current));
                        }

                        @Override
                        public void failed(Outcome.QuorumFailed outcome) {
                            stream.close();
                            again(current);
                        }
                    });
        }
    }
}

package dev.quorate.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member whose disk was lost has nothing to say until it has what it had. */
class RebuildTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final long HOUR_AGO = System.currentTimeMillis() - 3_600_000;
    private static final int KEYS = 5_000;

    @TempDir private Path data;

    private static byte[] key(int number) {
        return "key-%05d".formatted(number).getBytes(US_ASCII);
    }

    private static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            Timestamp timestamp = Timestamp.of(HOUR_AGO + i, 0, 1);
            entries.add(
                    i % 10 == 0
                            ? Entry.tombstone(key(i), timestamp, 3)
                            : Entry.value(key(i), timestamp, key(i), 3));
        }
        return entries;
    }

    private NodesWithoutSockets threeNodes() throws IOException {
        return new NodesWithoutSockets(data, 3, Map.of("request-timeout", "500ms"));
    }

    private void loseDisk(NodesWithoutSockets nodes, int node) throws IOException {
        nodes.stop(node);
        try (Stream<Path> files = Files.walk(data.resolve("n" + node))) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    private static Outcome read(NodesWithoutSockets nodes, int node, byte[] key) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        nodes.core(node).coordinator().read(key, TWO_OF_THREE, outcome::complete);
        return outcome.get(10, TimeUnit.SECONDS);
    }

    private static Outcome put(NodesWithoutSockets nodes, int node, byte[] key) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        nodes.core(node)
                .coordinator()
                .write(
                        key,
                        new NewValue(key, null, null),
                        null,
                        TWO_OF_THREE,
                        false,
                        outcome::complete);
        return outcome.get(10, TimeUnit.SECONDS);
    }

    private static boolean votes(NodesWithoutSockets nodes, int node) {
        return nodes.core(node).membership().votes();
    }

    @Test
    void writesAcknowledgedByALostDiskAreNotLost() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            nodes.write(1, entries());
            nodes.write(3, entries()); // 2/3, and n2 has missed all of them
            nodes.stop(1);
            loseDisk(nodes, 3);
            nodes.start(3);
            await().until(() -> nodes.core(2).transport().peers().get(1).isUp());
            await().until(() -> nodes.core(3).transport().peers().get(1).isUp());

            // Of those who may answer one has never had it, and one has it no more.
            for (int node = 2; node <= 3; node++) {
                Outcome.QuorumFailed failed = (Outcome.QuorumFailed) read(nodes, node, key(1));
                assertThat(failed.failures())
                        .anyMatch(
                                failure ->
                                        failure.member().equals("n3")
                                                && failure.reason() == Failure.REBUILDING);
                assertThat(put(nodes, node, key(7))).isInstanceOf(Outcome.QuorumFailed.class);
            }
            assertThat(votes(nodes, 3)).isFalse();

            nodes.start(1);
            await().atMost(Duration.ofSeconds(60)).until(() -> votes(nodes, 3));
            assertThat(nodes.difference(1, 3)).isNull();
            nodes.stop(1);
            for (int i = 0; i < KEYS; i += 501) {
                if (i % 10 == 0) {
                    assertThat(read(nodes, 2, key(i))).isInstanceOf(Outcome.Missing.class);
                } else {
                    Outcome.Found found = (Outcome.Found) read(nodes, 2, key(i));
                    assertThat(found.entry().timestamp().wallMillis()).isGreaterThan(HOUR_AGO - 1);
                }
            }
        }
    }

    @Test
    void itIsCopiedInPagesAndConcurrentWritesStay() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            for (int node = 1; node <= 3; node++) {
                nodes.write(node, entries());
            }
            loseDisk(nodes, 3);
            nodes.start(3);
            await().until(() -> nodes.core(3).membership().ours().condition() != Condition.EMPTY);
            int meanwhile = 0;
            while (!votes(nodes, 3)) {
                assertThat(put(nodes, 1, key(KEYS + meanwhile++)))
                        .isInstanceOf(Outcome.Written.class);
            }
            assertThat(meanwhile).isPositive();
            await().untilAsserted(() -> assertThat(nodes.difference(1, 3)).isNull());
            assertThat(nodes.core(3).membership().copied())
                    .isBetween((long) KEYS, (long) KEYS + meanwhile);
            long fetched =
                    nodes.core(3).repairs().status().peers().stream()
                            .mapToLong(peer -> peer.total().pulled())
                            .sum();
            assertThat(fetched).as("one by one").isLessThanOrEqualTo(meanwhile);
        }
    }

    @Test
    void itContinuesAfterARestart() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            nodes.write(1, entries());
            nodes.stop(1);
            loseDisk(nodes, 3);
            nodes.start(3);
            await().until(() -> nodes.core(3).membership().ours().condition() != Condition.EMPTY);
            nodes.stop(3);
            nodes.start(3);
            assertThat(votes(nodes, 3)).isFalse();
            nodes.start(1);
            await().atMost(Duration.ofSeconds(60)).until(() -> votes(nodes, 3));
            nodes.stop(3);
            nodes.start(3);
            await().until(() -> votes(nodes, 3));
        }
    }

    @Test
    void aMemberThatOnlyHasAnEmptyOneToAskDoesNotVoteForItself() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            nodes.write(1, entries());
            nodes.stop(1);
            nodes.stop(2);
            loseDisk(nodes, 3);
            nodes.start(3);
            assertThat(put(nodes, 3, key(1))).isInstanceOf(Outcome.QuorumFailed.class);
            assertThat(nodes.core(3).membership().ours().condition()).isEqualTo(Condition.EMPTY);
            nodes.start(2);
            await().until(() -> nodes.core(3).membership().ours().condition() != Condition.EMPTY);
            assertThat(votes(nodes, 3)).isFalse();
        }
    }
}

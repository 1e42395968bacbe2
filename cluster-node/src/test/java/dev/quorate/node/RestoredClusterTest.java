package dev.quorate.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.checkpoint.CheckpointName;
import dev.quorate.node.checkpoint.Checkpoints;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that are started from checkpoints: all of a cluster, and one of them. */
class RestoredClusterTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final CheckpointName NAME = new CheckpointName("backup");
    private static final int KEYS = 30;

    @TempDir private Path data;

    private NodesWithoutSockets threeNodes() throws IOException {
        return new NodesWithoutSockets(data, 3, Map.of("request-timeout", "500ms"));
    }

    private static byte[] key(int number) {
        return "key-%05d".formatted(number).getBytes(US_ASCII);
    }

    private static void putAll(NodesWithoutSockets nodes, int node, String value) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            nodes.core(node)
                    .coordinator()
                    .write(
                            key(i),
                            new NewValue(value.getBytes(US_ASCII), null, null),
                            null,
                            TWO_OF_THREE,
                            false,
                            outcome::complete);
            assertThat(outcome.get(10, TimeUnit.SECONDS)).isInstanceOf(Outcome.Written.class);
        }
    }

    private static void requireAll(NodesWithoutSockets nodes, int node, String value)
            throws Exception {
        for (int i = 0; i < KEYS; i++) {
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            nodes.core(node).coordinator().read(key(i), TWO_OF_THREE, outcome::complete);
            assertThat(outcome.get(10, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Outcome.Found.class,
                            found -> assertThat(found.entry().value()).asString().isEqualTo(value));
        }
    }

    private static boolean votes(NodesWithoutSockets nodes, int node) {
        return nodes.core(node).membership().votes();
    }

    private void checkpoint(NodesWithoutSockets nodes, int node) {
        Checkpoints checkpoints =
                new Checkpoints(
                        new DiskFiles(),
                        data.resolve("n" + node),
                        nodes.store(node),
                        nodes.core(node).membership()::votes,
                        0,
                        SystemTicker.INSTANCE);
        assertThat(checkpoints.make(NAME)).isInstanceOf(Checkpoints.Result.Made.class);
    }

    /** Starts from the checkpoint itself, as nothing else uses it; the directory is set aside. */
    private void restore(int node) throws IOException {
        Path directory = data.resolve("n" + node);
        Path aside = data.resolve("aside-" + node);
        Files.move(directory, aside);
        Files.move(aside.resolve("checkpoints").resolve(NAME.text()), directory);
    }

    /** The identity of its store, which changes when a member loses its standing. */
    private String store(int node) throws IOException {
        return Files.readAllLines(data.resolve("n" + node).resolve("member")).stream()
                .filter(line -> line.startsWith("store "))
                .findAny()
                .orElseThrow();
    }

    private static void restart(NodesWithoutSockets nodes, int node) throws IOException {
        nodes.stop(node);
        nodes.start(node);
        await().until(() -> votes(nodes, node));
    }

    /** The checkpoints were made one after the other, in other lives of the members. */
    @Test
    void aClusterStartsFromTheCheckpointsOfAllItsMembers() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            putAll(nodes, 1, "saved");
            for (int node = 1; node <= 3; node++) {
                checkpoint(nodes, node);
                restart(nodes, node);
            }
            await().until(() -> votes(nodes, 1) && votes(nodes, 2) && votes(nodes, 3));
            putAll(nodes, 2, "later");
        }
        List<String> stores = new ArrayList<>();
        for (int node = 1; node <= 3; node++) {
            restore(node);
            stores.add(store(node));
        }
        try (NodesWithoutSockets nodes = threeNodes()) {
            requireAll(nodes, 3, "saved");
            for (int node = 1; node <= 3; node++) {
                assertThat(store(node)).as("was rebuilt").isEqualTo(stores.get(node - 1));
            }
            putAll(nodes, 1, "after");
            requireAll(nodes, 2, "after");
            for (int node = 1; node <= 3; node++) {
                restart(nodes, node);
            }
            requireAll(nodes, 1, "after");
        }
    }

    /** Its checkpoint is younger than the last generation that it announced, and yet too old. */
    @Test
    void aMemberThatStartsFromACheckpointAloneIsRebuiltBeforeItVotes() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            putAll(nodes, 1, "saved");
            checkpoint(nodes, 1);
            nodes.stop(2);
            putAll(nodes, 3, "later"); // on n1 and n3
            nodes.stop(1);
            restore(1);
            nodes.start(1);
            await().until(
                            () ->
                                    nodes.core(1).membership().ours().condition()
                                            == Condition.REBUILDING);
            assertThat(votes(nodes, 1)).isFalse();
            nodes.start(2);
            await().atMost(Duration.ofSeconds(60)).until(() -> votes(nodes, 1));
            nodes.stop(3);
            requireAll(nodes, 2, "later");
        }
    }
}

package dev.quorate.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member that is started from an old copy of its directory has nothing to say. */
class OldCopyTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final int KEYS = 40;

    @TempDir private Path data;
    @TempDir private Path copies;

    private static byte[] key(int number) {
        return "key-%05d".formatted(number).getBytes(US_ASCII);
    }

    private NodesWithoutSockets threeNodes() throws IOException {
        return new NodesWithoutSockets(data, 3, Map.of("request-timeout", "500ms"));
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.sorted().toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
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

    private static Outcome read(NodesWithoutSockets nodes, int node, byte[] key) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        nodes.core(node).coordinator().read(key, TWO_OF_THREE, outcome::complete);
        return outcome.get(10, TimeUnit.SECONDS);
    }

    private static boolean votes(NodesWithoutSockets nodes, int node) {
        return nodes.core(node).membership().votes();
    }

    private static void requireNew(Outcome outcome) {
        switch (outcome) {
            case Outcome.Found(Entry entry) ->
                    assertThat(entry.value()).asString().isEqualTo("new");
            case Outcome.QuorumFailed failed -> {}
            default -> throw new AssertionError(outcome);
        }
    }

    @Test
    void laterAcknowledgedWritesAreNotLost() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            putAll(nodes, 1, "old");
            nodes.stop(3);
            copy(data.resolve("n3"), copies.resolve("n3"));
            nodes.start(3);
            await().until(() -> votes(nodes, 3));
            nodes.stop(2);
            putAll(nodes, 1, "new"); // on n1 and n3
            nodes.stop(3);
            delete(data.resolve("n3"));
            copy(copies.resolve("n3"), data.resolve("n3"));
            nodes.start(3);
            await().until(() -> nodes.core(3).membership().progress().contains("fetches"));
            nodes.start(2);
            await().until(() -> votes(nodes, 2));
            nodes.stop(1);
            for (int i = 0; i < KEYS; i++) {
                requireNew(read(nodes, 2, key(i)));
            }
            assertThat(votes(nodes, 3)).isFalse();
            nodes.stop(3);
            nodes.start(3);
            assertThat(votes(nodes, 3)).isFalse();

            nodes.start(1);
            await().atMost(Duration.ofSeconds(60)).until(() -> votes(nodes, 3));
            nodes.stop(1);
            for (int i = 0; i < KEYS; i++) {
                requireNew(read(nodes, 3, key(i)));
            }
        }
    }

    /** It has voted with one who does not know, and hears of it from the one that was away. */
    @Test
    void aMemberThatDetectsItLateStopsVoting() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            nodes.stop(3);
            copy(data.resolve("n3"), copies.resolve("n3"));
            nodes.stop(2);
            nodes.start(3);
            await().until(() -> votes(nodes, 3)); // which n2 does not hear of
            putAll(nodes, 1, "new");
            nodes.stop(3);
            nodes.stop(1);
            delete(data.resolve("n3"));
            copy(copies.resolve("n3"), data.resolve("n3"));
            nodes.start(2);
            nodes.start(3);
            await().until(() -> votes(nodes, 3));
            nodes.start(1);
            await().until(() -> !votes(nodes, 3));
            await().atMost(Duration.ofSeconds(60)).until(() -> votes(nodes, 3));
            for (int i = 0; i < KEYS; i++) {
                requireNew(read(nodes, 3, key(i)));
            }
        }
    }

    @Test
    void aMemberAloneDoesNotVoteButAllTogetherDo() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            putAll(nodes, 1, "new");
            for (int node = 1; node <= 3; node++) {
                nodes.stop(node);
            }
            nodes.start(1);
            assertThat(read(nodes, 1, key(1))).isInstanceOf(Outcome.QuorumFailed.class);
            assertThat(votes(nodes, 1)).isFalse();
            nodes.start(2);
            await().until(() -> votes(nodes, 1) && votes(nodes, 2));
            requireNew(read(nodes, 1, key(1)));
            nodes.start(3);
            await().until(() -> votes(nodes, 3));
        }
    }

    /** Its member file is of no age: the store tells. */
    @Test
    void anOldStoreAloneIsFoundToo() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            nodes.stop(3);
            copy(data.resolve("n3/store"), copies.resolve("store"));
            nodes.start(3);
            await().until(() -> votes(nodes, 3));
            nodes.stop(3);
            delete(data.resolve("n3/store"));
            copy(copies.resolve("store"), data.resolve("n3/store"));
            nodes.start(3);
            await().until(() -> nodes.core(3).membership().progress().contains("fetches"));
            assertThat(votes(nodes, 3)).isFalse();
        }
    }
}

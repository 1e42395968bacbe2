package dev.quorate.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.router.coordinator.operation.Outcome;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member that lost a part of its data directory has nothing to say until it has what it had. */
class LostPartsTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);
    private static final long HOUR_AGO = System.currentTimeMillis() - 3_600_000;
    private static final int KEYS = 50;

    @TempDir private Path data;

    private static byte[] key(int number) {
        return "key-%05d".formatted(number).getBytes(US_ASCII);
    }

    private static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            entries.add(Entry.value(key(i), Timestamp.of(HOUR_AGO + i, 0, 1), key(i), 3));
        }
        return entries;
    }

    private NodesWithoutSockets threeNodes() throws IOException {
        return new NodesWithoutSockets(data, 3, Map.of("request-timeout", "500ms"));
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
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

    private static boolean votes(NodesWithoutSockets nodes, int node) {
        return nodes.core(node).membership().votes();
    }

    @ParameterizedTest
    @ValueSource(strings = {"store", "member", "store/identity", "store member", "clock settled"})
    void acknowledgedWritesAreNotLost(String parts) throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            nodes.write(1, entries());
            nodes.write(3, entries()); // 2/3, and n2 has missed all of them
            nodes.stop(1);
            nodes.stop(3);
            for (String part : parts.split(" ", -1)) {
                delete(data.resolve("n3").resolve(part));
            }
            nodes.start(3);
            await().until(() -> nodes.core(2).transport().health().get(1).asked());

            for (int node = 2; node <= 3; node++) {
                assertThat(read(nodes, node, key(1))).isInstanceOf(Outcome.QuorumFailed.class);
            }
            assertThat(votes(nodes, 3)).isFalse();
            nodes.start(1);
            await().atMost(Duration.ofSeconds(60)).until(() -> votes(nodes, 3));
            assertThat(nodes.difference(1, 3)).isNull();
        }
    }

    /** One that was wiped and one that was never started are no majority of a new cluster. */
    @Test
    void noClusterIsFoundedWhileTheOneWithTheDataIsAway() throws Exception {
        try (NodesWithoutSockets nodes = threeNodes()) {
            nodes.write(1, entries());
            for (int node = 1; node <= 3; node++) {
                nodes.stop(node);
            }
            delete(data.resolve("n2"));
            delete(data.resolve("n3"));
            nodes.start(2);
            nodes.start(3);
            await().until(() -> nodes.core(2).transport().health().get(1).asked());
            await().until(() -> nodes.core(3).transport().health().get(1).asked());
            assertThat(read(nodes, 2, key(1))).isInstanceOf(Outcome.QuorumFailed.class);
            assertThat(votes(nodes, 2)).isFalse();
            assertThat(votes(nodes, 3)).isFalse();
            nodes.start(1);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> votes(nodes, 2) && votes(nodes, 3) && votes(nodes, 1));
            assertThat(read(nodes, 2, key(1))).isInstanceOf(Outcome.Found.class);
        }
    }
}

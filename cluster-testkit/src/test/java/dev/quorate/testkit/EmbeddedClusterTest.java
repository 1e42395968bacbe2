package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A cluster in which nothing is wrong. */
class EmbeddedClusterTest {

    @Test
    void anyNodeAnswersForAll() {
        try (QuorateCluster cluster = QuorateCluster.start(3)) {
            Reply stored = cluster.put("a key", "a value", "3/3");
            assertThat(stored.status()).isEqualTo(201);
            for (TestNode node : cluster.nodes()) {
                Reply read = node.get("a key");
                assertThat(read.status()).isEqualTo(200);
                assertThat(read.text()).isEqualTo("a value");
                assertThat(read.version()).isNotNull().isEqualTo(stored.version());
            }
            assertThat(cluster.node(2).delete("a key").status()).isEqualTo(202);
            assertThat(cluster.node(3).get("a key").status()).isEqualTo(404);
            assertThat(cluster.get("a key", "4/3").status()).isEqualTo(400);
            assertThat(cluster.verdict().isKept()).isTrue();
            assertThat(cluster.history().operations()).hasSize(6);
        }
    }

    @Test
    void aKeyIsWhereItsOwnersAre() throws Exception {
        try (QuorateCluster cluster = QuorateCluster.start(5)) {
            for (int i = 0; i < 10; i++) {
                String key = "key" + i;
                assertThat(cluster.node(1 + i % 5).put(key, "v" + i, "3/3").status())
                        .isEqualTo(201);
                for (TestNode node : cluster.nodes()) {
                    assertThat(NodeRequests.keysOf(node).contains(key))
                            .as(key + " at " + node)
                            .isEqualTo(cluster.owners(key).contains(node));
                }
            }
        }
    }

    @Test
    void theFolderIsDeleted() throws Exception {
        // Some threads are the JVM's, and come with the first cluster.
        QuorateCluster.start(1).close();
        Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
        Path directory;
        int port;
        try (QuorateCluster cluster = QuorateCluster.start(2);
                QuorateCluster beside = QuorateCluster.start(1)) {
            cluster.put("key", "value");
            assertThat(beside.get("key").status()).isEqualTo(404);
            cluster.node(2).kill();
            directory = cluster.node(1).disk().directory();
            port = URI.create(cluster.url(1)).getPort();
            assertThat(directory).isDirectory();
        }
        assertThat(directory.getParent().getParent()).doesNotExist();
        new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
        Awaitility.await()
                .untilAsserted(
                        () ->
                                assertThat(Thread.getAllStackTraces().keySet())
                                        .filteredOn(thread -> !before.contains(thread))
                                        .filteredOn(thread -> !isTheJvms(thread))
                                        .isEmpty());
    }

    private static boolean isTheJvms(Thread thread) {
        String name = thread.getName();
        return name.startsWith("ForkJoinPool") || name.startsWith("awaitility") || isIdle(name);
    }

    /** A pool's threads end when they have had nothing to do for a while. */
    private static boolean isIdle(String name) {
        return name.startsWith("HttpClient-") && name.contains("Worker");
    }

    @Test
    void settingsAreThoseOfANode() {
        assertThatThrownBy(() -> QuorateCluster.builder().setting("reqest-timeout", "1").start())
                .hasMessageContaining("request-timeout");
        assertThatThrownBy(() -> QuorateCluster.builder().setting("data", "/tmp").start())
                .hasMessageContaining("by itself");
        assertThatThrownBy(() -> QuorateCluster.start(0)).hasMessageContaining("1 to 64");
        try (QuorateCluster small =
                QuorateCluster.builder().nodes(1).setting("max-value-bytes", "4KiB").start()) {
            assertThat(small.put("key", "v".repeat(4096)).status()).isEqualTo(201);
            assertThat(small.put("key", "v".repeat(4097)).status()).isEqualTo(413);
            assertThatThrownBy(() -> small.node(2)).hasMessageContaining("1 to 1");
        }
    }

    @Test
    void itsTimeIsItsOwn() throws Exception {
        Instant begin = Instant.parse("2031-05-01T00:00:00Z");
        try (QuorateCluster cluster = QuorateCluster.builder().wallClock(begin).start()) {
            assertThat(cluster.node(2).clock().now())
                    .isBetween(begin, begin.plus(Duration.ofMinutes(5)));
            assertThat(
                            NodeRequests.putLater(cluster.node(1), "id=key&ttl=60", "v")
                                    .get()
                                    .statusCode())
                    .isEqualTo(201);
            assertThat(cluster.get("key").status()).isEqualTo(200);
            cluster.advance(Duration.ofSeconds(61));
            assertThat(cluster.node(3).get("key").status()).isEqualTo(404);
            Awaitility.await().until(() -> cluster.put("key", "again").status() == 201);
        }
    }
}

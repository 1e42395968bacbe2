package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Processes that end, and that stand still. */
@QuorateTest(nodes = 3)
class ProcessFaultsTest {

    /** What is on a disk: names, and hashes of what they stand for. */
    private static Map<Path, Integer> contents(TestDisk disk) throws IOException {
        Map<Path, Integer> contents = new TreeMap<>();
        for (Path file : disk.files()) {
            byte[] bytes = Files.readAllBytes(disk.directory().resolve(file));
            contents.put(file, Arrays.hashCode(bytes));
        }
        return contents;
    }

    @Test
    void twoOfThreeGoOnWithoutTheThird(QuorateCluster cluster) {
        cluster.put("key", "one", "3/3");
        cluster.node(1).kill();
        assertThat(cluster.node(2).get("key", "2/3").text()).isEqualTo("one");
        assertThat(cluster.node(2).get("key", "3/3").status()).isEqualTo(504);
        assertThat(cluster.node(3).put("key", "two", "2/3").status()).isEqualTo(201);
        assertThatThrownBy(() -> cluster.node(1).get("key"))
                .isInstanceOf(UncheckedIOException.class);
        cluster.node(1).start();
        cluster.awaitReady();
        assertThat(cluster.node(1).get("key", "3/3").text()).isEqualTo("two");
        assertThat(cluster.verdict().isKept()).isTrue();
    }

    /** A killed node does not write a byte; one that stops leaves word of its clock at least. */
    @Test
    void aKillFlushesNothing(QuorateCluster cluster) throws IOException {
        TestNode killed = cluster.node(1);
        TestNode stopped = cluster.node(2);
        cluster.put("key", "value", "3/3");
        killed.pause();
        Map<Path, Integer> before = contents(killed.disk());
        killed.kill();
        assertThat(contents(killed.disk())).isEqualTo(before);
        stopped.pause();
        before = contents(stopped.disk());
        stopped.resume();
        stopped.stop();
        assertThat(contents(stopped.disk())).isNotEqualTo(before);
    }

    @Test
    void aKillResetsConnectionsAndAStopDoesNot(QuorateCluster cluster) throws IOException {
        for (TestNode node : cluster.nodes()) {
            URI url = URI.create(node.url());
            try (Socket idle = new Socket(url.getHost(), url.getPort())) {
                idle.setSoTimeout(10_000);
                // An answer shows that the node knows of the connection.
                idle.getOutputStream()
                        .write(
                                "GET /v0/status HTTP/1.1\r\nHost: x\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                assertThat(idle.getInputStream().read()).isEqualTo('H');
                idle.getInputStream().skipNBytes(idle.getInputStream().available());
                if (node.number() == 1) {
                    node.kill();
                    assertThatThrownBy(() -> idle.getInputStream().readAllBytes())
                            .isInstanceOf(SocketException.class)
                            .hasMessageContaining("reset");
                } else {
                    node.stop();
                    assertThat(idle.getInputStream().readAllBytes()).isNotNull();
                }
            }
        }
    }

    /** Whoever waits is not told, neither of the end nor of what it might have come to. */
    @Test
    void whatIsInFlightAtAKillIsNeverAnswered(QuorateCluster cluster) {
        cluster.network().partition(1);
        CompletableFuture<HttpResponse<String>> waiting =
                NodeRequests.putLater(cluster.node(1), "id=key&replicas=3/3", "value");
        Awaitility.await().until(() -> NodeRequests.keysOf(cluster.node(1)).contains("key"));
        cluster.node(1).kill();
        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aPausedNodeAnswersWhenItIsResumed(QuorateCluster cluster) throws Exception {
        TestNode paused = cluster.node(1);
        cluster.put("key", "one", "3/3");
        paused.pause();
        CompletableFuture<HttpResponse<String>> waiting =
                NodeRequests.putLater(paused, "id=other&replicas=1/3", "value");
        assertThat(cluster.node(2).get("key", "3/3").status()).isEqualTo(504);
        assertThat(cluster.node(2).put("key", "two", "2/3").status()).isEqualTo(201);
        assertThat(waiting).isNotDone();
        assertThatThrownBy(paused::stop).hasMessageContaining("paused");
        paused.resume();
        assertThat(waiting.get().statusCode()).isEqualTo(201);
        cluster.awaitReady();
        assertThat(cluster.node(1).get("key", "3/3").text()).isEqualTo("two");
    }

    @Test
    void aPausedNodeCanBeKilled(QuorateCluster cluster) {
        cluster.node(1).pause();
        CompletableFuture<HttpResponse<String>> waiting =
                NodeRequests.putLater(cluster.node(1), "id=key&replicas=1/3", "value");
        assertThat(cluster.node(2).put("key", "value").status()).isEqualTo(201);
        cluster.node(1).kill();
        assertThatThrownBy(waiting::get).isInstanceOf(ExecutionException.class);
        assertThat(cluster.node(1).state()).isEqualTo(TestNode.State.DOWN);
    }

    @Test
    void aRestartPreservesTheData(QuorateCluster cluster) {
        for (TestNode node : cluster.nodes()) {
            assertThat(node.put("key" + node.number(), "value", "3/3").status()).isEqualTo(201);
            node.restart();
            cluster.awaitReady();
        }
        for (TestNode node : cluster.nodes()) {
            assertThat(cluster.get("key" + node.number(), "3/3").text()).isEqualTo("value");
        }
        assertThatThrownBy(() -> cluster.node(1).start()).hasMessageContaining("already");
    }
}

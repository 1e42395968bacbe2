package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that says that it is ready takes writes. */
class ReadyTest {

    private static final int STARTS = 10;

    @TempDir private Path data;

    @Test
    void theFirstWriteAfterANodeIsReadyIsTaken() throws Exception {
        try (NodesInOneProcess nodes = new NodesInOneProcess(data, 3)) {
            for (int round = 0; round < STARTS; round++) {
                for (int node = 1; node <= 3; node++) {
                    nodes.stop(node);
                }
                int last = 1 + round % 3;
                for (int node = 1; node <= 3; node++) {
                    int next = 1 + (last + node - 1) % 3;
                    nodes.start(next);
                    requireReadyMeansReady(nodes, next, node > 1);
                }
                for (int node = 1; node <= 3; node++) {
                    requireReadyMeansReady(nodes, node, true);
                }
            }
        }
    }

    /** It arrives when one node has started, and the cluster is founded with the second. */
    @Test
    void aWriteThatComesBeforeTheClusterIsFoundedIsTaken() throws Exception {
        try (NodesInOneProcess nodes = new NodesInOneProcess(data, 3, 60_000);
                HttpClient client = HttpClient.newHttpClient()) {
            nodes.start(1);
            CompletableFuture<HttpResponse<String>> answer =
                    client.sendAsync(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    nodes.url(1)
                                                            + "/v0/entity?id=key&replicas=2/3"))
                                    .PUT(HttpRequest.BodyPublishers.ofString("value"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            nodes.start(2);
            nodes.start(3);
            assertThat(answer.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(201);
        }
    }

    private static void requireReadyMeansReady(
            NodesInOneProcess nodes, int node, boolean isReadySoon) throws Exception {
        try (EntityClient client = new EntityClient(nodes.url(node))) {
            if (isReadySoon) {
                Awaitility.await()
                        .pollInSameThread()
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> client.path("/readyz").statusCode() == 200);
            } else {
                HttpResponse<String> answer = client.path("/readyz");
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
                // A script that starts one node at a time waits for this.
                assertThat(client.path("/v0/status").statusCode()).isEqualTo(200);
                assertThat(client.path("/livez").statusCode()).isEqualTo(200);
                return;
            }
            assertThat(client.put("key", "value", "2/3").statusCode()).isEqualTo(201);
        }
    }
}

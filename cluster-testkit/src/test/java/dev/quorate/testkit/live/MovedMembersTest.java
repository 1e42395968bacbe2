package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.ProcessCluster;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real nodes, whose addresses operators change. */
final class MovedMembersTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir Path data;
    private final NodeClient http = new NodeClient();
    private NodesInOneProcess nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new NodesInOneProcess(data, 3);
        for (int node = 1; node <= 3; node++) {
            String ring = nodes.url(node) + "/v0/ring";
            await().atMost(SOON).until(() -> text(ring).contains("\"epoch\":1,"));
        }
    }

    @AfterEach
    void stop() {
        http.close();
        nodes.close();
    }

    private String text(String url) throws IOException {
        return new String(http.get(url).body(), StandardCharsets.UTF_8);
    }

    /** A change of the address of a member, asked of a node. */
    private HttpRequest move(int node, int epoch, String member, String url) {
        return NodeClient.request(nodes.url(node) + "/admin/members")
                .header("If-Match", "\"" + epoch + "\"")
                .POST(
                        BodyPublishers.ofString(
                                "{\"set\":[{\"name\":\"%s\",\"url\":\"%s\"}]}"
                                        .formatted(member, url)))
                .build();
    }

    private void awaitEverywhere(int epoch, String url) {
        for (int node = 1; node <= 3; node++) {
            String ring = nodes.url(node) + "/v0/ring";
            await().atMost(SOON).until(() -> text(ring).contains("\"epoch\":" + epoch + ","));
            await().atMost(SOON).until(() -> text(ring).contains(url));
        }
    }

    private void assertServes(EntityClient node, String key) throws Exception {
        for (int i = 0; i < 10; i++) {
            HttpResponse<String> put = node.put(key + i, "value", "2/3");
            assertThat(put.statusCode()).as(key + i + ": " + put.body()).isEqualTo(201);
            assertThat(node.get(key + i, "2/3").body()).isEqualTo("value");
        }
    }

    @Test
    void aMemberMovesAwayAndBackWhileTheClusterServes() throws Exception {
        String nowhere = "http://127.0.0.1:" + ProcessCluster.freePorts(1);
        try (EntityClient n1 = new EntityClient(nodes.url(1));
                EntityClient n3 = new EntityClient(nodes.url(3))) {
            assertServes(n1, "before");
            HttpResponse<String> away =
                    http.send(move(1, 1, "n2", nowhere), BodyHandlers.ofString());
            assertThat(away.statusCode()).as(away.body()).isEqualTo(200);
            assertThat(away.headers().firstValue("ETag")).hasValue("\"2\"");
            assertThat(away.body()).contains(nowhere);
            assertServes(n1, "away-1-");
            assertServes(n3, "away-3-");
            awaitEverywhere(2, nowhere);
            assertThat(text(nodes.url(1) + "/")).contains(nowhere);
            assertServes(n3, "away-");

            HttpResponse<String> back =
                    http.send(move(3, 2, "n2", nodes.url(2)), BodyHandlers.ofString());
            assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
            assertServes(n1, "back-");
            awaitEverywhere(3, nodes.url(2));
            for (int node : List.of(1, 3)) {
                String page = nodes.url(node) + "/admin/members";
                String up =
                        "\"url\":\"%s\",\"since\":1,\"part\":\"stays\",\"epoch\":3,\"clean\":true,\"standing\":\"up\"}"
                                .formatted(nodes.url(2));
                await().atMost(SOON).untilAsserted(() -> assertThat(text(page)).contains(up));
            }
            assertThat(n1.put("all", "value", "3/3").statusCode()).isEqualTo(201);
        }
    }

    /** As in the section "Moving a member" of docs/operations.md. */
    @Test
    void aMemberIsMovedAndThenStartedThere() throws Exception {
        String there = "http://127.0.0.1:" + ProcessCluster.freePorts(1);
        try (EntityClient n1 = new EntityClient(nodes.url(1))) {
            assertThat(n1.put("key", "value", "3/3").statusCode()).isEqualTo(201);
            HttpResponse<String> moved =
                    http.send(move(1, 1, "n2", there), BodyHandlers.ofString());
            assertThat(moved.statusCode()).as(moved.body()).isEqualTo(200);
            for (int i = 0; i < 50; i++) {
                HttpResponse<String> put = n1.put("until it moves " + i, "value", "3/3");
                assertThat(put.statusCode()).as(put.body()).isEqualTo(201);
            }
            nodes.stop(2);
            nodes.start(2, nodes.topology().replace(nodes.url(2), there));
            awaitMoved(there, 2, n1);
        }
    }

    /** Neither address is free while the other member has it, and both are reached all the same. */
    @Test
    void aSwapOfAddressesBlocksNoOtherChange() throws Exception {
        String there = "http://127.0.0.1:" + ProcessCluster.freePorts(1);
        String swapped =
                nodes.topology()
                        .replace(nodes.url(1), "first")
                        .replace(nodes.url(3), nodes.url(1))
                        .replace("first", nodes.url(3));
        for (int node = 1; node <= 3; node++) {
            nodes.stop(node);
        }
        for (int node = 1; node <= 3; node++) {
            nodes.start(node, swapped);
        }
        try (EntityClient n3 = new EntityClient(nodes.url(1))) {
            await().atMost(SOON).until(() -> n3.put("key", "value", "3/3").statusCode() == 201);
            HttpResponse<String> moved =
                    http.send(move(2, 1, "n2", there), BodyHandlers.ofString());
            assertThat(moved.statusCode()).as(moved.body()).isEqualTo(200);
            awaitEverywhere(2, there);
        }
    }

    @Test
    void aMemberThatIsStartedElsewhereMovesByItself() throws Exception {
        String there = "http://127.0.0.1:" + ProcessCluster.freePorts(1);
        try (EntityClient n1 = new EntityClient(nodes.url(1))) {
            nodes.stop(2);
            nodes.start(2, nodes.topology().replace(nodes.url(2), there));
            awaitMoved(there, 2, n1);
        }
    }

    private void awaitMoved(String there, int epoch, EntityClient n1) {
        for (String url : List.of(nodes.url(1), there, nodes.url(3))) {
            await().atMost(SOON)
                    .untilAsserted(
                            () ->
                                    assertThat(text(url + "/v0/ring"))
                                            .contains("\"epoch\":" + epoch + ",", there));
        }
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(n1.put("key", "value", "3/3").statusCode())
                                        .isEqualTo(201));
    }

    @Test
    void oneOfTwoOperatorsWins() throws Exception {
        int port = ProcessCluster.freePorts(2);
        CompletableFuture<HttpResponse<String>> one =
                http.sendAsync(
                        move(1, 1, "n3", "http://127.0.0.1:" + port), BodyHandlers.ofString());
        CompletableFuture<HttpResponse<String>> other =
                http.sendAsync(
                        move(2, 1, "n3", "http://127.0.0.1:" + (port + 1)),
                        BodyHandlers.ofString());
        int first = one.get(20, TimeUnit.SECONDS).statusCode();
        int second = other.get(20, TimeUnit.SECONDS).statusCode();
        assertThat(List.of(first, second))
                .as(one.get().body() + other.get().body())
                .contains(200)
                .containsAnyOf(409, 412);
        int winner = first == 200 ? port : port + 1;
        awaitEverywhere(2, "http://127.0.0.1:" + winner);
    }
}

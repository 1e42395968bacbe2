package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real nodes, of which operators add and remove some. */
final class ChangedMembersTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int KEYS = 200;

    @TempDir Path data;
    private final NodeClient http = new NodeClient();
    private NodesInOneProcess nodes;

    @BeforeEach
    void startThreeOfFour() throws Exception {
        nodes = new NodesInOneProcess(data, 4, 1_000);
        String three = nodes.topology().substring(0, nodes.topology().lastIndexOf(','));
        for (int node = 1; node <= 3; node++) {
            nodes.start(node, three);
        }
        for (int node = 1; node <= 3; node++) {
            awaitPage(node, "\"epoch\":1,");
        }
    }

    @AfterEach
    void stop() {
        http.close();
        nodes.close();
    }

    private String page(int node) throws IOException {
        byte[] body = http.get(nodes.url(node) + "/admin/members").body();
        return new String(body, StandardCharsets.UTF_8);
    }

    private void awaitPage(int node, String text) {
        await().atMost(SOON).untilAsserted(() -> assertThat(page(node)).contains(text));
    }

    private HttpResponse<String> change(int node, int epoch, String body) throws Exception {
        return http.send(
                NodeClient.request(nodes.url(node) + "/admin/members")
                        .header("If-Match", "\"" + epoch + "\"")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private String joinOf(int node) {
        return "{\"add\":[{\"name\":\"n%d\",\"url\":\"%s\"}]}".formatted(node, nodes.url(node));
    }

    private void write(String prefix) throws Exception {
        try (EntityClient n2 = new EntityClient(nodes.url(2))) {
            for (int i = 0; i < KEYS; i++) {
                HttpResponse<String> put = n2.put(prefix + i, "value", "2/3");
                assertThat(put.statusCode()).as(prefix + i + ": " + put.body()).isEqualTo(201);
            }
        }
    }

    private void assertServes(int node, String prefix) throws Exception {
        try (EntityClient client = new EntityClient(nodes.url(node))) {
            for (int i = 0; i < KEYS; i++) {
                HttpResponse<String> got = client.get(prefix + i, "2/3");
                assertThat(got.body()).as(prefix + i).isEqualTo("value");
            }
        }
    }

    private void awaitRemoved(int node) throws Exception {
        try (EntityClient client = new EntityClient(nodes.url(node))) {
            await().atMost(SOON)
                    .untilAsserted(
                            () -> {
                                HttpResponse<String> put = client.put("k", "v", "1/3");
                                assertThat(put.statusCode()).isEqualTo(503);
                                assertThat(put.body()).contains("was removed");
                            });
        }
    }

    private HttpResponse<String> text(String method, String path) throws Exception {
        return http.send(
                NodeClient.request(nodes.url(1) + path)
                        .header("Accept", "text/plain")
                        .method(method, BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    /** While n4 joins and is down: in readiness, reports on a key, and explanations. */
    private void assertOwnersAreNamed() throws Exception {
        assertThat(text("GET", "/readyz").body())
                .contains("2 needed for writes; in epoch 2 members change, n4 joins\n");
        int i = 0;
        while (!text("GET", "/admin/why?id=before" + i).body().contains("n4    new ")) {
            assertThat(++i).isLessThan(KEYS);
        }
        String why = text("GET", "/admin/why?id=before" + i).body();
        assertThat(why)
                .contains(
                        "\nEpoch 2: members change\n", "A read at a majority (2/3 and 2/3) returns")
                .containsPattern("\nn[123] +old +[0-9a-f]{16}-");
        assertThat(why.split("\nn[123] +both ", -1)).hasSize(1 + 2);
        assertThat(text("DELETE", "/v0/entity?replicas=3/3&id=before" + i).body())
                .contains(
                        "3 of the 3 old owners and 2 of the 3 new owners have", "3 of each had to");
        write("before");
    }

    /** The keys of some waits get other owners twice. */
    @Test
    void waitsContinueWhileMembersChange() throws Exception {
        write("key");
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            String entity = nodes.url(1) + "/v0/entity?id=key" + i;
            String tag = http.get(entity).headers().firstValue("ETag").orElseThrow();
            waiting.add(
                    http.sendAsync(
                            NodeClient.request(entity + "&wait=55s")
                                    .timeout(SOON)
                                    .header("If-None-Match", tag)
                                    .build(),
                            BodyHandlers.ofString()));
        }
        nodes.start(4, nodes.topology());
        assertThat(change(1, 1, joinOf(4)).statusCode()).isEqualTo(200);
        for (int node = 1; node <= 4; node++) {
            awaitPage(node, "\"epoch\":3,\"members\"");
        }
        // Not before the entries of moved keys are deleted.
        await().atMost(SOON).until(() -> change(2, 3, "{\"remove\":[\"n3\"]}").statusCode() == 200);
        awaitPage(1, "\"epoch\":5,\"members\"");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        try (EntityClient n2 = new EntityClient(nodes.url(2))) {
            for (int i = 0; i < KEYS; i++) {
                assertThat(n2.put("key" + i, "next", "2/3").statusCode()).isEqualTo(201);
            }
        }
        for (CompletableFuture<HttpResponse<String>> each : waiting) {
            assertThat(each.get(30, TimeUnit.SECONDS).body()).isEqualTo("next");
        }
    }

    @Test
    void aNodeJoinsAndAnotherLeaves() throws Exception {
        write("before");
        nodes.start(4, nodes.topology());
        HttpResponse<String> joining = change(1, 1, joinOf(4));
        assertThat(joining.statusCode()).as(joining.body()).isEqualTo(200);
        assertThat(joining.body()).contains("\"epoch\":2,\"joint\":true", "\"part\":\"joins\"");
        write("meanwhile");
        for (int node = 1; node <= 4; node++) {
            awaitPage(node, "\"epoch\":3,\"members\"");
        }
        for (String prefix : List.of("before", "meanwhile")) {
            assertServes(4, prefix);
        }
        nodes.stop(4);
        nodes.start(4, nodes.topology());
        await().atMost(SOON).until(() -> page(4).split("\"clean\":true", -1).length == 4 + 1);
        HttpResponse<String> leaving = change(4, 3, "{\"remove\":[\"n1\"]}");
        assertThat(leaving.statusCode()).as(leaving.body()).isEqualTo(200);
        for (int node = 2; node <= 4; node++) {
            awaitPage(node, "\"epoch\":5,\"members\"");
        }
        nodes.stop(3); // two are left, so each has every key
        for (String prefix : List.of("before", "meanwhile")) {
            assertServes(4, prefix);
        }
        awaitRemoved(1);
        String events =
                new String(http.get(nodes.url(1) + "/admin/events").body(), StandardCharsets.UTF_8);
        assertThat(events.split("this node is not one of its members", -1))
                .as("said once of each: %s", events)
                .hasSizeBetween(1, 1 + 3);
        assertThat(events).doesNotContain("at its address is");
        nodes.stop(1);
        // A node that may still get a quorum lets its clients wait for this long.
        nodes.start(1, nodes.topology(), (int) Duration.ofMinutes(10).toMillis());
        awaitRemoved(1);
    }

    @Test
    void aChangeThatWaitsIsCancelled() throws Exception {
        write("before");
        HttpResponse<String> joining = change(1, 1, joinOf(4)); // nobody is there
        assertThat(joining.statusCode()).as(joining.body()).isEqualTo(200);
        assertThat(joining.body()).contains("\"waits\":[\"n4, which does not answer\"");
        for (String path : List.of("/", "/metrics", "/v0/ring")) {
            var shown = http.get(nodes.url(1) + path);
            assertThat(shown.statusCode()).as(path).isEqualTo(200);
            assertThat(new String(shown.body(), StandardCharsets.UTF_8)).as(path).contains("n4");
        }
        try (BufferedReader console =
                new BufferedReader(
                        new InputStreamReader(
                                http.send(
                                                NodeClient.request(
                                                                nodes.url(1)
                                                                        + "/admin/console/stream")
                                                        .build(),
                                                BodyHandlers.ofInputStream())
                                        .body(),
                                StandardCharsets.UTF_8))) {
            assertThat(console.lines().anyMatch(line -> line.contains("\"name\":\"n4\""))).isTrue();
        }
        write("meanwhile");
        assertOwnersAreNamed();
        HttpResponse<String> cancelled = change(2, 2, "{\"cancel\":true}");
        assertThat(cancelled.statusCode()).as(cancelled.body()).isEqualTo(200);
        for (int node = 1; node <= 3; node++) {
            awaitPage(node, "\"epoch\":3,\"members\"");
        }
        nodes.stop(1);
        for (String prefix : List.of("before", "meanwhile")) {
            assertServes(3, prefix);
        }
    }
}

package dev.quorate.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.client.Awaited;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.router.coordinator.waiting.Waits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Clients that wait for a change of a key, at real nodes. A wait that is woken ends before its
 * time.
 */
class WaitsTest {

    private static final long LONG_SECONDS = 50;
    private static final long EARLY_SECONDS = 40;

    private final HttpClient http = HttpClient.newHttpClient();
    private QuorateCluster cluster;

    @BeforeEach
    void start() {
        cluster = QuorateCluster.start(4);
    }

    @AfterEach
    void stop() {
        http.close();
        cluster.close();
    }

    private CompletableFuture<HttpResponse<String>> ask(
            TestNode node, String query, @Nullable String tag) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(node.url() + "/v0/entity?" + query));
        if (tag != null) {
            request.header("If-None-Match", tag);
        }
        return http.sendAsync(request.build(), BodyHandlers.ofString());
    }

    private CompletableFuture<HttpResponse<String>> longWait(
            TestNode node, String key, @Nullable String version) {
        return ask(
                node,
                "id=" + key + "&wait=" + LONG_SECONDS + "s",
                version == null ? null : "\"" + version + "\"");
    }

    private static HttpResponse<String> woken(CompletableFuture<HttpResponse<String>> answer)
            throws Exception {
        return answer.get(EARLY_SECONDS, TimeUnit.SECONDS);
    }

    private static int figure(TestNode node, String name) throws IOException {
        return NodeRequests.metricOf(node, name);
    }

    private static void awaitFigure(TestNode node, String name, long value) {
        await().untilAsserted(() -> assertThat(figure(node, name)).isEqualTo(value));
    }

    private static void awaitIdle(TestNode node, long waits) {
        awaitFigure(node, "quorate_waits", waits);
    }

    private String put(String key, String value) {
        Reply stored = cluster.put(key, value);
        assertThat(stored.status()).isEqualTo(201);
        return String.valueOf(stored.version());
    }

    /** Waits until {@code count} owners have registered a wait. */
    private void awaitRegistered(String key, int count) {
        await().untilAsserted(
                        () -> {
                            int registered = 0;
                            for (TestNode owner : cluster.owners(key)) {
                                registered += figure(owner, "quorate_waits_registered");
                            }
                            assertThat(registered).isGreaterThanOrEqualTo(count);
                        });
    }

    @Test
    void everyNodeIsWokenByAWrite() throws Exception {
        String version = put("key", "one");
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (TestNode node : cluster.nodes()) {
            waiting.add(longWait(node, "key", version));
        }
        awaitRegistered("key", 3 * 4);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        String next = put("key", "two");
        for (CompletableFuture<HttpResponse<String>> each : waiting) {
            HttpResponse<String> answer = woken(each);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("two");
            assertThat(answer.headers().firstValue("ETag")).hasValue("\"" + next + "\"");
        }
        for (TestNode node : cluster.nodes()) {
            awaitIdle(node, 0);
            awaitFigure(node, "quorate_waits_registered", 0);
        }
    }

    @Test
    void aValueThatComesEndsAWaitWithoutATag() throws Exception {
        CompletableFuture<HttpResponse<String>> waiting = longWait(cluster.node(1), "key", null);
        awaitRegistered("key", 3);
        put("key", "one");
        assertThat(woken(waiting).body()).isEqualTo("one");
        assertThat(woken(longWait(cluster.node(2), "key", null)).body()).isEqualTo("one");
    }

    @Test
    void aDeleteEndsAWait() throws Exception {
        String version = put("key", "one");
        CompletableFuture<HttpResponse<String>> waiting = longWait(cluster.node(1), "key", version);
        awaitRegistered("key", 3);
        assertThat(cluster.delete("key").status()).isEqualTo(202);
        assertThat(woken(waiting).statusCode()).isEqualTo(404);
    }

    @Test
    void expiryEndsAWait() throws Exception {
        HttpRequest put =
                HttpRequest.newBuilder(URI.create(cluster.url(1) + "/v0/entity?id=key&ttl=2s"))
                        .PUT(HttpRequest.BodyPublishers.ofString("one"))
                        .build();
        String tag = http.send(put, BodyHandlers.ofString()).headers().firstValue("ETag").get();
        HttpResponse<String> answer =
                woken(ask(cluster.node(2), "id=key&wait=" + LONG_SECONDS + "s", "W/" + tag));
        assertThat(answer.statusCode()).isEqualTo(404);
    }

    @Test
    void anotherVersionIsAnsweredAtOnce() throws Exception {
        String version = put("key", "one");
        put("key", "two");
        assertThat(woken(longWait(cluster.node(3), "key", version)).body()).isEqualTo("two");
    }

    @Test
    void withoutAChangeTheWaitEndsAfterItsTime() throws Exception {
        String version = put("key", "one");
        for (String tag : List.of("\"" + version + "\"", "W/\"" + version + "\"", "*")) {
            HttpResponse<String> same = ask(cluster.node(1), "id=key&wait=50ms", tag).get();
            assertThat(same.statusCode()).as(tag).isEqualTo(304);
            assertThat(same.headers().firstValue("ETag")).hasValue("\"" + version + "\"");
        }
        assertThat(ask(cluster.node(1), "id=key", "W/\"" + version + "\"").get().statusCode())
                .as("without a wait")
                .isEqualTo(304);
        assertThat(ask(cluster.node(1), "id=none&wait=50ms", null).get().statusCode())
                .isEqualTo(404);
        awaitIdle(cluster.node(1), 0);
    }

    @Test
    void aLongValueAndAConditionalWriteWakeToo() throws Exception {
        String version = put("key", "x".repeat(10_000));
        CompletableFuture<HttpResponse<String>> waiting = longWait(cluster.node(1), "key", version);
        awaitRegistered("key", 3);
        HttpRequest put =
                HttpRequest.newBuilder(URI.create(cluster.url(2) + "/v0/entity?id=key"))
                        .header("If-Match", "\"" + version + "\"")
                        .PUT(HttpRequest.BodyPublishers.ofString("y".repeat(10_000)))
                        .build();
        assertThat(http.send(put, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
        assertThat(woken(waiting).body()).startsWith("y");
    }

    /** The coordinator owns no copy, and each owner is down at some time. */
    @Test
    void aWaitSurvivesTheLossOfOwners() throws Exception {
        TestNode coordinator = cluster.node(1);
        String key = keyThat(coordinator, false);
        String version = put(key, "one");
        CompletableFuture<HttpResponse<String>> waiting = longWait(coordinator, key, version);
        awaitRegistered(key, 3);
        for (TestNode owner : cluster.owners(key)) {
            owner.restart();
            cluster.awaitReady();
            awaitFigure(owner, "quorate_waits_registered", 1);
        }
        TestNode lost = cluster.owners(key).getFirst();
        lost.kill();
        assertThat(waiting).isNotDone();
        put(key, "two");
        assertThat(woken(waiting).body()).isEqualTo("two");
    }

    /** An owner that cannot reach the coordinator tells it later. */
    @Test
    void aChangeInAPartitionIsSeenAfterIt() throws Exception {
        String key = keyThat(cluster.node(1), false);
        String version = put(key, "one");
        CompletableFuture<HttpResponse<String>> waiting = longWait(cluster.node(1), key, version);
        awaitRegistered(key, 3);
        cluster.network().partition(1);
        assertThat(cluster.node(2).put(key, "two").status()).isEqualTo(201);
        cluster.network().heal();
        HttpResponse<String> answer = woken(waiting);
        // While the coordinator reaches no owner, a read fails: as without a wait.
        assertThat(answer.statusCode()).isIn(200, 504);
        assertThat(woken(longWait(cluster.node(1), key, version)).body()).isEqualTo("two");
    }

    private String keyThat(TestNode node, boolean owns) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "key" + i)
                .filter(key -> cluster.owners(key).contains(node) == owns)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aClientThatVanishesIsReleased() throws Exception {
        String version = put("key", "one");
        try (Socket socket = connect()) {
            send(socket, version);
            awaitIdle(cluster.node(1), 1);
        }
        awaitIdle(cluster.node(1), 0);
        for (TestNode owner : cluster.owners("key")) {
            awaitFigure(owner, "quorate_waits_registered", 0);
        }
        Socket reset = connect();
        send(reset, version);
        awaitIdle(cluster.node(1), 1);
        reset.setSoLinger(true, 0);
        reset.close();
        awaitIdle(cluster.node(1), 0);
    }

    /** A few addresses may have all waits; one may not. */
    @Test
    void oneAddressHasAPartOfTheWaits() throws Exception {
        String version = put("key", "one");
        List<Socket> sockets = new ArrayList<>();
        int most = Waits.MAX / 4;
        try {
            for (int i = 0; i < most; i++) {
                Socket socket = connect();
                sockets.add(socket);
                send(socket, version);
            }
            awaitIdle(cluster.node(1), most);
            HttpResponse<String> refused = woken(longWait(cluster.node(1), "key", version));
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(cluster.node(1).get("key").status()).as("without a wait").isEqualTo(200);
            sockets.getFirst().close();
            awaitIdle(cluster.node(1), most - 1);
            CompletableFuture<HttpResponse<String>> another =
                    longWait(cluster.node(1), "key", version);
            awaitIdle(cluster.node(1), most);
            put("key", "two");
            assertThat(woken(another).body()).isEqualTo("two");
            awaitIdle(cluster.node(1), 0);
            // The message that ends one of so many may be lost: then the registration expires.
            for (TestNode owner : cluster.owners("key")) {
                await().atMost(Duration.ofMinutes(2))
                        .until(() -> figure(owner, "quorate_waits_registered") == 0);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), URI.create(cluster.url(1)).getPort());
    }

    private static void send(Socket socket, String version) throws IOException {
        socket.getOutputStream()
                .write(
                        ("GET /v0/entity?id=key&wait=50s HTTP/1.1\r\nHost: localhost\r\n"
                                        + "If-None-Match: \""
                                        + version
                                        + "\"\r\n\r\n")
                                .getBytes(US_ASCII));
    }

    /** The client moves on when a node stops, and waits in parts. */
    @Test
    void theClientWaitsThroughOtherNodes() throws Exception {
        Version version = new Version(put("key", "one"));
        try (QuorateClient client = cluster.client()) {
            Awaited unchanged = client.await("key", version, Duration.ofMillis(50));
            assertThat(unchanged.isChanged()).isFalse();
            assertThat(client.await("none", null, Duration.ofMillis(50)).isChanged()).isFalse();
            assertThat(client.await("key", null, Duration.ofHours(1)).entry().orElseThrow().text())
                    .isEqualTo("one");
            CompletableFuture<Awaited> waiting =
                    client.async()
                            .await(
                                    Key.of("key"),
                                    version,
                                    Duration.ofHours(1),
                                    ReadOptions.DEFAULT);
            awaitRegistered("key", 3);
            for (int node : List.of(1, 2)) {
                cluster.node(node).stop();
                cluster.node(node).start();
                cluster.awaitReady();
            }
            assertThat(waiting).isNotDone();
            put("key", "two");
            Awaited changed = waiting.get(EARLY_SECONDS, TimeUnit.SECONDS);
            assertThat(changed.isChanged()).isTrue();
            assertThat(changed.entry().orElseThrow().text()).isEqualTo("two");
            waiting =
                    client.async()
                            .await(
                                    Key.of("key"),
                                    changed.entry().orElseThrow().version(),
                                    Duration.ofHours(1),
                                    ReadOptions.DEFAULT);
            awaitRegistered("key", 3);
            cluster.delete("key");
            changed = waiting.get(EARLY_SECONDS, TimeUnit.SECONDS);
            assertThat(changed).isEqualTo(new Awaited(true, Optional.empty()));
        }
    }

    @Test
    void aNodeThatStopsEndsItsWaits() throws Exception {
        String version = put("key", "one");
        CompletableFuture<HttpResponse<String>> waiting = longWait(cluster.node(1), "key", version);
        awaitIdle(cluster.node(1), 1);
        cluster.node(1).stop();
        HttpResponse<String> answer = woken(waiting);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }

    @Test
    void malformedWaitsAreRefusedWithASentence() throws Exception {
        String version = put("key", "one");
        for (String time :
                List.of(
                        "", "0", "30", "-1s", "1d", "56s", "1h", "0s", "1.5s", "s", "30S",
                        "\u0663s")) {
            String raw = URLEncoder.encode(time, UTF_8);
            HttpResponse<String> answer = ask(cluster.node(1), "id=key&wait=" + raw, null).get();
            assertThat(answer.statusCode()).as(time).isEqualTo(400);
            assertThat(answer.body()).as(time).contains("\"detail\":\"'wait' ");
        }
        for (String tag :
                List.of("x", "\"\"", "\"x\"", version, "\"" + version, "W/" + version, "")) {
            HttpResponse<String> answer = ask(cluster.node(1), "id=key&wait=1s", tag).get();
            assertThat(answer.statusCode()).as(tag).isEqualTo(400);
            assertThat(answer.body()).as(tag).contains("If-None-Match");
        }
        HttpRequest match =
                HttpRequest.newBuilder(URI.create(cluster.url(1) + "/v0/entity?id=key&wait=1s"))
                        .header("If-Match", "\"" + version + "\"")
                        .build();
        assertThat(http.send(match, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
        HttpRequest delete =
                HttpRequest.newBuilder(URI.create(cluster.url(1) + "/v0/entity?id=key&wait=1s"))
                        .DELETE()
                        .build();
        assertThat(http.send(delete, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
        awaitIdle(cluster.node(1), 0);
    }
}

package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Range;
import dev.quorate.client.RefusedException;
import dev.quorate.client.UnavailableException;
import dev.quorate.client.Version;
import dev.quorate.client.Watch;
import dev.quorate.client.WriteOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that wait for a change below a prefix, at real nodes. */
class PrefixWaitsTest {

    private static final long EARLY_SECONDS = 40;

    private final HttpClient http = HttpClient.newHttpClient();
    private QuorateCluster cluster;

    @BeforeEach
    void start() {
        cluster = QuorateCluster.start(4);
        // The members choose the cluster's id, and with it another epoch, in the first moments.
        awaitSettled();
    }

    /** Waits until no wait ends without a change. */
    private void awaitSettled() {
        for (TestNode node : cluster.nodes()) {
            await().until(
                            () -> {
                                String query = "prefix=&wait=50ms&watch=" + listed(node, "");
                                return get(node, query).statusCode() == 304;
                            });
        }
    }

    @AfterEach
    void stop() {
        http.close();
        cluster.close();
    }

    private HttpResponse<String> get(TestNode node, String query) throws Exception {
        return send(node, query).get(EARLY_SECONDS, TimeUnit.SECONDS);
    }

    private CompletableFuture<HttpResponse<String>> send(TestNode node, String query) {
        URI uri = URI.create(node.url() + "/v0/entities?" + query);
        return http.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    private static String token(HttpResponse<?> answer) {
        return answer.headers().firstValue("X-Quorate-Watch").orElseThrow();
    }

    /** The token of a listing of all members. */
    private String listed(TestNode node, String prefix) throws Exception {
        HttpResponse<String> answer = get(node, "prefix=" + prefix + "&keys=only&watch=new");
        assertThat(answer.statusCode()).isEqualTo(200);
        return token(answer);
    }

    private CompletableFuture<HttpResponse<String>> wait(
            TestNode node, String prefix, String token) {
        return send(node, "prefix=" + prefix + "&wait=50s&watch=" + token);
    }

    private static HttpResponse<String> woken(CompletableFuture<HttpResponse<String>> answer)
            throws Exception {
        return answer.get(EARLY_SECONDS, TimeUnit.SECONDS);
    }

    private static boolean isLate(HttpResponse<?> answer) {
        return answer.headers().firstValue("Retry-After").isPresent();
    }

    private void awaitIdle(TestNode node, long waits) {
        await().untilAsserted(
                        () ->
                                assertThat(NodeRequests.metricOf(node, "quorate_waits"))
                                        .isEqualTo(waits));
    }

    private void awaitRegistered(long waits) {
        for (TestNode node : cluster.nodes()) {
            await().untilAsserted(
                            () ->
                                    assertThat(
                                                    NodeRequests.metricOf(
                                                            node, "quorate_waits_registered"))
                                            .isEqualTo(waits));
        }
    }

    @Test
    void everyNodeIsWokenByAWriteBelowThePrefix() throws Exception {
        cluster.put("a/1", "one");
        String token = listed(cluster.node(1), "a/");
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (TestNode node : cluster.nodes()) {
            waiting.add(wait(node, "a/", token));
        }
        CompletableFuture<HttpResponse<String>> all =
                wait(cluster.node(2), "", listed(cluster.node(2), ""));
        awaitRegistered(5);
        cluster.put("b", "beside");
        assertThat(woken(all).statusCode()).isEqualTo(204);
        awaitRegistered(4);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        cluster.put("a/2", "two");
        for (CompletableFuture<HttpResponse<String>> each : waiting) {
            HttpResponse<String> answer = woken(each);
            assertThat(answer.statusCode()).isEqualTo(204);
            assertThat(answer.body()).isEmpty();
            assertThat(isLate(answer)).isFalse();
            assertThat(token(answer)).isNotEqualTo(token);
        }
        awaitRegistered(0);
        for (TestNode node : cluster.nodes()) {
            awaitIdle(node, 0);
        }
        HttpResponse<String> next = woken(wait(cluster.node(3), "a/", token));
        assertThat(next.statusCode()).as("a change before the wait").isEqualTo(204);
        assertThat(isLate(next)).isFalse();
        String after = token(next);
        CompletableFuture<HttpResponse<String>> deleted = wait(cluster.node(3), "a/", after);
        cluster.delete("a/1");
        assertThat(woken(deleted).statusCode()).isEqualTo(204);
    }

    @Test
    void withoutAChangeTheWaitEndsAfterItsTime() throws Exception {
        String token = listed(cluster.node(1), "a/");
        cluster.put("b", "beside");
        for (TestNode node : cluster.nodes()) {
            HttpResponse<String> answer = get(node, "prefix=a/&wait=50ms&watch=" + token);
            assertThat(answer.statusCode()).isEqualTo(304);
            assertThat(token(answer)).isEqualTo(token);
            assertThat(isLate(answer)).isFalse();
        }
        awaitRegistered(0);
    }

    /** Not a miss, and not a busy loop: the client is asked to pause. */
    @Test
    void aMemberThatIsDownOrHasForgottenEndsTheWait() throws Exception {
        String token = listed(cluster.node(1), "a/");
        CompletableFuture<HttpResponse<String>> waiting = wait(cluster.node(1), "a/", token);
        awaitRegistered(1);
        cluster.node(4).kill();
        HttpResponse<String> down = woken(waiting);
        assertThat(down.statusCode()).isEqualTo(204);
        assertThat(isLate(down)).isTrue();
        HttpResponse<String> still = woken(wait(cluster.node(2), "a/", token(down)));
        assertThat(still.statusCode()).isEqualTo(204);
        assertThat(isLate(still)).isTrue();
        cluster.node(4).start();
        cluster.awaitReady();
        HttpResponse<String> back = woken(wait(cluster.node(1), "a/", token));
        assertThat(back.statusCode()).isEqualTo(204);
        assertThat(isLate(back)).isTrue();
        awaitSettled();
        CompletableFuture<HttpResponse<String>> again =
                wait(cluster.node(4), "a/", listed(cluster.node(1), "a/"));
        awaitRegistered(1);
        cluster.put("a/1", "one");
        assertThat(isLate(woken(again))).isFalse();
    }

    @Test
    void aNodeThatStopsEndsItsWaits() throws Exception {
        CompletableFuture<HttpResponse<String>> waiting =
                wait(cluster.node(1), "a/", listed(cluster.node(1), "a/"));
        awaitIdle(cluster.node(1), 1);
        cluster.node(1).stop();
        HttpResponse<String> answer = woken(waiting);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(isLate(answer)).isTrue();
    }

    @Test
    void malformedRequestsAreRefusedWithASentence() throws Exception {
        String token = listed(cluster.node(1), "a/");
        String middle = token.substring(0, 20) + "AAAA" + token.substring(24);
        int messages = NodeRequests.metricOf(cluster.node(1), "quorate_prefixes_counted");
        for (String query :
                List.of(
                        "prefix=a/&wait=1s",
                        "prefix=a/&watch=" + token,
                        "prefix=a/&wait=1s&watch=new",
                        "prefix=a/&wait=1s&watch=",
                        "prefix=b/&wait=1s&watch=" + token,
                        "prefix=&wait=1s&watch=" + token,
                        "prefix=a/&wait=1s&watch=" + token + "A",
                        "prefix=a/&wait=1s&watch=" + token.substring(0, 32),
                        "prefix=a/&wait=1s&watch=" + middle,
                        "prefix=a/&wait=1s&watch=" + "A".repeat(3_000),
                        "prefix=a/&wait=1s&watch=%41",
                        "prefix=a/&wait=1s&scope=node&watch=" + token,
                        "prefix=a/&wait=56s&watch=" + token,
                        "prefix=a/&wait=x&watch=" + token,
                        "prefix=a/&watch=yes",
                        "prefix=a/&watch=new&scope=node",
                        "start=a&watch=new",
                        "watch=new",
                        "prefix=" + "a".repeat(129) + "&watch=new",
                        "start=a&wait=1s&watch=" + token)) {
            HttpResponse<String> answer = get(cluster.node(1), query);
            assertThat(answer.statusCode()).as(query).isEqualTo(400);
            assertThat(answer.body()).as(query).contains("\"detail\":\"");
        }
        assertThat(NodeRequests.metricOf(cluster.node(1), "quorate_prefixes_counted"))
                .isEqualTo(messages);
        awaitIdle(cluster.node(1), 0);
    }

    /** All formats, and pages, of which the first has a token. */
    @Test
    void aListingHasATokenOnlyIfItIsAskedFor() throws Exception {
        cluster.put("a/1", "one");
        assertThat(get(cluster.node(1), "prefix=a/").headers().firstValue("X-Quorate-Watch"))
                .isEmpty();
        assertThat(NodeRequests.metricOf(cluster.node(4), "quorate_prefixes_counted")).isOne();
        HttpResponse<String> chunks = get(cluster.node(1), "prefix=a/&watch=new&limit=1&reverse=1");
        assertThat(chunks.body()).contains("one");
        assertThat(token(chunks)).isNotEmpty();
        assertThat(NodeRequests.metricOf(cluster.node(4), "quorate_prefixes_counted")).isEqualTo(2);
        URI page = URI.create(cluster.url(1) + "/v0/entities?prefix=a/&limit=1&watch=new&cursor=");
        HttpResponse<String> first =
                http.send(
                        HttpRequest.newBuilder(page).header("Accept", "application/json").build(),
                        BodyHandlers.ofString());
        String cursor = first.body().replaceAll("(?s).*\"cursor\":\"([^\"]*)\".*", "$1");
        assertThat(token(first)).isNotEmpty();
        HttpRequest next =
                HttpRequest.newBuilder(URI.create(page + cursor))
                        .header("Accept", "application/json")
                        .build();
        assertThat(http.send(next, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
    }

    /** The same keys as in a listing, whatever happens, and no node asked while nothing does. */
    @Test
    void theClientFollowsAPrefix() throws Exception {
        Map<String, Version> seen = new ConcurrentSkipListMap<>();
        List<QuorateException> failures = new CopyOnWriteArrayList<>();
        try (QuorateClient client = cluster.client()) {
            client.put("a/1", "one");
            client.put("b/1", "beside");
            Watch.Listener listener =
                    new Watch.Listener() {
                        @Override
                        public void changed(Key key, Optional<Version> version) {
                            if (version.isPresent()) {
                                seen.put(key.toString(), version.get());
                            } else {
                                assertThat(seen.remove(key.toString())).isNotNull();
                            }
                        }

                        @Override
                        public void failed(QuorateException why) {
                            failures.add(why);
                        }
                    };
            Range range = Range.withPrefix(Key.of("a/")).pageEntries(2);
            Watch watch = client.watch(range, listener);
            awaitSeen(client, range, seen, 1);
            for (int i = 2; i < 9; i++) {
                client.put("a/" + i, "new");
            }
            awaitSeen(client, range, seen, 8);
            client.put("a/3", "again");
            client.delete("a/4");
            awaitSeen(client, range, seen, 7);
            client.put(
                    Key.of("a/x"),
                    new byte[1],
                    WriteOptions.DEFAULT.timeToLive(Duration.ofSeconds(1)));
            for (int node : List.of(1, 2, 3)) {
                cluster.node(node).restart();
                cluster.awaitReady();
            }
            awaitSeen(client, range, seen, 7);
            assertThat(failures).isEmpty();
            cluster.nodes().forEach(TestNode::kill);
            await().atMost(Duration.ofMinutes(1)).until(() -> !failures.isEmpty());
            cluster.nodes().forEach(TestNode::start);
            cluster.awaitReady();
            client.put("a/9", "after");
            awaitSeen(client, range, seen, 8);
            assertThat(failures).hasSize(1).first().isInstanceOf(UnavailableException.class);
            awaitRegistered(1);
            watch.close();
            awaitRegistered(0);
            Watch refused = client.watch(Range.from(Key.of("a")), listener);
            await().until(() -> failures.size() == 2);
            assertThat(failures.get(1)).isInstanceOf(RefusedException.class);
            refused.close();
        }
    }

    private static void awaitSeen(
            QuorateClient client, Range range, Map<String, Version> seen, int count) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(
                        () ->
                                assertThat(seen)
                                        .hasSize(count)
                                        .isEqualTo(
                                                client.entries(range)
                                                        .collect(
                                                                Collectors.toMap(
                                                                        e -> e.key().toString(),
                                                                        e -> e.version()))));
    }
}

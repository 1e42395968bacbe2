package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real nodes in one process, spoken to over HTTP. */
final class ThreeNodesTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir Path data;
    private NodesInOneProcess nodes;
    private EntityClient n1;
    private EntityClient n2;
    private EntityClient n3;

    @BeforeEach
    void start() throws Exception {
        nodes = new NodesInOneProcess(data, 3);
        n1 = new EntityClient(nodes.url(1));
        n2 = new EntityClient(nodes.url(2));
        n3 = new EntityClient(nodes.url(3));
    }

    @AfterEach
    void stop() {
        n1.close();
        n2.close();
        n3.close();
        nodes.close();
    }

    private static void assertStatus(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    }

    @Test
    void whatOneNodeStoresEveryNodeReads() throws Exception {
        HttpResponse<String> put = n1.put("key", "value", "3/3");
        assertThat(put.statusCode()).isEqualTo(201);
        String version = put.headers().firstValue("X-Quorate-Version").orElseThrow();
        for (EntityClient node : List.of(n1, n2, n3)) {
            for (String replicas : List.of("1/1", "1/2", "2/2", "1/3", "2/3", "3/3")) {
                HttpResponse<String> got = node.get("key", replicas);
                assertThat(got.statusCode()).as(replicas).isEqualTo(200);
                assertThat(got.body()).isEqualTo("value");
                assertThat(got.headers().firstValue("X-Quorate-Version")).hasValue(version);
            }
        }
        assertStatus(n2.delete("key", "3/3"), 202);
        assertStatus(n3.get("key", "1/3"), 404);
    }

    @Test
    void aPutStoresNoMoreThanFromCopies() throws Exception {
        for (int from = 1; from <= 3; from++) {
            assertStatus(n1.put("copies-" + from, "x", from + "/" + from), 201);
            int holders = 0;
            for (EntityClient node : List.of(n1, n2, n3)) {
                String own =
                        node.path("/v0/entities?start=copies-" + from + "&limit=1&scope=node")
                                .body();
                holders += own.startsWith("copies-" + from + "\n") ? 1 : 0;
            }
            assertThat(holders).isEqualTo(from);
        }
    }

    @Test
    void theWholeClusterInOrderFromAnyNode() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String key = "range-%03d".formatted(i);
            assertStatus(n1.put(key, "value of " + key, "2/3"), 201);
            if (i % 10 == 0) {
                assertStatus(n2.delete(key, "2/3"), 202);
            } else {
                expected.add(key + "\nvalue of " + key);
            }
        }
        for (EntityClient node : List.of(n1, n2, n3)) {
            HttpResponse<String> all = node.path("/v0/entities?start=range-&end=range.");
            assertThat(all.statusCode()).isEqualTo(200);
            assertThat(all.body()).isEqualTo(String.join("", expected));
        }
        assertThat(n1.path("/v0/entities?start=range-001&limit=1").body())
                .isEqualTo(expected.getFirst());
    }

    @Test
    void whatExpiresIsGoneOnEveryNode() throws Exception {
        assertStatus(n1.put("brief", "older", "3/3"), 201);
        assertStatus(n1.put("brief", "newer", "3/3", 2), 201);
        assertStatus(n1.put("long", "stays", "3/3", 3600), 201);
        for (EntityClient node : List.of(n1, n2, n3)) {
            await().atMost(SOON).until(() -> node.get("brief", "1/1").statusCode() == 404);
            assertStatus(node.get("brief", "3/3"), 404);
            assertThat(node.get("long", "3/3").body()).isEqualTo("stays");
            assertThat(node.path("/v0/entities?start=b&end=m").body()).isEqualTo("long\nstays");
            assertThat(node.path("/v0/entities?start=b&end=m&scope=node").body())
                    .isEqualTo("long\nstays");
        }
        // Also after the log was read again.
        nodes.stop(3);
        nodes.start(3);
        await().atMost(SOON).until(() -> n3.get("long", "3/3").statusCode() == 200);
        assertStatus(n3.get("brief", "3/3"), 404);
        assertStatus(n2.put("brief", "again", "2/3"), 201);
        assertThat(n1.get("brief", "2/3").body()).isEqualTo("again");
    }

    @Test
    void oneNodeDown() throws Exception {
        assertStatus(n1.put("a", "before", "3/3"), 201);
        nodes.stop(3);
        assertStatus(n1.get("a", "3/3"), 504);
        assertThat(n1.get("a", "2/3").body()).isEqualTo("before");
        HttpResponse<String> put = n1.put("a", "meanwhile", "3/3");
        assertThat(put.statusCode()).isEqualTo(504);
        assertThat(put.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(put.body())
                .contains("indeterminate")
                .contains(put.headers().firstValue("X-Quorate-Version").orElseThrow())
                .contains("n1")
                .contains("n2")
                .contains("n3");
        assertStatus(n2.put("a", "after", "2/3"), 201);
        assertThat(n1.path("/v0/entities?start=a").body()).isEqualTo("a\nafter");

        nodes.start(3);
        await().atMost(SOON).until(() -> n1.put("b", "x", "3/3").statusCode() == 201);
        assertThat(n3.get("a", "2/3").body()).isEqualTo("after");
    }

    @Test
    void twoNodesDown() throws Exception {
        assertStatus(n1.put("a", "before", "3/3"), 201);
        nodes.stop(2);
        nodes.stop(3);
        assertThat(n1.get("a", "1/3").body()).isEqualTo("before");
        assertStatus(n1.put("a", "alone", "1/3"), 201);
        assertStatus(n1.get("a", "2/3"), 504);
        assertStatus(n1.put("a", "no", "2/3"), 504);
        assertStatus(n1.delete("a", "2/3"), 504);
        assertStatus(n1.path("/v0/entities?start=a"), 504);
        assertStatus(n1.path("/v0/entities?start=a&scope=node"), 200);
    }

    @Test
    void aNodeThatIsStartedAtAnotherAddressProposesItAndNoOther() throws Exception {
        String moved =
                nodes.topology()
                        .replace("n1=http://127.0.0.1", "n1=http://nowhere.invalid")
                        .replace("n3=http://127.0.0.1", "n3=http://localhost");
        nodes.stop(3);
        nodes.start(3, moved);
        await().atMost(SOON).until(() -> ring(2).contains("http://localhost:"));
        assertThat(ring(1)).contains("\"epoch\":2").doesNotContain("nowhere");
        assertStatus(n1.put("a", "x", "3/3"), 201);
        assertThat(n3.get("a", "3/3").statusCode()).isEqualTo(200);
    }

    @Test
    void aNodeThatLostItsDiskProposesItsNewAddress() throws Exception {
        assertStatus(n1.put("a", "x", "3/3"), 201);
        nodes.stop(3);
        MoreFiles.deleteRecursively(data.resolve("n3"), RecursiveDeleteOption.ALLOW_INSECURE);
        nodes.start(3, nodes.topology().replace("n3=http://127.0.0.1", "n3=http://localhost"));
        await().atMost(SOON).until(() -> ring(2).contains("http://localhost:"));
        await().atMost(SOON).until(() -> n1.get("a", "3/3").statusCode() == 200);
    }

    private String ring(int node) throws Exception {
        return new String(
                new NodeClient().get(nodes.url(node) + "/v0/ring").body(), StandardCharsets.UTF_8);
    }

    @Test
    void everythingIsStillThereAfterARestartOfAll() throws Exception {
        for (int i = 0; i < 200; i++) {
            assertStatus(n1.put("k" + i, "v" + i, "3/3"), 201);
        }
        assertStatus(n1.delete("k7", "3/3"), 202);
        for (int node = 1; node <= 3; node++) {
            nodes.stop(node);
        }
        for (int node = 1; node <= 3; node++) {
            nodes.start(node);
        }
        await().atMost(SOON).until(() -> n1.get("k0", "3/3").statusCode() == 200);
        for (int i = 0; i < 200; i++) {
            if (i != 7) {
                assertThat(n2.get("k" + i, "3/3").body()).isEqualTo("v" + i);
            }
        }
        assertStatus(n3.get("k7", "3/3"), 404);
    }
}

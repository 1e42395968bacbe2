package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of content types while nodes are stopped, started, and lose their disks. */
final class ContentTypesTest {

    @TempDir Path data;
    private final HttpClient client = HttpClient.newHttpClient();
    private NodesInOneProcess nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new NodesInOneProcess(data, 3);
    }

    @AfterEach
    void stop() {
        client.close();
        nodes.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(
                request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder to(int node, String target) {
        return HttpRequest.newBuilder(URI.create(nodes.url(node) + target));
    }

    private void put(String key, String value, String... headers) throws Exception {
        HttpRequest.Builder request =
                to(1, "/v0/entity?id=" + key)
                        .header("Content-Type", "text/" + key)
                        .PUT(BodyPublishers.ofString(value));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> answer = send(request);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    /** The content types that one node has, by key. */
    private Map<String, String> at(int node) throws Exception {
        HttpResponse<String> answer =
                send(
                        to(node, "/v0/entities?prefix=&scope=node&keys=only")
                                .header("Accept", "application/x-ndjson"));
        Map<String, String> types = new TreeMap<>();
        answer.body()
                .lines()
                .forEach(
                        line -> {
                            JsonObject entry = JsonParser.parseString(line).getAsJsonObject();
                            types.put(
                                    entry.get("key").getAsString(),
                                    entry.has("contentType")
                                            ? entry.get("contentType").getAsString()
                                            : "none");
                        });
        return types;
    }

    private void awaitSameAt(int node) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(at(node)).isEqualTo(at(1)));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    @Test
    void hintsRebuildsAndRestartsKeepThem() throws Exception {
        put("plain", "value");
        put("conditional", "first", "If-None-Match", "*");
        put("conditional", "second", "If-Match", "*");
        put("long", "x".repeat(300_000));
        nodes.stop(3);
        put("missed", "value");
        put("missed-and-long", "x".repeat(100_000));
        nodes.start(3);
        awaitSameAt(3);
        Map<String, String> before = at(1);
        assertThat(before).hasSize(5).doesNotContainValue("none");

        nodes.stop(2);
        delete(data.resolve("n2"));
        nodes.start(2);
        awaitSameAt(2);
        for (int node : new int[] {1, 3}) {
            nodes.stop(node);
            nodes.start(node);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .untilAsserted(
                        () -> {
                            for (String key : new String[] {"plain", "long", "missed-and-long"}) {
                                HttpResponse<String> answer =
                                        send(to(3, "/v0/entity?id=" + key + "&replicas=3/3"));
                                assertThat(answer.headers().firstValue("content-type"))
                                        .hasValue("text/" + key);
                            }
                        });
        assertThat(at(1)).isEqualTo(before);
        assertThat(send(to(2, "/v0/entity?id=conditional")).headers().firstValue("content-type"))
                .hasValue("text/conditional");
    }
}

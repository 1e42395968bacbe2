package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of three real nodes. */
final class BatchesTest {

    private static final int LINES = 512;

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

    private List<JsonObject> batch(int node, IntFunction<String> line) throws Exception {
        String body = IntStream.range(0, LINES).mapToObj(line).collect(Collectors.joining("\n"));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(nodes.url(node) + "/v0/entities"))
                        .header("Content-Type", "application/x-ndjson")
                        .timeout(Duration.ofSeconds(30))
                        .POST(BodyPublishers.ofString(body))
                        .build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        List<JsonObject> answers =
                answer.body()
                        .lines()
                        .map(text -> JsonParser.parseString(text).getAsJsonObject())
                        .toList();
        assertThat(answers).hasSize(LINES);
        return answers;
    }

    private static void assertStatuses(List<JsonObject> answers, int status) {
        assertThat(answers)
                .allSatisfy(each -> assertThat(each.get("status").getAsInt()).isEqualTo(status));
    }

    @Test
    void whatABatchWritesTheOthersRead() throws Exception {
        batch(1, i -> "{\"op\":\"get\",\"key\":\"warm-up\"}");
        long before = exchanges();
        assertStatuses(
                batch(1, i -> "{\"op\":\"put\",\"key\":\"k" + i + "\",\"value\":\"v" + i + "\"}"),
                201);
        // One to each peer, if nothing else is sent meanwhile; never one for each line.
        assertThat(exchanges() - before).isBetween(1L, 20L);
        List<JsonObject> read = batch(2, i -> "{\"op\":\"get\",\"key\":\"k" + i + "\"}");
        assertStatuses(read, 200);
        for (int i = 0; i < LINES; i++) {
            assertThat(read.get(i).get("value").getAsString()).isEqualTo("v" + i);
        }
        nodes.stop(3);
        assertStatuses(batch(2, i -> "{\"op\":\"delete\",\"key\":\"k" + i + "\"}"), 202);
        assertStatuses(batch(1, i -> "{\"op\":\"get\",\"key\":\"k" + i + "\"}"), 404);
        nodes.stop(2);
        List<JsonObject> failed =
                batch(1, i -> "{\"op\":\"put\",\"key\":\"k" + i + "\",\"value\":\"v\"}");
        assertStatuses(failed, 504);
        assertThat(failed.getLast().has("version")).isTrue();
        assertThat(failed.getLast().getAsJsonArray("accepted").toString()).isEqualTo("[\"n1\"]");
    }

    /** Exchanges for operations of clients that the first node has sent. */
    private long exchanges() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(nodes.url(1) + "/metrics")).build();
        String metrics = client.send(request, BodyHandlers.ofString()).body();
        Matcher sent =
                Pattern.compile("(?m)^quorate_peer_exchanges_total\\{(.*)\\} (\\S+)$")
                        .matcher(metrics);
        long sum = 0;
        while (sent.find()) {
            sum += (long) Double.parseDouble(sent.group(2));
        }
        assertThat(sum).as(metrics).isPositive();
        return sum;
    }
}

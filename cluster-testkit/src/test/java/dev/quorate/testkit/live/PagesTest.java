package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of a range from three real nodes, one of which dies between two pages. */
final class PagesTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir Path data;

    @Test
    void aCursorOutlivesTheNodeThatGaveIt() throws Exception {
        try (NodesInOneProcess nodes = new NodesInOneProcess(data, 3);
                HttpClient client = HttpClient.newHttpClient()) {
            List<String> expected = new ArrayList<>();
            try (EntityClient n1 = new EntityClient(nodes.url(1))) {
                for (int i = 0; i < 50; i++) {
                    String key = "page-%03d".formatted(i);
                    assertThat(n1.put(key, "value " + i, "3/3").statusCode()).isEqualTo(201);
                    expected.add(key);
                }
                assertThat(n1.put("other", "x", "3/3").statusCode()).isEqualTo(201);
            }
            List<String> keys = new ArrayList<>();
            String cursor = page(client, nodes.url(3), "", keys);
            nodes.stop(3);
            cursor = page(client, nodes.url(2), cursor, keys);
            cursor = page(client, nodes.url(1), cursor, keys);
            nodes.start(3);
            // Not every page of the same node, nor of nodes that were up when the first was read.
            for (int node = 1; !cursor.isEmpty(); node = node % 2 + 1) {
                cursor = page(client, nodes.url(node), cursor, keys);
            }
            assertThat(keys).isEqualTo(expected);
        }
    }

    /** Reads a page; returns the cursor of the next, empty after the last. */
    private static String page(HttpClient client, String url, String cursor, List<String> keys)
            throws Exception {
        String query = "/v0/entities?prefix=page-&keys=only&limit=7&cursor=" + cursor;
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + query))
                        .header("Accept", "application/json")
                        .timeout(TIMEOUT)
                        .build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonArray page = JsonParser.parseString(answer.body()).getAsJsonArray();
        String next = "";
        for (JsonElement element : page) {
            JsonObject each = element.getAsJsonObject();
            if (each.has("cursor")) {
                next = each.get("cursor").getAsString();
            } else {
                keys.add(each.get("key").getAsString());
            }
        }
        return next;
    }
}

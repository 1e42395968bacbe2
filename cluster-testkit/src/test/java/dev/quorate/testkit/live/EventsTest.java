package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What real nodes say has happened to them. */
final class EventsTest {

    private static final int WRITES = 40;

    @TempDir private Path data;

    private static JsonObject page(EntityClient client, long since) throws Exception {
        var answer = client.path("/admin/events?since=" + since);
        assertThat(answer.statusCode()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static long last(EntityClient client) throws Exception {
        return page(client, 0).get("last").getAsLong();
    }

    private static List<String> texts(JsonObject page) {
        List<String> texts = new ArrayList<>();
        for (JsonElement event : page.getAsJsonArray("events")) {
            JsonObject object = event.getAsJsonObject();
            texts.add(
                    object.get("severity").getAsString() + ": " + object.get("text").getAsString());
        }
        return texts;
    }

    private static void await(EntityClient client, long since, String pattern) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () ->
                                assertThat(texts(page(client, since)))
                                        .anySatisfy(text -> assertThat(text).matches(pattern)));
    }

    @Test
    void aMemberThatWasAwayIsInTheEventsOfTheOthers() throws Exception {
        try (NodesInOneProcess nodes = new NodesInOneProcess(data, 3);
                EntityClient client = new EntityClient(nodes.url(1))) {
            await(client, 0, "info: n1 started, version .*");
            await(client, 0, "info: n1 serves reads and writes");
            await(client, 0, "info: n3 is up.*");
            long before = last(client);
            nodes.stop(3);
            await(client, before, "warning: n3 is down: .*");
            for (int i = 0; i < WRITES; i++) {
                assertThat(client.put("private-" + i, "value", "2/3").statusCode()).isEqualTo(201);
            }
            long seen = last(client);
            nodes.start(3);
            await(client, seen, "info: n3 is up again, after .*");
            await(client, seen, "info: n3 has the writes that it missed: " + WRITES);
            JsonObject later = page(client, seen);
            assertThat(texts(later)).noneMatch(text -> text.contains("n3 is down"));
            assertThat(later.toString()).doesNotContain("private");
        }
    }
}

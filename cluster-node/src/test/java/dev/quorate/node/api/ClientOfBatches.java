package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.quorate.node.http.connection.RawClient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A test that sends batches. */
abstract class ClientOfBatches extends ClientOfAnEdge {

    static final String LINES = "Content-Type: application/x-ndjson\r\n";

    Answer post(String query, String body) throws IOException {
        byte[] utf8 = body.getBytes(StandardCharsets.UTF_8);
        String bytes = new String(utf8, StandardCharsets.ISO_8859_1);
        return ask("POST", "/v0/entities" + query, LINES, bytes);
    }

    /** The answers to these lines, one for each. */
    List<JsonObject> batch(String... lines) throws IOException {
        return answers(post("", String.join("\n", lines)), lines.length);
    }

    static List<JsonObject> answers(Answer answer, int count) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.header("content-type")).isEqualTo("application/x-ndjson");
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        List<JsonObject> answers =
                text.lines().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
        assertThat(answers).hasSize(count);
        return answers;
    }

    static List<Integer> statuses(List<JsonObject> answers) {
        return answers.stream().map(each -> each.get("status").getAsInt()).toList();
    }

    static String put(String key) {
        return "{\"op\":\"put\",\"key\":\"" + key + "\",\"value\":\"v\"}";
    }

    static String get(String key) {
        return "{\"op\":\"get\",\"key\":\"" + key + "\"}";
    }
}

package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.quorum.QuorumSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many requests in one: each line is answered as it would be by itself, in its place. */
final class BatchTest extends ClientOfBatches {

    @Test
    void eachLineIsAnsweredInItsPlace() throws IOException {
        String old = put("old", "x\u00ff").header("x-quorate-version");
        String lines =
                String.join(
                        "\n",
                        get("old"),
                        "{\"op\":\"put\",\"key\":\"\u00e9\",\"value\":\"\u20ac\",\"ttl\":60}",
                        "  ",
                        get("none"),
                        "{\"op\":\"delete\",\"keyBase64\":\"b2xk\"}\r",
                        "{\"op\":\"put\",\"key\":\"b\",\"valueBase64\":\"/w==\"}\n");
        List<JsonObject> answers = answers(post("", lines), 5);
        assertThat(statuses(answers)).containsExactly(200, 201, 404, 202, 201);
        assertThat(answers.get(0).get("version").getAsString()).isEqualTo(old);
        assertThat(answers.get(0).get("valueBase64").getAsString()).isEqualTo("eP8=");
        assertThat(answers.get(2).get("detail").getAsString()).contains("no entity");
        assertThat(ask("GET", "/v0/entity?id=old").status()).isEqualTo(404);
        assertThat(ask("GET", "/v0/entity?id=b").text()).isEqualTo("\u00ff");
        Answer got = ask("GET", "/v0/entity?id=%C3%A9");
        assertThat(got.body()).isEqualTo(new byte[] {(byte) 0xE2, (byte) 0x82, (byte) 0xAC});
        assertThat(got.header("x-quorate-version"))
                .isEqualTo(answers.get(1).get("version").getAsString());
    }

    @Test
    void conditionsAndVersionsAreThoseOfSingleRequests() throws IOException {
        String version = put("a", "1").header("x-quorate-version");
        List<JsonObject> answers =
                batch(
                        "{\"op\":\"get\",\"key\":\"a\",\"ifNoneMatch\":\"" + version + "\"}",
                        "{\"op\":\"get\",\"key\":\"a\",\"ifMatch\":\"other\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"2\",\"ifNoneMatch\":\"*\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"2\",\"ifMatch\":\""
                                + version
                                + "\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"3\",\"ifMatch\":\""
                                + version
                                + "\"}",
                        "{\"op\":\"delete\",\"key\":\"a\",\"ifMatch\":\"*\"}",
                        "{\"op\":\"put\",\"key\":\"b\",\"value\":\"2\",\"version\":\""
                                + version
                                + "\"}",
                        "{\"op\":\"put\",\"key\":\"b\",\"value\":\"2\",\"ifNoneMatch\":\"x\"}");
        assertThat(statuses(answers)).containsExactly(304, 412, 412, 201, 412, 202, 201, 501);
        assertThat(answers.get(0).keySet()).containsExactly("status", "version");
        assertThat(answers.get(1).get("version").getAsString()).isEqualTo(version);
        assertThat(answers.get(6).get("version").getAsString()).isEqualTo(version);
        assertThat(edge.operations.conditions).hasSize(4);
    }

    @Test
    void theParametersHoldForAllLines() throws IOException {
        answers(post("?replicas=1/2", put("a") + "\n" + get("b")), 2);
        assertThat(edge.operations.specs).containsOnly(new QuorumSpec(1, 2));
        assertThat(edge.operations.linearizable).hasValue(0);
        answers(post("?consistency=linearizable", put("a")), 1);
        assertThat(edge.operations.linearizable.get()).isPositive();
        // A condition needs a majority, which is known of each line.
        String conditional = "{\"op\":\"delete\",\"key\":\"a\",\"ifMatch\":\"*\"}";
        assertThat(statuses(answers(post("?replicas=1/3", conditional + "\n" + get("a")), 2)))
                .containsExactly(400, 200);
    }

    /** Also where operations end on the thread that began them: the stack must not grow. */
    @Test
    void linesWithOneKeyKeepTheirOrder() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            lines.add("{\"op\":\"put\",\"key\":\"same\",\"value\":\"" + i + "\"}");
            lines.add(get("same"));
        }
        for (Edge each : List.of(edge, Edge.startAsync())) {
            try (each;
                    var other = each.client()) {
                String body = String.join("\n", lines);
                other.send(
                        "POST /v0/entities HTTP/1.1\r\nHost: x\r\n"
                                + LINES
                                + "Content-Length: "
                                + body.length()
                                + "\r\n\r\n"
                                + body);
                List<JsonObject> answers = answers(other.read(), 512);
                for (int i = 0; i < 256; i++) {
                    assertThat(answers.get(2 * i + 1).get("value").getAsString()).isEqualTo("" + i);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "hello | 400 | not valid JSON",
                "[1] | 400 | one JSON object",
                "\"a\" | 400 | one JSON object",
                "{} | 400 | 'op'",
                "{\"op\":\"get\"} | 400 | 'key'",
                "{\"op\":\"get\",\"key\":\"\"} | 400 | at least one byte",
                "{\"op\":\"GET\",\"key\":\"a\"} | 400 | 'op'",
                "{\"op\":\"get\",\"key\":5} | 400 | must be a text",
                "{\"op\":\"get\",\"key\":null} | 400 | must be a text",
                "{\"op\":\"get\",\"key\":[[[[]]]]} | 400 | must be a text",
                "{\"op\":\"get\",\"key\":\"a\",\"keyBase64\":\"YQ==\"} | 400 | Either",
                "{\"op\":\"get\",\"key\":\"a\",\"key\":\"a\"} | 400 | more than once",
                "{\"op\":\"get\",\"key\":\"a\",\"value\":\"a\"} | 400 | not known in a get",
                "{\"op\":\"get\",\"key\":\"a\",\"version\":\"a\"} | 400 | not known in a get",
                "{\"op\":\"delete\",\"key\":\"a\",\"ttl\":1} | 400 | not known in a delete",
                "{\"op\":\"get\",\"key\":\"a\",\"replicas\":\"1/3\"} | 400 | not known in a batch",
                "{\"op\":\"get\",\"key\":\"\\ud800\"} | 400 | surrogate",
                "{\"op\":\"get\",\"keyBase64\":\"a\"} | 400 | not base64",
                "{\"op\":\"put\",\"key\":\"a\"} | 400 | 'value'",
                "{\"op\":\"put\",\"key\":\"a\",\"value\":\"\",\"ttl\":\"1\"} | 400 | a number",
                "{\"op\":\"put\",\"key\":\"a\",\"value\":\"\",\"ttl\":0} | 400 | 'ttl'",
                "{\"op\":\"put\",\"key\":\"a\",\"value\":\"\",\"ttl\":1e1} | 400 | 'ttl'",
                "{\"op\":\"put\",\"key\":\"a\",\"value\":\"\",\"version\":\"x\"} | 400 | Version",
                "{\"op\":\"get\",\"key\":\"a\"} {} | 400 | ",
                "{\"op\":\"get\",\"key\":\"a\", | 400 | not valid JSON",
                "{\"op\":\"get\",\"key\":\"a\",} | 400 | not valid JSON",
                "{'op':'get','key':'a'} | 400 | not valid JSON",
                "{\"op\":\"get\",\"key\":\"a\"}// | 400 | not valid JSON",
                "{\"op\":\"get\",\"key\":\"a\tb\"} | 400 | not valid JSON",
            })
    void aBadLineHarmsNoOther(String line, int status, String detail) throws IOException {
        List<JsonObject> answers = batch(put("before"), line, put("after"));
        assertThat(statuses(answers)).containsExactly(201, status, 201);
        assertThat(answers.get(1).get("detail").getAsString())
                .contains(detail == null ? "" : detail);
        assertThat(edge.operations.writes).hasValue(2);
        assertThat(edge.operations.reads).hasValue(0);
    }

    @Test
    void aLineThatIsNotUtf8IsRefused() throws IOException {
        Answer answer = ask("POST", "/v0/entities", LINES, "{\"op\":\"\u00ff\"}\n" + get("a"));
        List<JsonObject> answers = answers(answer, 2);
        assertThat(statuses(answers)).containsExactly(400, 404);
        assertThat(answers.getFirst().get("detail").getAsString()).contains("UTF-8");
    }

    @Test
    void aKeyOfABatchIsNoLongerThanAnother() throws IOException {
        assertThat(statuses(batch(get("k".repeat(1024)), get("k".repeat(1025)))))
                .containsExactly(404, 414);
    }

    @ParameterizedTest
    @CsvSource({
        "?replicas=4/3, 400",
        "?consistency=linearizable&replicas=1/3, 400",
        "?explain=1, 400",
        "?start=a, 400",
        "?limit=1, 400",
    })
    void aBadRequestIsRefusedAsAWhole(String query, int status) throws IOException {
        assertThat(post(query, put("a")).status()).isEqualTo(status);
        assertThat(edge.operations.writes).hasValue(0);
    }

    @Test
    void whatIsNoBatchIsRefusedAsAWhole() throws IOException {
        assertThat(post("", "").status()).isEqualTo(400);
        assertThat(post("", "\n \n\r\n").status()).isEqualTo(400);
        assertThat(ask("POST", "/v0/entities", "", put("a")).status()).isEqualTo(415);
        for (String type : List.of("application/json", "text/plain", "application/x-ndjsonx")) {
            String header = "Content-Type: " + type + "\r\n";
            assertThat(ask("POST", "/v0/entities", header, put("a")).status()).isEqualTo(415);
        }
        String version = LINES + "X-Quorate-Version: 019b75a8a0000007-00000002\r\n";
        assertThat(ask("POST", "/v0/entities", version, put("a")).status()).isEqualTo(400);
        String condition = LINES + "If-Match: *\r\n";
        assertThat(ask("POST", "/v0/entities", condition, put("a")).status()).isEqualTo(501);
        edge.draining = true;
        assertThat(post("", put("a")).status()).isEqualTo(503);
        assertThat(edge.operations.writes).hasValue(0);
    }

    @Test
    void everyLineCounts() throws IOException {
        batch(put("a"), get("a"), get("b"), "{\"op\":\"delete\",\"key\":\"c\"}", "?");
        List<String> observed = new ArrayList<>(edge.observed);
        Collections.sort(observed);
        assertThat(observed)
                .containsExactly(
                        "BATCH 200", "DELETE 202", "GET 200", "GET 404", "OTHER 400", "PUT 201");
    }

    @Test
    void linesThatAreRefusedForOverloadWaitForTheirTurn() throws IOException {
        edge.operations.forced =
                new Outcome.Refused("more is under way than can be done in time", 1);
        String body = put("a") + "\n" + put("a") + "\n" + get("b");
        String head = "POST /v0/entities HTTP/1.1\r\nHost: x\r\n" + LINES;
        client.send(head + "Content-Length: " + body.length() + "\r\n\r\n" + body);
        await().until(() -> edge.operations.forRoom.size() == 2);
        assertThat(client.hasAnswer()).isFalse();
        edge.operations.forRoom.remove().run();
        assertThat(edge.operations.forRoom).as("it is refused again").hasSize(2);
        edge.operations.forced = null;
        while (!edge.operations.forRoom.isEmpty()) {
            edge.operations.forRoom.remove().run();
        }
        assertThat(client.read().text().lines().map(line -> line.contains("\"status\":201")))
                .containsExactly(true, true, false);
        edge.operations.forced =
                new Outcome.Refused("more is under way than can be done in time", 1);
        edge.stopClock();
        client.send(head + "Content-Length: " + body.length() + "\r\n\r\n" + body);
        await().until(() -> edge.operations.forRoom.size() == 2);
        edge.advance(10_001);
        while (!edge.operations.forRoom.isEmpty()) {
            edge.operations.forRoom.remove().run();
        }
        assertThat(client.read().text().lines()).hasSize(3).allMatch(line -> line.contains("503"));
    }

    /** The others may be open for another address. */
    @Test
    void anAddressHasHalfOfTheBatches() throws IOException {
        edge.operations.forced =
                new Outcome.Refused("more is under way than can be done in time", 1);
        String request =
                "POST /v0/entities HTTP/1.1\r\nHost: x\r\n"
                        + LINES
                        + "Content-Length: "
                        + get("a").length()
                        + "\r\n\r\n"
                        + get("a");
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < Batches.MAX_OPEN / 2; i++) {
            RawClient each = edge.client();
            clients.add(each);
            each.send(request);
        }
        await().until(() -> edge.operations.forRoom.size() == clients.size());
        assertThat(client.send(request).read().status()).isEqualTo(503);
        edge.operations.forced = null;
        while (!edge.operations.forRoom.isEmpty()) {
            edge.operations.forRoom.remove().run();
        }
        for (RawClient each : clients) {
            assertThat(each.read().status()).isEqualTo(200);
            each.close();
        }
        assertThat(client.send(request).read().status()).isEqualTo(200);
    }
}

package dev.quorate.node.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.storage.Entry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A value's content type is kept and given back, and is nothing but that. */
final class ContentTypesTest extends ClientOfBatches {

    private static final String JSON = "Accept: application/json\r\n";
    private static final String QUOTED = "text/plain; charset=\"u\\\"t,f; 8\"";

    private Answer put(String key, String type, String more) throws IOException {
        String headers = "Content-Type: " + type + "\r\n" + more;
        return ask("PUT", "/v0/entity?id=" + key, headers, "value");
    }

    private Entry entry(String key) {
        return edge.operations.entries.get(key.getBytes(US_ASCII));
    }

    @Test
    void itIsGivenBack() throws IOException {
        for (String type :
                List.of(
                        "text/plain",
                        "a/b",
                        "image/svg+xml",
                        "Text/HTML ;  Charset=utf-8",
                        QUOTED)) {
            assertThat(put("a", type, "").status()).as(type).isEqualTo(201);
            for (String method : List.of("GET", "HEAD")) {
                Answer answer = ask(method, "/v0/entity?id=a");
                assertThat(answer.header("content-type")).isEqualTo(type);
                assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
                assertThat(answer.header("content-security-policy")).isEqualTo("sandbox");
                assertThat(answer.header("content-length")).isEqualTo("5");
            }
            assertThat(ask("GET", "/v0/entity?id=a").text()).isEqualTo("value");
        }
        put("a", "");
        Answer without = ask("GET", "/v0/entity?id=a");
        assertThat(without.header("content-type")).isEqualTo("application/octet-stream");
        assertThat(without.header("x-content-type-options")).isEqualTo("nosniff");
    }

    @Test
    void whatSaysNothingIsNotStored() throws IOException {
        for (String type :
                List.of(
                        "application/octet-stream",
                        "Application/Octet-Stream",
                        "application/x-www-form-urlencoded")) {
            put("a", type, "");
            assertThat(entry("a").contentType()).isNull();
            assertThat(ask("GET", "/v0/entity?id=a").header("content-type"))
                    .isEqualTo("application/octet-stream");
        }
    }

    @Test
    void itGoesWithConditionsExpiriesAndVersions() throws IOException {
        put("a", "text/one", "If-None-Match: *\r\n");
        assertThat(entry("a").contentType()).isEqualTo("text/one");
        put("a", "text/two", "If-Match: *\r\n");
        assertThat(entry("a").contentType()).isEqualTo("text/two");
        String headers = "Content-Type: text/three\r\n";
        ask("PUT", "/v0/entity?id=a&ttl=60&consistency=linearizable", headers, "value");
        assertThat(entry("a").contentType()).isEqualTo("text/three");
        assertThat(entry("a").expiresAtMillis()).isNotEqualTo(Entry.NEVER);
    }

    @Test
    void aMalformedOneIsRefusedBeforeAnyWork() throws IOException {
        for (String type :
                List.of(
                        "text",
                        "/",
                        "text/",
                        "/plain",
                        "text/plain/x",
                        "text/plain, text/html",
                        "text/plain;charset",
                        "text/plain;charset=",
                        "text/plain;charset=\"open",
                        "text/plain;a=\"b\"c",
                        "te xt/plain",
                        "text/pl\u00E4in",
                        "text/plain\tx",
                        "<b>/plain",
                        "text/" + "x".repeat(251))) {
            Answer answer = put("a", type, "");
            assertThat(answer.status()).as(type).isEqualTo(400);
            assertThat(answer.text()).contains("media type");
        }
        assertThat(put("a", "text/plain", "Content-Type: text/html\r\n").status()).isEqualTo(400);
        assertThat(edge.operations.writes.get()).isZero();
        assertThat(put("a", "text/" + "x".repeat(250), "").status()).isEqualTo(201);
        // Whoever waits for 100 (Continue) learns it before the body.
        client.send("PUT /v0/entity?id=b HTTP/1.1\r\nHost: x\r\nContent-Type: text\r\n");
        client.send("Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
        assertThat(client.read(false).status()).isEqualTo(400);
    }

    /** It is matched in time that grows with its length alone. */
    @Test
    void noneTakesLongToMatch() throws IOException {
        List<String> slow =
                List.of(
                        "a/b" + ";".repeat(249) + "=",
                        "a/b" + "; ".repeat(120) + "=",
                        "a/b;c=\"" + "\\\\".repeat(120) + "x",
                        "a/b" + " ".repeat(200) + "x");
        org.junit.jupiter.api.Assertions.assertTimeout(
                Duration.ofSeconds(5),
                () -> {
                    for (int i = 0; i < 200; i++) {
                        for (String type : slow) {
                            assertThat(put("a", type, "").status()).isEqualTo(400);
                        }
                    }
                });
    }

    @Test
    void rangesShowIt() throws IOException {
        put("a", QUOTED, "");
        ask("PUT", "/v0/entity?id=b&ttl=60", "Content-Type: text/html\r\n", "");
        put("c", "plain");
        long expires = entry("b").expiresAtMillis();
        for (String accept : List.of(JSON, "Accept: application/x-ndjson\r\n")) {
            for (String keys : List.of("", "&keys=only")) {
                Answer answer = ask("GET", "/v0/entities?prefix=" + keys, accept, "");
                List<com.google.gson.JsonObject> found =
                        answer.text()
                                .lines()
                                .filter(line -> line.startsWith("{"))
                                .map(
                                        line ->
                                                line.endsWith(",")
                                                        ? line.substring(0, line.length() - 1)
                                                        : line)
                                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                                .toList();
                assertThat(found).hasSize(3);
                assertThat(found.get(0).get("contentType").getAsString()).isEqualTo(QUOTED);
                assertThat(found.get(0).has("expires")).isFalse();
                assertThat(found.get(1).get("contentType").getAsString()).isEqualTo("text/html");
                assertThat(found.get(1).get("expires").getAsLong()).isEqualTo(expires);
                assertThat(found.get(2).has("contentType")).isFalse();
                assertThat(found.get(2).has("expires")).isFalse();
                assertThat(found).allMatch(each -> each.has("version"));
                assertThat(found).allMatch(each -> each.has("value") == keys.isEmpty());
            }
        }
    }

    @Test
    void batchesStoreAndShowIt() throws IOException {
        String type = QUOTED.replace("\\", "\\\\").replace("\"", "\\\"");
        String put = "{\"op\":\"put\",\"key\":\"a\",\"value\":\"v\",\"contentType\":\"";
        var answers =
                batch(
                        put + type + "\"}",
                        get("a"),
                        put + "text\"}",
                        put + "a\\u000ab/c\"}",
                        "{\"op\":\"get\",\"key\":\"a\",\"contentType\":\"a/b\"}",
                        "{\"op\":\"put\",\"key\":\"a\",\"value\":\"v\",\"contentType\":7}");
        assertThat(statuses(answers)).containsExactly(201, 200, 400, 400, 400, 400);
        assertThat(answers.get(1).get("contentType").getAsString()).isEqualTo(QUOTED);
        assertThat(answers.get(1).get("value").getAsString()).isEqualTo("v");
        assertThat(entry("a").contentType()).isEqualTo(QUOTED);
    }
}

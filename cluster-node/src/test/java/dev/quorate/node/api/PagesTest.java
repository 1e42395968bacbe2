package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.quorate.node.http.connection.RawClient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges as JSON, by prefix, without values, and page by page. */
final class PagesTest extends ClientOfAnEdge {

    private static final String JSON = "Accept: application/json\r\n";
    private static final String LINES = "Accept: application/x-ndjson\r\n";

    private Answer json(String query) throws IOException {
        boolean isBounded = query.contains("prefix=") || query.contains("start=");
        return ask("GET", "/v0/entities?" + (isBounded ? query : "prefix=&" + query), JSON, "");
    }

    private static JsonArray array(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.header("content-type")).isEqualTo("application/json");
        return JsonParser.parseString(answer.text()).getAsJsonArray();
    }

    private void put(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            put("key" + (char) ('a' + i), "value" + i);
        }
    }

    @Test
    void aRangeIsOneArray() throws IOException {
        assertThat(json("start=a").text()).isEqualTo("[]\n");
        String version = put("a", "x \"y\"").header("x-quorate-version");
        put("%FF", "\u00ff");
        assertThat(json("start=a&limit=1").text())
                .isEqualTo(
                        "[\n{\"key\":\"a\",\"value\":\"x \\\"y\\\"\",\"version\":\""
                                + version
                                + "\"}\n]\n");
        JsonObject second = array(json("")).get(1).getAsJsonObject();
        assertThat(second.get("keyBase64").getAsString()).isEqualTo("/w==");
        assertThat(second.get("valueBase64").getAsString()).isEqualTo("/w==");
        assertThat(second.keySet()).containsExactly("keyBase64", "valueBase64", "version");
    }

    @Test
    void aPrefixIsWhatBeginsWithIt() throws IOException {
        for (String key : List.of("a", "ab", "ab%FF", "ab%FFc", "ac", "%FF", "%FF%FF", "%FFa")) {
            put(key, "");
        }
        assertThat(ask("GET", "/v0/entities?prefix=ab").text())
                .isEqualTo("ab\nab\u00ff\nab\u00ffc\n");
        assertThat(ask("GET", "/v0/entities?prefix=ab%FF").text())
                .isEqualTo("ab\u00ff\nab\u00ffc\n");
        assertThat(ask("GET", "/v0/entities?prefix=%FF").chunks()).isEqualTo(3);
        assertThat(ask("GET", "/v0/entities?prefix=%FF%FF").chunks()).isEqualTo(1);
        assertThat(ask("GET", "/v0/entities?prefix=").chunks()).isEqualTo(8);
        assertThat(ask("GET", "/v0/entities?start=%00&end=ab").text()).isEqualTo("a\n");
    }

    @Test
    void keysAlone() throws IOException {
        String version = put("a", "value").header("x-quorate-version");
        put("b", "value");
        assertThat(ask("GET", "/v0/entities?prefix=&keys=only").text()).isEqualTo("a\nb\n");
        assertThat(ask("GET", "/v0/entities?prefix=&keys=only&limit=1", LINES, "").text())
                .isEqualTo("{\"key\":\"YQ==\",\"version\":\"" + version + "\"}\n");
        assertThat(json("keys=only&limit=1").text())
                .isEqualTo("[\n{\"key\":\"a\",\"version\":\"" + version + "\"}\n]\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9})
    void allPagesAreTheRange(int limit) throws IOException {
        put(8);
        put("kez", "after the prefix");
        edge.operations.batchEntries = 3;
        requirePages(limit, "prefix=key", "keya keyb keyc keyd keye keyf keyg keyh");
        requirePages(limit, "prefix=key&reverse=1", "keyh keyg keyf keye keyd keyc keyb keya");
        requirePages(
                limit, "start=key&end=kez&reverse=1", "keyh keyg keyf keye keyd keyc keyb keya");
    }

    private void requirePages(int limit, String query, String expected) throws IOException {
        List<String> keys = new ArrayList<>();
        String cursor = "";
        int pages = 0;
        while (cursor != null) {
            JsonArray page = array(json(query + "&limit=" + limit + "&cursor=" + cursor));
            pages++;
            cursor = null;
            for (int i = 0; i < page.size(); i++) {
                JsonObject each = page.get(i).getAsJsonObject();
                if (each.has("cursor")) {
                    assertThat(i).as("the cursor is the last").isEqualTo(page.size() - 1);
                    assertThat(i).as("of a full page").isEqualTo(limit);
                    cursor = each.get("cursor").getAsString();
                } else {
                    keys.add(each.get("key").getAsString());
                }
            }
        }
        assertThat(String.join(" ", keys)).isEqualTo(expected);
        assertThat(pages).isEqualTo(8 / limit + 1);
    }

    @Test
    void aPageEndsByTimeAsWell() throws IOException {
        edge.stopClock();
        put(9);
        for (String key : List.of("keya", "keyb", "keyc", "keyd", "keyf", "keyg", "keyh")) {
            ask("DELETE", "/v0/entity?id=" + key);
        }
        edge.operations.beforeTombstone = () -> edge.advance(400);
        List<String> pages = new ArrayList<>();
        String query = "prefix=key&keys=only&limit=5&cursor=";
        String cursor = "";
        while (cursor != null && pages.size() < 9) {
            JsonArray page = array(json(query + cursor));
            cursor = null;
            String keys = "";
            for (int i = 0; i < page.size(); i++) {
                JsonObject each = page.get(i).getAsJsonObject();
                if (each.has("cursor")) {
                    cursor = each.get("cursor").getAsString();
                } else {
                    keys += each.get("key").getAsString();
                }
            }
            pages.add(keys);
        }
        // After 1.2 s of tombstones a page is over, and has a cursor even if it is empty.
        assertThat(pages).containsExactly("", "keyekeyi", "");
        // A plain range is not shortened.
        assertThat(array(json("prefix=key&keys=only")).size()).isEqualTo(2);
        assertThat(array(json("prefix=key&keys=only&limit=2")).size()).isEqualTo(2);
    }

    @Test
    void theLargestKeysComeFirst() throws IOException {
        put(3);
        put("%FF", "last");
        assertThat(ask("GET", "/v0/entities?prefix=&reverse=1&keys=only").text())
                .isEqualTo("\u00ff\nkeyc\nkeyb\nkeya\n");
        assertThat(ask("GET", "/v0/entities?prefix=&reverse=1&keys=only&limit=2").text())
                .isEqualTo("\u00ff\nkeyc\n");
        assertThat(ask("GET", "/v0/entities?start=%00&reverse=1&keys=only&end=keyb").text())
                .isEqualTo("keya\n");
        assertThat(ask("GET", "/v0/entities?prefix=&reverse=1&keys=only&scope=node&limit=1").text())
                .isEqualTo("\u00ff\n");
        assertThat(array(json("reverse=1&limit=1")).toString()).contains("keyBase64\":\"/w==");
        assertThat(ask("GET", "/v0/entities?prefix=&reverse=1", LINES, "").text().lines())
                .hasSize(4);
        assertThat(ask("GET", "/v0/entities?reverse=1&start=keyb&end=keyb").text()).isEmpty();
    }

    @Test
    void aCursorGoesOnInItsDirectionAlone() throws IOException {
        put(5);
        String page = json("prefix=key&reverse=1&limit=2&cursor=").text();
        String cursor = page.replaceAll("(?s).*\"cursor\":\"([^\"]+)\".*", "$1");
        for (String other : List.of("prefix=key", "prefix=key&reverse=0", "prefix=k&reverse=1")) {
            assertThat(json(other + "&limit=2&cursor=" + cursor).status()).as(other).isEqualTo(400);
        }
        assertThat(json("prefix=key&reverse=1&limit=2&cursor=" + cursor).text())
                .contains("keyc", "keyb")
                .doesNotContain("keyd");
    }

    @Test
    void aPageOfLinesEndsWithTheSameCursor() throws IOException {
        put(3);
        String query = "/v0/entities?prefix=&limit=2&keys=only&cursor=";
        List<String> lines = ask("GET", query, LINES, "").text().lines().toList();
        assertThat(lines).hasSize(3);
        String cursor =
                JsonParser.parseString(lines.get(2)).getAsJsonObject().get("cursor").getAsString();
        assertThat(array(json("limit=2&keys=only&cursor=" + cursor)).size()).isEqualTo(1);
        assertThat(ask("GET", query + cursor, LINES, "").text().lines()).hasSize(1);
        // Nobody who has not asked for pages gets a line that is no entry.
        assertThat(ask("GET", "/v0/entities?prefix=&limit=2", LINES, "").text().lines()).hasSize(2);
        assertThat(array(json("limit=2")).size()).isEqualTo(2);
    }

    @Test
    void aCursorOfAnotherQueryIsRefused() throws IOException {
        put(5);
        String page = json("prefix=key&limit=2&cursor=").text();
        String cursor = page.replaceAll("(?s).*\"cursor\":\"([^\"]+)\".*", "$1");
        int scans = edge.operations.scopes.size();
        for (String other :
                List.of(
                        "prefix=ke",
                        "",
                        "start=key&end=kez&keys=only",
                        "prefix=key&reverse=1",
                        "prefix=key&replicas=1/3",
                        "prefix=key&from=2")) {
            Answer answer = json(other + "&limit=2&cursor=" + cursor);
            assertThat(answer.status()).as(other).isEqualTo(400);
            assertThat(answer.text()).contains("not one that an answer to this query gave");
        }
        assertThat(json("prefix=key&limit=2&cursor=" + cursor + "A").status()).isEqualTo(400);
        assertThat(json("prefix=key&limit=2&cursor=%00").status()).isEqualTo(400);
        assertThat(edge.operations.scopes).hasSize(scans);
        // Another limit, and another way to name the same range, are the same query.
        assertThat(array(json("prefix=key&limit=9&cursor=" + cursor)).size()).isEqualTo(3);
        assertThat(array(json("start=key&end=kez&limit=9&cursor=" + cursor)).size()).isEqualTo(3);
        assertThat(array(json("prefix=key&replicas=2/3&limit=9&cursor=" + cursor)).size())
                .isEqualTo(3);
    }

    @Test
    void whatIsNotImplementedIsRefusedBeforeAnyWork() throws IOException {
        for (String query :
                List.of("limit=2&cursor=&scope=node", "reverse=1&limit=2&cursor=&scope=node")) {
            Answer answer = json(query);
            assertThat(answer.status()).as(query).isEqualTo(501);
            assertThat(answer.text()).contains("Nothing was attempted");
        }
        assertThat(ask("GET", "/v0/entities?prefix=&cursor=&limit=1").text()).contains("Accept");
        assertThat(json("cursor=").text()).contains("'limit'");
        assertThat(edge.operations.scopes).isEmpty();
        assertThat(json("reverse=0").status()).isEqualTo(200);
    }

    /** A range that is cut off must not look like a whole array. */
    @Test
    void aRangeThatFailsIsNoArray() throws IOException {
        put(5);
        edge.operations.batchEntries = 2;
        edge.operations.batchesUntilFailure = 1;
        client.send("GET /v0/entities?prefix= HTTP/1.1\r\nHost: x\r\n" + JSON + "\r\n");
        StringBuilder all = new StringBuilder();
        for (byte[] b = client.upTo(1000); b.length > 0; b = client.upTo(1000)) {
            all.append(new String(b, StandardCharsets.ISO_8859_1));
        }
        assertThat(all).contains("keyb").doesNotContain("]").doesNotContain("\r\n0\r\n");
    }
}

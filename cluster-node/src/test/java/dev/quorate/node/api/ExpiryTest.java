package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a value expires, as answers show it, and requests that change it. */
final class ExpiryTest extends ClientOfAnEdge {

    private static final String ENTITY = "/v0/entity?id=a";
    private static final String EXPIRES = "x-quorate-expires";

    private Answer patch(String query, String headers) throws IOException {
        return ask("PATCH", ENTITY + query, headers, "");
    }

    /** The milliseconds that replicas store for the key. */
    private String stored() {
        Entry entry = edge.operations.entries.get("a".getBytes(StandardCharsets.US_ASCII));
        return Long.toString(entry.expiresAtMillis());
    }

    @Test
    void everyAnswerThatShowsAnEntryHasItsExpiry() throws IOException {
        String tag = ask("PUT", ENTITY + "&ttl=1500ms", "", "value").header("etag");
        String expires = stored();
        assertThat(Long.parseLong(expires) % 1_000).isNotZero(); // no milliseconds are lost
        for (String method : List.of("GET", "HEAD")) {
            for (String headers :
                    List.of(
                            "",
                            "If-None-Match: " + tag + "\r\n",
                            "If-Match: \"x\"\r\n",
                            "Range: bytes=1-2\r\n")) {
                for (String explain : List.of("", "&explain=1")) {
                    Answer answer = ask(method, ENTITY + explain, headers, "");
                    assertThat(answer.status()).isIn(200, 206, 304, 412);
                    assertThat(answer.header(EXPIRES)).as(method + headers).isEqualTo(expires);
                    assertThat(answer.header("etag")).isEqualTo(tag);
                }
            }
        }
        put("a", "value");
        assertThat(ask("GET", ENTITY).header(EXPIRES)).isNull();
        assertThat(ask("GET", ENTITY, "If-Match: \"x\"\r\n", "").header(EXPIRES)).isNull();
    }

    @Test
    void linesOfABatchHaveIt() throws IOException {
        ask("PUT", ENTITY + "&ttl=1m", "Content-Type: text/plain\r\n", "value");
        put("b", "value");
        String lines = "{\"op\":\"get\",\"key\":\"a\"}\n{\"op\":\"get\",\"key\":\"b\"}\n";
        Answer answer =
                ask("POST", "/v0/entities", "Content-Type: application/x-ndjson\r\n", lines);
        List<String> got = answer.text().lines().toList();
        assertThat(got.getFirst())
                .contains(",\"expires\":" + stored() + ",\"contentType\":\"text/plain\",\"value\"");
        assertThat(got.getLast()).doesNotContain("expires").contains("\"value\":\"value\"");
    }

    @Test
    void aPatchChangesTheExpiryAlone() throws IOException {
        String tag = ask("PUT", ENTITY, "Content-Type: text/plain\r\n", "value").header("etag");
        Answer answer = patch("&ttl=5m", "");
        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header("etag")).isNotEqualTo(tag).isNotNull();
        Answer now = ask("GET", ENTITY);
        assertThat(now.text()).isEqualTo("value");
        assertThat(now.header("content-type")).isEqualTo("text/plain");
        assertThat(now.header("etag")).isEqualTo(answer.header("etag"));
        assertThat(now.header(EXPIRES)).isEqualTo(stored());

        assertThat(patch("&ttl=none", "If-Match: " + answer.header("etag") + "\r\n").status())
                .isEqualTo(204);
        assertThat(ask("GET", ENTITY).header(EXPIRES)).isNull();
        assertThat(patch("&ttl=60", "If-Match: *\r\n").status()).isEqualTo(204);
        assertThat(edge.operations.renewals).containsExactly("PT5M", "none", "PT1M");
        assertThat(edge.observed).anyMatch(each -> each.startsWith("PATCH 204"));
    }

    @Test
    void aPatchOfAnotherVersionOrOfNothingChangesNothing() throws IOException {
        put("a", "value");
        for (String tag : List.of("\"01a1ffa680e10000-36c6c909\"", "\"x\"")) {
            assertThat(patch("&ttl=5m", "If-Match: " + tag + "\r\n").status()).isEqualTo(412);
        }
        assertThat(ask("GET", ENTITY).header(EXPIRES)).isNull();
        assertThat(ask("PATCH", "/v0/entity?id=none&ttl=5m").status()).isEqualTo(404);
        assertThat(ask("GET", "/v0/entity?id=none").status()).isEqualTo(404);
        ask("DELETE", ENTITY);
        assertThat(patch("&ttl=5m", "If-Match: *\r\n").status()).isEqualTo(404);
        assertThat(edge.operations.entries.firstEntry().getValue().isTombstone()).isTrue();
    }

    @Test
    void aBadPatchIsRefusedBeforeAnyWork() throws IOException {
        put("a", "value");
        for (String query :
                List.of("", "&ttl=", "&ttl=0", "&ttl=999ms", "&ttl=3651d", "&ttl=5y", "&ttl=-1")) {
            assertThat(patch(query, "").status()).as(query).isEqualTo(400);
        }
        assertThat(patch("&ttl=99999999999999999999", "").status()).isEqualTo(400);
        assertThat(patch("&ttl=5m&wait=1s", "").status()).isEqualTo(400);
        assertThat(patch("&ttl=5m&replicas=1/3", "").status()).isEqualTo(400);
        assertThat(ask("PATCH", ENTITY + "&ttl=5m", "", "body").status()).isEqualTo(400);
        assertThat(ask("PATCH", "/v0/entity?ttl=5m").status()).isEqualTo(400);
        String long1025 = "/v0/entity?ttl=5m&id=" + "k".repeat(1_025);
        assertThat(ask("PATCH", long1025).status()).isEqualTo(414);
        String version = "X-Quorate-Version: 01a1ffa680e10000-36c6c909\r\n";
        assertThat(patch("&ttl=5m", version).status()).isEqualTo(400);
        assertThat(patch("&ttl=5m", "If-Match: W/\"x\"\r\n").status()).isEqualTo(400);
        assertThat(patch("&ttl=5m", "If-None-Match: *\r\n").status()).isEqualTo(501);
        assertThat(ask("PATCH", "/v0/entities?prefix=").status()).isEqualTo(405);
        assertThat(edge.operations.renewals).isEmpty();
        assertThat(edge.operations.writes).hasValue(1);
    }

    /** It cannot be sent again under its version, as other writes can. */
    @Test
    void anUndecidedPatchSaysHowToFindOut() throws IOException {
        put("a", "value");
        edge.operations.forced =
                new Outcome.Undecided(Timestamp.of(1, 0, 1), List.of(), Explanation.NONE);
        Answer answer = patch("&ttl=5m", "");
        assertThat(answer.status()).isEqualTo(504);
        assertThat(answer.text())
                .contains("X-Quorate-Expires")
                .doesNotContain("with the header X-Quorate-Version");
        edge.operations.forced = new Outcome.TooLong(2_000_000);
        assertThat(patch("&ttl=5m", "").status()).isEqualTo(413);
    }
}

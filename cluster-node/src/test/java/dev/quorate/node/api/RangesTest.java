package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.coordinator.range.ScanScope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranges of keys, as clients get them. */
final class RangesTest extends ClientOfAnEdge {

    @Test
    void aRangeIsSortedAndEveryEntryIsAChunk() throws IOException {
        for (int i = 0; i < 25; i++) {
            put("key" + (char) ('a' + i), "value" + i);
        }
        ask("DELETE", "/v0/entity?id=keyc");
        Answer answer = ask("GET", "/v0/entities?start=keyb&end=keye");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("transfer-encoding")).isEqualTo("chunked");
        assertThat(answer.header("content-type")).isEqualTo("application/octet-stream");
        assertThat(answer.text()).isEqualTo("keyb\nvalue1keyd\nvalue3");
        assertThat(answer.chunks()).isEqualTo(2);

        assertThat(ask("GET", "/v0/entities?start=keya").chunks()).isEqualTo(24);
        assertThat(ask("GET", "/v0/entities?start=keya&limit=12").chunks()).isEqualTo(12);
        assertThat(ask("GET", "/v0/entities?start=keya&limit=10").chunks()).isEqualTo(10);
        assertThat(ask("GET", "/v0/entities?start=z").chunks()).isZero();
        assertThat(ask("GET", "/v0/entities?start=keyb&end=keya").chunks()).isZero();
        await().untilAtomic(edge.operations.openScans, equalTo(0));
        assertThat(edge.operations.scopes).containsOnly(ScanScope.CLUSTER);
        ask("GET", "/v0/entities?start=a&scope=node");
        assertThat(edge.operations.scopes).endsWith(ScanScope.NODE);
    }

    @Test
    void aRangeCanBeHadAsJsonLines() throws IOException {
        String version = put("%00%FF", "line\nfeed").header("x-quorate-version");
        put("b", "");
        for (String accept :
                List.of(
                        "application/x-ndjson",
                        "text/html, Application/X-NDJSON;q=0.9, */*;q=0.1")) {
            Answer answer = ask("GET", "/v0/entities?start=%00", "Accept: " + accept + "\r\n", "");
            assertThat(answer.header("content-type")).isEqualTo("application/x-ndjson");
            assertThat(answer.text().lines().toList())
                    .hasSize(2)
                    .first()
                    .isEqualTo(
                            "{\"key\":\"AP8=\",\"value\":\"bGluZQpmZWVk\",\"version\":\""
                                    + version
                                    + "\"}");
        }
    }

    @Test
    void aRangeThatCannotBeginIsA504AndOneThatCannotEndIsCutOff() throws IOException {
        edge.operations.batchEntries = 2;
        for (int i = 0; i < 9; i++) {
            put("key" + i, "value");
        }
        edge.operations.batchesUntilFailure = 0;
        assertThat(ask("GET", "/v0/entities?start=a").status()).isEqualTo(504);

        edge.operations.batchesUntilFailure = 3;
        client.send("GET /v0/entities?start=a HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(wholeAnswer(client))
                .startsWith("HTTP/1.1 200")
                .contains("key5\nvalue")
                .doesNotContain("key6")
                .doesNotContain("\r\n0\r\n");
        await().untilAtomic(edge.operations.openScans, equalTo(0));
    }

    @Test
    void aRangeForAnOldClientIsCutOffWithAnError() throws IOException {
        edge.operations.batchEntries = 2;
        for (int i = 0; i < 9; i++) {
            put("key" + i, "value");
        }
        try (RawClient old = edge.client()) {
            old.send("GET /v0/entities?start=a HTTP/1.0\r\n\r\n");
            Answer whole = old.read();
            assertThat(whole.headers()).doesNotContainKey("transfer-encoding");
            assertThat(whole.text()).startsWith("key0\nvaluekey1").endsWith("key8\nvalue");
        }
        edge.operations.batchesUntilFailure = 3;
        try (RawClient old = edge.client()) {
            old.send("GET /v0/entities?start=a HTTP/1.0\r\n\r\n");
            assertThatThrownBy(() -> wholeAnswer(old)).isInstanceOf(IOException.class);
        }
    }

    private static String wholeAnswer(RawClient client) throws IOException {
        StringBuilder all = new StringBuilder();
        for (byte[] b = client.upTo(1000); b.length > 0; b = client.upTo(1000)) {
            all.append(new String(b, StandardCharsets.ISO_8859_1));
        }
        return all.toString();
    }
}

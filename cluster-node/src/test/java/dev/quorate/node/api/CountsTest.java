package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.connection.RawClient.Answer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The number of keys in a range. */
final class CountsTest extends ClientOfAnEdge {

    private static final String COUNT = "/v0/entities?count=true&prefix=";

    private void putKeys(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            put("key%03d".formatted(i), "value");
        }
    }

    @Test
    void liveKeysAreCounted() throws IOException {
        putKeys(37);
        ask("DELETE", "/v0/entity?id=key005");
        put("other", "value");
        assertThat(ask("GET", COUNT).text()).isEqualTo("37\n");
        assertThat(ask("GET", COUNT + "key").text()).isEqualTo("36\n");
        assertThat(ask("GET", COUNT + "none").text()).isEqualTo("0\n");
        String range = "/v0/entities?count=true&start=key003&end=key010";
        assertThat(ask("GET", range).text()).isEqualTo("6\n");
        assertThat(ask("GET", range + "&keys=only&replicas=1/1&scope=node").text())
                .isEqualTo("6\n");
        assertThat(ask("GET", range.replace("true", "false")).header("content-type"))
                .isEqualTo("application/octet-stream");
        await().untilAtomic(edge.operations.openScans, equalTo(0));
    }

    @Test
    void theFormatIsThatOfAccept() throws IOException {
        putKeys(3);
        for (String accept :
                List.of(
                        "application/json",
                        "text/plain;q=0.5, application/json",
                        "*/*;q=0, application/json")) {
            Answer json = ask("GET", COUNT, "Accept: " + accept + "\r\n", "");
            assertThat(json.header("content-type")).isEqualTo("application/json");
            assertThat(json.text()).isEqualTo("{\"count\":3}\n");
        }
        for (String accept : List.of("*/*", "text/*", "application/json;q=0", "image/png")) {
            Answer text = ask("GET", COUNT, "Accept: " + accept + "\r\n", "");
            assertThat(text.header("content-type")).isEqualTo("text/plain; charset=utf-8");
            assertThat(text.text()).isEqualTo("3\n");
            assertThat(text.header("vary")).isEqualTo("Accept");
        }
        assertThat(ask("HEAD", COUNT).status()).isEqualTo(200);
    }

    /** However many batches were counted before. */
    @Test
    void aRangeThatIsCutOffHasNoNumber() throws IOException {
        putKeys(25);
        edge.operations.batchEntries = 2;
        for (int batches : List.of(0, 1, 5, 12)) {
            edge.operations.batchesUntilFailure = batches;
            Answer answer = ask("GET", COUNT);
            assertThat(answer.status()).as("after " + batches).isEqualTo(504);
            assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        }
        edge.operations.batchesUntilFailure = Integer.MAX_VALUE;
        assertThat(ask("GET", COUNT).text()).isEqualTo("25\n");
        await().untilAtomic(edge.operations.openScans, equalTo(0));
        assertThat(edge.observed).filteredOn(each -> each.startsWith("SCAN 504")).hasSize(4);
    }

    @Test
    void whatMakesNoSenseIsRefused() throws IOException {
        for (String more :
                List.of(
                        "&limit=3",
                        "&reverse=1",
                        "&reverse=0",
                        "&cursor=",
                        "&cursor=&limit=3",
                        "&count=true")) {
            assertThat(ask("GET", COUNT + more).status()).as(more).isEqualTo(400);
        }
        assertThat(ask("GET", "/v0/entities?count=1&prefix=").status()).isEqualTo(400);
        assertThat(ask("GET", "/v0/entities?count&prefix=").status()).isEqualTo(400);
        assertThat(ask("GET", "/v0/entities?count=true").status()).isEqualTo(400);
        assertThat(edge.operations.specs).isEmpty();
    }
}

package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient.Answer;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of a value, by Range. */
final class ValueRangesTest extends ClientOfAnEdge {

    private static final String ENTITY = "/v0/entity?id=a";

    private Answer get(String headers) throws IOException {
        return ask("GET", ENTITY, headers, "");
    }

    @ParameterizedTest
    @CsvSource({
        "0-0, 0",
        "2-4, 234",
        "5-, 56789",
        "9-, 9",
        "0-, 0123456789",
        "0-9, 0123456789",
        "3-99999999999999999999, 3456789",
        "-1, 9",
        "-3, 789",
        "-10, 0123456789",
        "-99999999999999999999, 0123456789"
    })
    void aRangeIsSentAs206(String spec, String part) throws IOException {
        String version = put("a", "0123456789").header("x-quorate-version");
        Answer answer = get("Range: bytes=" + spec + "\r\n");
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.text()).isEqualTo(part);
        int first = part.charAt(0) - '0';
        assertThat(answer.header("content-range"))
                .isEqualTo("bytes " + first + "-" + (first + part.length() - 1) + "/10");
        assertThat(answer.header("etag")).isEqualTo("\"" + version + "\"");
        assertThat(answer.header("content-type")).isEqualTo("application/octet-stream");
        assertThat(answer.header("accept-ranges")).isEqualTo("bytes");
    }

    @Test
    void whatCannotBeSatisfiedIsA416WithTheLength() throws IOException {
        put("a", "0123456789");
        for (String spec : List.of("10-", "10-20", "99999999999999999999-", "-0")) {
            Answer answer = get("Range: bytes=" + spec + "\r\n");
            assertThat(answer.status()).as(spec).isEqualTo(416);
            assertThat(answer.header("content-range")).isEqualTo("bytes */10");
            assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        }
        put("a", "");
        assertThat(get("Range: bytes=0-\r\n").header("content-range")).isEqualTo("bytes */0");
        assertThat(get("Range: bytes=-5\r\n").status()).isEqualTo(200);
    }

    /** RFC 9110, 14.2: a range that is malformed, or in another unit, is ignored. */
    @Test
    void whatIsNoSingleRangeGivesTheWhole() throws IOException {
        put("a", "0123456789");
        for (String range :
                List.of(
                        "bytes=0-1,3-4",
                        "bytes=0-1,",
                        "bytes=4-2",
                        "bytes=-",
                        "bytes=",
                        "bytes=a-b",
                        "bytes=0--1",
                        "bytes=+1-2",
                        "bytes=1",
                        "bytes=-1-2",
                        "bytes=\u0661-",
                        "bytes 0-1",
                        "seconds=0-1",
                        "bytes=" + "0-0,".repeat(1_000) + "1-1",
                        "bytes=0-1\r\nRange: bytes=2-3")) {
            Answer answer = get("Range: " + range + "\r\n");
            assertThat(answer.status()).as(range).isEqualTo(200);
            assertThat(answer.text()).isEqualTo("0123456789");
        }
        assertThat(get("range: BYTES=1-1\r\n").text()).isEqualTo("1");
    }

    @Test
    void conditionsComeFirst() throws IOException {
        String tag = put("a", "0123456789").header("etag");
        String range = "Range: bytes=1-2\r\n";
        assertThat(get(range + "If-Range: " + tag + "\r\n").text()).isEqualTo("12");
        for (String other : List.of("\"x\"", "W/" + tag, "Tue, 24 Nov 2026 03:00:00 GMT", "*")) {
            Answer whole = get(range + "If-Range: " + other + "\r\n");
            assertThat(whole.status()).as(other).isEqualTo(200);
            assertThat(whole.text()).isEqualTo("0123456789");
        }
        client.send("GET " + ENTITY + " HTTP/1.1\r\nHost: x\r\n" + range);
        client.send("If-None-Match: " + tag + "\r\n\r\n");
        assertThat(client.read(true).status()).isEqualTo(304);
        assertThat(get(range + "If-Match: \"x\"\r\n").status()).isEqualTo(412);
        assertThat(get("Range: bytes=10-\r\nIf-Range: \"x\"\r\n").status()).isEqualTo(200);
        assertThat(get(range + "If-Match: " + tag + "\r\n").text()).isEqualTo("12");
    }

    @Test
    void onlyAGetHasRanges() throws IOException {
        put("a", "0123456789");
        String range = "Range: bytes=1-2\r\n";
        Answer head = ask("HEAD", ENTITY, range, "");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("content-length")).isEqualTo("10");
        assertThat(head.header("accept-ranges")).isEqualTo("bytes");
        assertThat(ask("PUT", ENTITY, range, "new").status()).isEqualTo(201);
        assertThat(get("").text()).isEqualTo("new");
        assertThat(ask("GET", "/v0/entity?id=none", range, "").status()).isEqualTo(404);
        assertThat(ask("GET", "/v0/entities?prefix=", range, "").status()).isEqualTo(200);
        assertThat(ask("GET", ENTITY + "&explain=1", range, "").status()).isEqualTo(206);
    }

    /** The parts of a large value, and the memory that it has while they are sent. */
    @Test
    void largeValuesCanBeHadInParts() throws IOException {
        StringBuilder value = new StringBuilder();
        Random random = new Random(5);
        for (int i = 0; i < 300_000; i++) {
            value.append((char) ('a' + random.nextInt(26)));
        }
        put("a", value.toString());
        for (int part = 100; part < 300_000; part *= 7) {
            StringBuilder all = new StringBuilder();
            for (int at = 0; at < value.length(); at += part) {
                all.append(get("Range: bytes=" + at + "-" + (at + part - 1) + "\r\n").text());
                if (part < 1_000 && at > 10_000) {
                    break;
                }
            }
            assertThat(all.toString()).isEqualTo(value.substring(0, all.length()));
        }
    }
}

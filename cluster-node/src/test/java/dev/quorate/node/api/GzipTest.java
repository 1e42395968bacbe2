package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.api.answer.Gzip;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.Seed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges and pages, compressed for whoever accepts it. */
final class GzipTest extends ClientOfAnEdge {

    private static final String GZIP = "Accept-Encoding: br, gzip;q=0.8\r\n";

    private static String unzipped(Answer answer) throws IOException {
        assertThat(answer.header("content-encoding")).isEqualTo("gzip");
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-ndjson", "application/json"})
    void aRangeIsTheSameCompressed(String type) throws IOException {
        RandomGenerator random = Seed.random("GzipTest");
        for (int i = 0; i < 50; i++) {
            byte[] bytes = new byte[i == 7 ? 400_000 : random.nextInt(20_000)];
            random.nextBytes(bytes);
            put("r" + (char) ('A' + i), HexFormat.of().formatHex(bytes));
        }
        String accept = "Accept: " + type + "\r\n";
        String plain = ask("GET", "/v0/entities?prefix=", accept, "").text();
        assertThat(plain).hasSizeGreaterThan(1_000_000);
        Answer answer = ask("GET", "/v0/entities?prefix=", accept + GZIP, "");
        assertThat(answer.header("vary")).isEqualTo("Accept, Accept-Encoding");
        assertThat(unzipped(answer)).isEqualTo(plain);
        assertThat(answer.body().length).isLessThan(plain.length() * 3 / 4);
        assertThat(unzipped(ask("GET", "/v0/entities?start=z", accept + GZIP, "")))
                .isEqualTo(ask("GET", "/v0/entities?start=z", accept, "").text());
        assertThat(ask("HEAD", "/v0/entities?prefix=", accept + GZIP, "").status()).isEqualTo(200);
        await().untilAtomic(edge.operations.openScans, equalTo(0));
    }

    /** What is delivered can be read at once, and a range that fails is not a whole stream. */
    @Test
    void aRangeThatFailsIsNoWholeStream() throws IOException {
        edge.operations.batchEntries = 2;
        for (int i = 0; i < 9; i++) {
            put("key" + i, "value");
        }
        edge.operations.batchesUntilFailure = 3;
        client.send("GET /v0/entities?prefix= HTTP/1.1\r\nHost: x\r\n" + GZIP + "\r\n");
        StringBuilder all = new StringBuilder();
        for (byte[] b = client.upTo(1000); b.length > 0; b = client.upTo(1000)) {
            all.append(new String(b, StandardCharsets.ISO_8859_1));
        }
        assertThat(all).contains("Content-Encoding: gzip").doesNotContain("\r\n0\r\n");
        await().untilAtomic(edge.operations.openScans, equalTo(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gzip;q=0", "gzip; q=0.000", "identity", "br", "*", "xgzip"})
    void whoDoesNotAcceptItGetsWhatItIs(String codings) throws IOException {
        put("a", "value");
        edge.restOfPage = "x".repeat(5_000);
        String header = "Accept-Encoding: " + codings + "\r\n";
        for (String target : List.of("/v0/entities?prefix=", "/metrics")) {
            Answer answer = ask("GET", target, header, "");
            assertThat(answer.headers()).doesNotContainKey("content-encoding");
        }
    }

    @Test
    void longPagesAreCompressedAndValuesNever() throws IOException {
        edge.restOfPage = "x".repeat(5_000);
        for (String page : List.of("/metrics", "/")) {
            Answer answer = ask("GET", page, GZIP, "");
            assertThat(unzipped(answer)).isEqualTo(page + edge.restOfPage);
            assertThat(answer.header("vary")).isEqualTo("Accept-Encoding");
            assertThat(answer.header("content-type")).isEqualTo("text/plain");
            assertThat(answer.body().length).isLessThan(500);
        }
        edge.restOfPage = "";
        assertThat(ask("GET", "/metrics", GZIP, "").text()).isEqualTo("/metrics");
        put("a", "x".repeat(5_000));
        assertThat(ask("GET", "/v0/entity?id=a", GZIP, "").text()).hasSize(5_000);
    }

    /** Only so many are compressed; the others are sent as they are, and room comes back. */
    @Test
    void compressionIsBounded() throws IOException {
        RandomGenerator random = Seed.random("GzipTest");
        byte[] bytes = new byte[200_000];
        for (int i = 0; i < 40; i++) {
            random.nextBytes(bytes);
            put("k" + (char) ('A' + i), new String(bytes, StandardCharsets.ISO_8859_1));
        }
        edge.operations.batchEntries = 1;
        List<RawClient> standing = new ArrayList<>();
        int compressed = 0;
        for (int i = 0; i < Gzip.MAX_STREAMS + 3; i++) {
            RawClient one = edge.client();
            standing.add(one);
            one.send("GET /v0/entities?prefix= HTTP/1.1\r\nHost: x\r\n" + GZIP + "\r\n");
            String head = new String(one.upTo(250), StandardCharsets.ISO_8859_1);
            compressed += head.contains("Content-Encoding: gzip") ? 1 : 0;
        }
        assertThat(compressed).isEqualTo(Gzip.MAX_STREAMS);
        for (RawClient each : standing) {
            each.close();
        }
        await().until(() -> isCompressed(ask("GET", "/v0/entities?prefix=&limit=1", GZIP, "")));
        await().untilAtomic(edge.operations.openScans, equalTo(0));
    }

    private static boolean isCompressed(Answer answer) {
        return answer.header("content-encoding") != null;
    }
}

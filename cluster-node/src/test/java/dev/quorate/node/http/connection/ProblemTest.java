package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.connection.ResponseEncoder.Framing;
import dev.quorate.node.http.connection.ResponseEncoder.Persistence;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Error answers, and the bytes of answers. */
final class ProblemTest {

    private static String body(HttpResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    private static String encoded(
            HttpResponse response, Framing framing, Persistence persistence, boolean sendsBody) {
        return new String(
                        ResponseEncoder.encode(response, framing, persistence, sendsBody),
                        StandardCharsets.ISO_8859_1)
                .replace("\r\n", "|");
    }

    @Test
    void aProblemIsAJsonObjectWithItsMembersInOrder() {
        HttpResponse response =
                Problem.of(504, "Too few.")
                        .with("version", "1")
                        .with("accepted", List.of("n1", "n2"))
                        .with("none", List.of())
                        .with(
                                json ->
                                        json.beginArray("failures")
                                                .beginObject()
                                                .endObject()
                                                .endArray())
                        .header("Retry-After: 1")
                        .response();
        assertThat(response.status()).isEqualTo(504);
        assertThat(response.headers())
                .containsExactly("Content-Type: application/problem+json", "Retry-After: 1");
        assertThat(body(response))
                .isEqualTo(
                        "{\"type\":\"about:blank\",\"title\":\"Gateway Timeout\",\"status\":504,"
                                + "\"detail\":\"Too few.\",\"version\":\"1\","
                                + "\"accepted\":[\"n1\",\"n2\"],\"none\":[],"
                                + "\"failures\":[{}]}\n");
    }

    @Test
    void anAnswerIsEncodedAsItsFramingAndPersistenceHaveIt() {
        HttpResponse response =
                new HttpResponse(
                        200,
                        List.of("A: b", "Cache-Control: x"),
                        "12345".getBytes(StandardCharsets.US_ASCII));
        assertThat(encoded(response, Framing.LENGTH, Persistence.STAYS, true))
                .isEqualTo("HTTP/1.1 200 OK|Content-Length: 5|A: b|Cache-Control: x||12345");
        assertThat(encoded(response, Framing.LENGTH, Persistence.CLOSES, false))
                .isEqualTo(
                        "HTTP/1.1 200 OK|Content-Length: 5|A: b|Cache-Control: x|Connection: close||");
        assertThat(encoded(response, Framing.LENGTH, Persistence.STAYS_SAID, false))
                .isEqualTo(
                        "HTTP/1.1 200 OK|Content-Length: 5|A: b|Cache-Control: x|Connection: keep-alive||");
        assertThat(encoded(response, Framing.CHUNKED, Persistence.STAYS, true))
                .isEqualTo("HTTP/1.1 200 OK|Transfer-Encoding: chunked|A: b|Cache-Control: x||");
        assertThat(encoded(response, Framing.UNTIL_CLOSE, Persistence.CLOSES, true))
                .isEqualTo("HTTP/1.1 200 OK|A: b|Cache-Control: x|Connection: close||");
        HttpResponse longer = new HttpResponse(404, List.of(), new byte[123_456]);
        assertThat(encoded(longer, Framing.LENGTH, Persistence.STAYS, true))
                .isEqualTo(
                        "HTTP/1.1 404 Not Found|Content-Length: 123456|Cache-Control: no-store||");
    }

    @Test
    void aHeaderCannotBreakAnAnswer() {
        for (String line : List.of("A: b\r\nC: d", "A: b\nC", "A: \0", "A: é")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new HttpResponse(200, List.of(line), new byte[0]));
        }
    }
}

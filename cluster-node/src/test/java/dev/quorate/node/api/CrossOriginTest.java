package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient.Answer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of listed origins may use the API; those of others may not. */
final class CrossOriginTest extends ClientOfAnEdge {

    private static final String LISTED =
            "Origin: https://app.example\r\nSec-Fetch-Site: cross-site\r\n";
    private static final String PREFLIGHT = "Access-Control-Request-Method: PUT\r\n";
    private static final String ALLOWED = "access-control-allow-origin";

    @Test
    void aListedOriginReadsAndWrites() throws IOException {
        client.send(
                "OPTIONS /v0/entity?id=a HTTP/1.1\r\nHost: x\r\n" + LISTED + PREFLIGHT + "\r\n");
        Answer preflight = client.read(true); // A 204 has no body.
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.header(ALLOWED)).isEqualTo("https://app.example");
        assertThat(preflight.header("access-control-allow-methods")).contains("PUT");
        assertThat(preflight.header("access-control-allow-headers")).contains("If-Match");
        assertThat(preflight.header("vary")).isEqualTo("Origin");
        assertThat(edge.operations.writes).hasValue(0);

        Answer put = ask("PUT", "/v0/entity?id=a", LISTED, "value");
        assertThat(put.status()).isEqualTo(201);
        assertThat(put.header(ALLOWED)).isEqualTo("https://app.example");
        assertThat(put.header("access-control-expose-headers")).contains("ETag");
        assertThat(put.header("etag")).isNotNull();
        Answer range = ask("GET", "/v0/entities?prefix=", LISTED, "");
        assertThat(range.header(ALLOWED)).isEqualTo("https://app.example");
        assertThat(range.header("vary")).isEqualTo("Accept, Origin");
        // A refusal is shown too, or the page would not know why.
        assertThat(ask("GET", "/v0/entity", LISTED, "").header(ALLOWED)).isNotNull();
        edge.operations.refusesWrites = true;
        Answer refused = ask("PUT", "/v0/entity?id=a", LISTED, "value");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header(ALLOWED)).isEqualTo("https://app.example");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://app.example.evil",
                "http://app.example",
                "https://app.example:8443",
                "https://APP.example",
                "null",
                "*",
                "https://app.example\r\nOrigin: https://app.example",
            })
    void anotherOriginDoesNot(String origin) throws IOException {
        String header = "Origin: " + origin + "\r\n";
        Answer preflight = ask("OPTIONS", "/v0/entity?id=a", header + PREFLIGHT, "");
        assertThat(preflight.status()).isEqualTo(403);
        Answer put = ask("PUT", "/v0/entity?id=a", header, "value");
        assertThat(put.status()).isEqualTo(403);
        Answer get = ask("GET", "/v0/entity?id=a", header, "");
        for (Answer each : List.of(preflight, put, get)) {
            assertThat(each.headers()).doesNotContainKey(ALLOWED);
        }
        assertThat(edge.operations.writes).hasValue(0);
    }

    @Test
    void adminPagesAreClosedToAll() throws IOException {
        for (String path : List.of("/admin/loss?accept=a", "/admin/repair", "/admin/why?id=a")) {
            assertThat(ask("OPTIONS", path, LISTED + PREFLIGHT, "").status()).isEqualTo(403);
            assertThat(ask("POST", path, LISTED, "").status()).isEqualTo(403);
            assertThat(ask("GET", path, LISTED, "").headers()).doesNotContainKey(ALLOWED);
        }
    }
}

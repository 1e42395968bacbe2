package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers that change what a request means, and the forms that requests may have. */
final class RequestHeadersTest {

    private static final String ENTITY = "/v0/entity?id=a";

    private Edge edge;

    @BeforeEach
    void start() throws IOException {
        edge = Edge.start();
    }

    @AfterEach
    void stop() {
        edge.close();
    }

    /** Lines end with {@code |}. */
    private Answer ask(String request) throws IOException {
        try (RawClient client = edge.client()) {
            return client.send(ParserTranscript.bytes(request)).read();
        }
    }

    private Answer ask(String method, String target, String header) throws IOException {
        String body = method.equals("PUT") ? "Content-Length: 1||x" : "|";
        return ask(method + " " + target + " HTTP/1.1|Host: x|" + header + "|" + body);
    }

    @Test
    void aWeakTagOfAWriteNamesItsLikelyCause() throws IOException {
        assertThat(ask("PUT", ENTITY, "If-Match: W/\"x\"").text())
                .contains("no weak ETag")
                .contains("A proxy");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "PUT; If-Match: \"x\"; 412",
                "PUT; If-Match: W/\"x\"; 400",
                "PUT; If-None-Match: W/\"x\"; 501",
                "DELETE; If-Match: W/\"0199f3c2a1b40000-5d2c7a91\"; 400",
                "PUT; If-Match: \"0199f3c2a1b40000-5d2c7a91\"; 412",
                "PUT; If-Match: x; 400",
                "PUT; If-Match: \"x; 400",
                "PUT; If-Match:; 400",
                "PUT; If-Match: \"x\", \"y\"; 501",
                "PUT; If-Match: *|If-Match: *; 501",
                "PUT; If-Match: *|If-None-Match: *; 501",
                "PUT; if-none-match: *; 412",
                "PUT; If-None-Match: \"x\"; 501",
                "POST; If-Match: *; 405",
                "PUT; If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT; 501",
                "DELETE; If-Match: \"x\"; 412",
                "DELETE; If-None-Match: *; 412",
                "PUT; Content-Range: bytes 0-0/2; 400",
                "PUT; Content-Encoding: gzip; 415",
                "PUT; Content-Encoding: identity, gzip; 415",
                "PUT; X-HTTP-Method-Override: DELETE; 501",
                "PUT; X-Method-Override: GET; 501",
                "PUT; X-Quorate-Versoin: 1; 400",
            })
    void headersThatChangeAWriteAreNeverIgnored(String method, String header, int status)
            throws IOException {
        assertThat(ask("PUT", ENTITY, "A: b").status()).isEqualTo(201);
        Answer answer = ask(method, ENTITY, header);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        assertThat(edge.operations.writes).hasValue(1);
    }

    @Test
    void aWriteCanDependOnTheVersion() throws IOException {
        Answer created = ask("PUT", ENTITY, "If-None-Match: *");
        assertThat(created.status()).isEqualTo(201);
        Answer refused = ask("PUT", ENTITY, "If-None-Match: *");
        assertThat(refused.status()).isEqualTo(412);
        assertThat(refused.header("etag")).isEqualTo(created.header("etag"));
        assertThat(ask("PUT", ENTITY, "If-Match: " + created.header("etag")).status())
                .isEqualTo(201);
        assertThat(ask("PUT", ENTITY, "If-Match: *").status()).isEqualTo(201);
        assertThat(ask("PUT", ENTITY, "If-Match: " + created.header("etag")).status())
                .isEqualTo(412);
        assertThat(ask("DELETE", ENTITY, "If-Match: *").status()).isEqualTo(202);
        assertThat(ask("DELETE", ENTITY, "If-Match: *").status()).isEqualTo(412);
        assertThat(edge.operations.conditions).hasSize(7);
    }

    @Test
    void aConditionalWriteNeedsAMajority() throws IOException {
        assertThat(ask("PUT", ENTITY + "&replicas=1/3", "If-None-Match: *").status())
                .isEqualTo(400);
        assertThat(edge.operations.writes).hasValue(0);
        String large =
                "PUT " + ENTITY + " HTTP/1.1|Host: x|If-None-Match: *|Content-Length: 1048577||";
        assertThat(ask(large + "x".repeat(1_048_577)).status()).isEqualTo(413);
        assertThat(edge.operations.writes).hasValue(0);
    }

    /** As RFC 9110 has it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
                "Range: bytes=0-0",
                "If-Range: \"x\"",
                "Content-Encoding: identity",
                "X-Request-Id: 1",
                "Origin-Trial: 1"
            })
    void headersThatDoNotChangeAWriteAreIgnored(String header) throws IOException {
        assertThat(ask("PUT", ENTITY, header).status()).isEqualTo(201);
    }

    @Test
    void aReadCanDependOnTheVersion() throws IOException {
        String tag = ask("PUT", ENTITY, "A: b").header("etag");
        for (String other : new String[] {"\"x\"", "W/\"x\"", "\"x\", \"y\""}) {
            assertThat(ask("GET", ENTITY, "If-None-Match: " + other).text()).isEqualTo("x");
            assertThat(ask("GET", ENTITY, "If-Match: " + other).status()).isEqualTo(412);
        }
        for (String same : new String[] {tag, "*", "\"x\", " + tag}) {
            assertThat(ask("GET", ENTITY, "If-Match: " + same).text()).isEqualTo("x");
        }
        assertThat(ask("GET", ENTITY, "If-Match: W/" + tag).status()).isEqualTo(412);
        assertThat(ask("GET", "/v0/entity?id=none", "If-None-Match: *").status()).isEqualTo(404);
        assertThat(ask("GET", "/v0/entity?id=none", "If-Match: *").status()).isEqualTo(404);
        assertThat(ask("GET", ENTITY, "Range: bytes=0-0").status()).isEqualTo(206);
        assertThat(ask("GET", "/v0/entities?start=a", "If-Match: \"x\"").status()).isEqualTo(412);
        try (RawClient client = edge.client()) {
            for (String same : new String[] {tag, "W/" + tag, "*"}) {
                client.send("GET " + ENTITY + " HTTP/1.1\r\nHost: x\r\nIf-None-Match: ");
                client.send(same + "\r\n\r\n");
                Answer answer = client.read(true);
                assertThat(answer.status()).isEqualTo(304);
                assertThat(answer.header("etag")).isEqualTo(tag);
                assertThat(answer.header("content-length")).isNull();
            }
        }
    }

    @Test
    void aVersionIsForWrites() throws IOException {
        String version = ask("PUT", ENTITY, "A: b").header("x-quorate-version");
        assertThat(ask("GET", ENTITY, "X-Quorate-Version: " + version).status()).isEqualTo(400);
    }

    @Test
    void aVersionFromTheFutureIsAConflict() throws IOException {
        Timestamp version = Timestamp.of(4_102_444_800_000L, 0, 1);
        edge.operations.forced = new Outcome.TooFarAhead(version, 1_000_000);
        Answer answer = ask("PUT", ENTITY, "X-Quorate-Version: " + version);
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.header("retry-after")).isNull();
        assertThat(answer.text()).contains("1000000 ms ahead").contains(version.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://quorate.example:8080/v0/entity?id=a",
                "HTTP://quorate.example/v0/entity?id=a",
                "http://[::1]:8080/v0/entity?id=a"
            })
    void aTargetMayNameTheHost(String target) throws IOException {
        assertThat(ask("PUT", ENTITY, "A: b").status()).isEqualTo(201);
        assertThat(ask("GET", target, "A: b").text()).isEqualTo("x");
    }

    @Test
    void aTargetThatIsAHostIsTheRoot() throws IOException {
        assertThat(ask("GET", "http://x", "A: b").text()).isEqualTo("/");
        assertThat(ask("GET", "http://x?a=b", "A: b").text()).isEqualTo("/");
    }

    @Test
    void optionsOfTheWholeNode() throws IOException {
        try (RawClient client = edge.client()) {
            client.send("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n");
            Answer answer = client.read(true);
            assertThat(answer.status()).isEqualTo(204);
            assertThat(answer.header("allow")).contains("PUT");
            assertThat(answer.header("content-length")).isNull();
            client.send("GET /v0/status HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
    }

    @Test
    void blanksAroundAChunksExtension() throws IOException {
        Answer answer =
                ask(
                        "PUT "
                                + ENTITY
                                + " HTTP/1.1|Host: x|Transfer-Encoding: chunked||"
                                + "3 \t; a = b|abc|0 ;c||");
        assertThat(answer.status()).isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "PUT /v0/entity; 400",
                "PUT /v0/entity?id=%zz; 400",
                "PUT /v0/entity?id=a&replicas=4/3; 400",
                "PUT /v0/entity?id=a&ttl=0; 400",
                "PUT /v0/entity?id=a&nonsense=1; 400",
                "PUT /v0/entities?start=a; 405",
                "PUT /nowhere; 400",
                "POST /v0/entity?id=a; 405",
            })
    void invalidWritesAreRefusedBeforeTheirBody(String line, int status) throws IOException {
        try (RawClient client = edge.client()) {
            client.send(line + " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n");
            client.send("Content-Length: 5\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(status);
        }
    }

    @Test
    void conditionsAndVersionsAreCheckedBeforeTheBodyIsRead() throws IOException {
        String start =
                "PUT " + ENTITY + " HTTP/1.1|Host: x|Expect: 100-continue|Content-Length: 5|";
        assertThat(ask(start + "If-None-Match: x||").status()).isEqualTo(501);
        assertThat(ask(start + "X-Quorate-Version: x||").status()).isEqualTo(400);
        edge.draining = true;
        assertThat(ask(start + "|").status()).isEqualTo(503);
        edge.draining = false;
        assertThat(ask(start + "|").status()).isEqualTo(100);
    }

    /** A browser says for whose page it sends a request. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://evil.example",
                "Origin: null",
                "Origin: https://x",
                "Origin: http://x:8080",
                "Origin: http://x|Origin: http://evil.example",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site|Origin: http://x"
            })
    void pagesOfOtherSitesChangeNothing(String header) throws IOException {
        assertThat(ask("PUT", ENTITY, header).status()).isEqualTo(403);
        assertThat(ask("DELETE", ENTITY, header).status()).isEqualTo(403);
        assertThat(ask("POST", "/admin/repair", header).status()).isEqualTo(403);
        assertThat(ask("POST", "/admin/loss?accept=a", header).status()).isEqualTo(403);
        assertThat(ask("GET", "/v0/status", header).status()).isEqualTo(200);
        assertThat(edge.operations.writes).hasValue(0);
    }

    @Test
    void theNodesOwnPagesAndOtherProgramsMayChangeThings() throws IOException {
        assertThat(ask("PUT", ENTITY, "Origin: http://x").status()).isEqualTo(201);
        assertThat(ask("PUT", ENTITY, "Sec-Fetch-Site: same-origin").status()).isEqualTo(201);
        assertThat(ask("PUT", ENTITY, "Sec-Fetch-Site: none").status()).isEqualTo(201);
        assertThat(ask("PUT", ENTITY, "A: b").status()).isEqualTo(201);
    }

    /** As when a name is pointed at the node's address under the eyes of a browser. */
    @Test
    void aNodeAnswersToItsOwnNames() throws IOException {
        String own = "POST /admin/loss?accept=a HTTP/1.1|Host: x|Content-Length: 0||";
        String foreign = own.replace("Host: x", "Host: unknown.example");
        assertThat(ask(own).status()).isEqualTo(200);
        assertThat(ask(foreign).status()).isEqualTo(421);
        assertThat(ask(own.replace("POST /", "POST http://unknown.example/")).status())
                .isEqualTo(421);
        assertThat(ask("GET /admin/why?id=a HTTP/1.1|Host: unknown.example||").status())
                .isEqualTo(421);
        for (String path : List.of(ENTITY, "/v0/entities?prefix=", "/v0/status", "/", "/metrics")) {
            assertThat(ask("GET " + path + " HTTP/1.1|Host: unknown.example||").status())
                    .as(path)
                    .isEqualTo(421);
        }
        assertThat(ask("GET /v0/ring HTTP/1.1|Host: unknown.example||").text())
                .contains("known-hosts");
        assertThat(ask("GET /livez HTTP/1.1|Host: unknown.example||").status()).isEqualTo(200);
        String origin = "|Origin: http://unknown.example|Content-Length: 0||";
        assertThat(ask("PUT " + ENTITY + " HTTP/1.1|Host: unknown.example" + origin).status())
                .isEqualTo(421);
    }
}

package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.quorate.node.access.AccessToken;
import dev.quorate.node.access.AccessTokens;
import dev.quorate.node.access.Authentication;
import dev.quorate.node.access.Caller;
import dev.quorate.node.access.Role;
import dev.quorate.node.api.page.Audit;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A node with tokens: who may do what, and that nothing is done for anybody else. */
final class AuthorizationTest extends ClientOfAnEdge {

    private final List<String> texts = new ArrayList<>();
    private volatile AccessTokens tokens = AccessTokens.none();

    @Override
    @BeforeEach
    void start() throws IOException {
        texts.clear();
        for (Role role : Role.values()) {
            issue(role.text(), role, "");
        }
        issue("reader-of-a", Role.READ, "a/");
        issue("writer-of-a", Role.WRITE, "a/");
        edge = Edge.start(Authentication.by(() -> tokens));
        client = edge.client();
    }

    private void issue(String name, Role role, String prefix) throws IOException {
        AccessToken.Issued issued =
                AccessToken.issue(
                        name, role, prefix.getBytes(StandardCharsets.US_ASCII), new Random());
        tokens = tokens.with(issued.token());
        texts.add(issued.text());
    }

    private String as(String name) {
        String text = texts.stream().filter(each -> each.startsWith(name + ".")).findAny().get();
        return "Authorization: Bearer " + text + "\r\n";
    }

    private int status(String name, String method, String target) throws IOException {
        return ask(method, target, as(name), method.equals("PUT") ? "v" : "").status();
    }

    private void nothingWasDone() {
        assertThat(edge.operations.writes).hasValue(0);
        assertThat(edge.operations.scopes).isEmpty();
    }

    /** The paths of the API as it is described; each must have a role, or be open on purpose. */
    @Test
    void theTableHasExactlyThePathsThatAreDescribed() throws IOException {
        JsonObject described =
                JsonParser.parseString(
                                Files.readString(
                                        Path.of(System.getProperty("quorate.root"))
                                                .resolve("docs/openapi.json")))
                        .getAsJsonObject()
                        .getAsJsonObject("paths");
        assertThat(Stream.of(Route.values()).map(Route::path).filter(path -> !path.equals("*")))
                .containsExactlyInAnyOrderElementsOf(new TreeSet<>(described.keySet()));
    }

    @Test
    void onlyTheseRoutesAreOpen() {
        assertThat(Stream.of(Route.values()).filter(route -> route.needs("GET") == null))
                .containsExactly(
                        Route.STATUS,
                        Route.LIVENESS,
                        Route.READINESS,
                        Route.OPEN_API,
                        Route.JOIN,
                        Route.NODE);
        assertThat(Stream.of(Route.values()).filter(route -> route.path().startsWith("/admin")))
                .allSatisfy(route -> assertThat(route.needs("GET")).isEqualTo(Role.ADMIN));
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void aStrangerReachesOpenRoutesAlone(Route route) throws IOException {
        for (String method : List.of("GET", "HEAD", "PUT", "DELETE", "POST", "PATCH", "OPTIONS")) {
            if (route == Route.NODE && !method.equals("OPTIONS")) {
                continue;
            }
            try (RawClient stranger = edge.client()) {
                stranger.send(
                        "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
                                .formatted(method, route.path()));
                int status = stranger.read(true).status();
                if (route.needs(method) == null) {
                    assertThat(status).as("%s %s", method, route).isNotEqualTo(401);
                } else {
                    assertThat(status).as("%s %s", method, route).isEqualTo(401);
                }
            }
        }
        nothingWasDone();
    }

    @Test
    void aStrangerIsAskedForATokenBeforeAnythingElse() throws IOException {
        for (String target :
                List.of(
                        "/v0/entity?id=a",
                        "/v0/entity",
                        "/v0/entity?id=%zz",
                        "/nothing",
                        "/admin/",
                        "/admin/nothing",
                        "/V0/entity?id=a",
                        "/v0//entity?id=a")) {
            Answer answer = ask("GET", target);
            assertThat(answer.status()).as(target).isEqualTo(401);
            assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
            assertThat(answer.header("www-authenticate"))
                    .startsWith("Bearer realm=\"quorate\"")
                    .contains("Basic realm=\"quorate\"");
        }
        nothingWasDone();
    }

    /** The body is discarded as it comes: it takes nothing of the budget that writers need. */
    @Test
    void aStrangersBodyIsNotKept() throws IOException {
        client.send(
                "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
                        + "x".repeat(500_000));
        await().until(() -> edge.listener.statistics().bytesRead.sum() > 400_000);
        assertThat(edge.listener.inputBytes()).isZero();
        client.send("x".repeat(500_000));
        assertThat(client.read(false).status()).isEqualTo(401);
        String head = "POST /v0/entities HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n";
        client.send(head + "Expect: 100-continue\r\n\r\n");
        assertThat(client.read(false).status()).isEqualTo(401);
        nothingWasDone();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer x",
                "Bearer",
                "Bearer ",
                "Basic",
                "Basic Og==",
                "Basic \u00ff",
                "Negotiate x",
                "Bearer read.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            })
    void aWrongTokenIsRefused(String header) throws IOException {
        assertThat(ask("GET", "/v0/entity?id=a", "Authorization: " + header + "\r\n", "").status())
                .isEqualTo(401);
    }

    @Test
    void twoTokensAreNone() throws IOException {
        assertThat(ask("GET", "/v0/entity?id=a", as("read") + as("write"), "").status())
                .isEqualTo(401);
    }

    @Test
    void eachRoleDoesWhatItMay() throws IOException {
        assertThat(status("read", "PUT", "/v0/entity?id=k")).isEqualTo(403);
        assertThat(status("read", "DELETE", "/v0/entity?id=k")).isEqualTo(403);
        nothingWasDone();
        assertThat(status("write", "PUT", "/v0/entity?id=k")).isEqualTo(201);
        assertThat(status("read", "GET", "/v0/entity?id=k")).isEqualTo(200);
        assertThat(status("write", "GET", "/v0/entity?id=k")).isEqualTo(200);
        assertThat(status("admin", "DELETE", "/v0/entity?id=k")).isEqualTo(202);
        for (String name : List.of("read", "write")) {
            assertThat(status(name, "GET", "/admin/repair")).isEqualTo(403);
            assertThat(status(name, "POST", "/admin/repair")).isEqualTo(403);
            assertThat(status(name, "GET", "/admin/why?id=k")).isEqualTo(403);
            assertThat(status(name, "GET", "/metrics")).isEqualTo(200);
            assertThat(status(name, "GET", "/v0/ring")).isEqualTo(200);
            assertThat(status(name, "GET", "/nothing")).isEqualTo(400);
        }
        assertThat(status("admin", "GET", "/admin/why?id=k")).isEqualTo(200);
    }

    @Test
    void basicIsForPrometheusAndBrowsers() throws IOException {
        String text = texts.getFirst();
        String pair =
                Base64.getEncoder()
                        .encodeToString(("any:" + text).getBytes(StandardCharsets.US_ASCII));
        assertThat(ask("GET", "/metrics", "Authorization: Basic " + pair + "\r\n", "").status())
                .isEqualTo(200);
    }

    @Test
    void aPrefixHoldsForSingleKeys() throws IOException {
        assertThat(status("writer-of-a", "PUT", "/v0/entity?id=a/1")).isEqualTo(201);
        assertThat(status("writer-of-a", "PUT", "/v0/entity?id=a%2F2")).isEqualTo(201);
        assertThat(status("reader-of-a", "GET", "/v0/entity?id=a/1")).isEqualTo(200);
        assertThat(status("reader-of-a", "PUT", "/v0/entity?id=a/1")).isEqualTo(403);
        int writes = edge.operations.writes.get();
        for (String key : List.of("a", "b", "a%00/", "A/1", "%2Fa/1", "a.")) {
            for (String method : List.of("GET", "PUT", "DELETE")) {
                assertThat(status("writer-of-a", method, "/v0/entity?id=" + key))
                        .as(key)
                        .isEqualTo(403);
            }
        }
        String condition = as("writer-of-a") + "If-None-Match: *\r\n";
        assertThat(ask("PUT", "/v0/entity?id=b", condition, "v").status()).isEqualTo(403);
        assertThat(edge.operations.writes).hasValue(writes);
    }

    @Test
    void aPrefixHoldsForRanges() throws IOException {
        status("write", "PUT", "/v0/entity?id=a/1");
        status("write", "PUT", "/v0/entity?id=b");
        for (String range :
                List.of("prefix=a/", "prefix=a/1", "start=a/&end=a0", "start=a/5&end=a/6")) {
            assertThat(status("reader-of-a", "GET", "/v0/entities?" + range))
                    .as(range)
                    .isEqualTo(200);
        }
        int scans = edge.operations.scopes.size();
        for (String range :
                List.of(
                        "prefix=",
                        "prefix=a",
                        "start=a/",
                        "start=%00&end=a0",
                        "start=a/&end=a1",
                        "start=a.&end=a0",
                        "start=a/&end=a0%00",
                        "prefix=b",
                        "prefix=&scope=node",
                        "start=a/&scope=node")) {
            assertThat(status("reader-of-a", "GET", "/v0/entities?" + range))
                    .as(range)
                    .isEqualTo(403);
        }
        assertThat(edge.operations.scopes).hasSize(scans);
    }

    @Test
    void eachLineOfABatchIsJudgedByItself() throws IOException {
        String lines =
                """
                {"op":"put","key":"a/1","value":"v"}
                {"op":"put","key":"b","value":"v"}
                {"op":"get","key":"b"}
                {"op":"delete","key":"b"}
                {"op":"get","key":"a/2"}
                """;
        String type = "Content-Type: application/x-ndjson\r\n";
        assertThat(statuses(ask("POST", "/v0/entities", as("writer-of-a") + type, lines)))
                .containsExactly(201, 403, 403, 403, 404);
        assertThat(edge.operations.writes).hasValue(1);
        assertThat(statuses(ask("POST", "/v0/entities", as("read") + type, lines)))
                .containsExactly(403, 403, 404, 403, 404);
        assertThat(edge.operations.writes).hasValue(1);
    }

    private static List<Integer> statuses(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.text()
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .map(line -> line.get("status").getAsInt())
                .toList();
    }

    @Test
    void aRevokedTokenIsUnknownAtOnceOnAnOpenConnection() throws IOException {
        assertThat(status("read", "GET", "/v0/ring")).isEqualTo(200);
        tokens = tokens.without("read");
        assertThat(ask("GET", "/v0/ring", as("read"), "").status()).isEqualTo(401);
    }

    @Test
    void aStreamIsForItsTokenOnlyUntilThatIsRevoked() throws IOException {
        String stream = "/admin/console/stream";
        assertThat(status("write", "GET", stream)).isEqualTo(403);
        assertThat(status("admin", "GET", stream)).isEqualTo(200);
        assertThat(edge.mayStillRead.getAsBoolean()).isTrue();
        tokens = tokens.without("read");
        assertThat(edge.mayStillRead.getAsBoolean()).isTrue();
        tokens = tokens.without("admin");
        assertThat(edge.mayStillRead.getAsBoolean()).isFalse();
        issue("admin", Role.ADMIN, "");
        assertThat(edge.mayStillRead.getAsBoolean()).as("another token of that name").isFalse();
    }

    @Test
    void aPageOfAListedOriginSendsItsToken() throws IOException {
        String origin = "Origin: https://app.example\r\n";
        client.send(
                "OPTIONS /v0/entity?id=a HTTP/1.1\r\nHost: x\r\n"
                        + origin
                        + "Access-Control-Request-Method: GET\r\n"
                        + "Access-Control-Request-Headers: authorization\r\n\r\n");
        Answer preflight = client.read(true);
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.header("access-control-allow-headers")).contains("Authorization");
        Answer refused = ask("GET", "/v0/entity?id=a", origin, "");
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.header("access-control-allow-origin")).isNotNull();
        assertThat(ask("GET", "/v0/entity?id=a", origin + as("read"), "").status()).isEqualTo(404);
    }

    @Test
    void whatAdministratorsDoIsLoggedWithoutTokensAndKeys() throws IOException {
        Logger audit = (Logger) LoggerFactory.getLogger("audit");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        audit.addAppender(lines);
        try {
            status("admin", "POST", "/admin/loss?accept=secret");
            status("admin", "GET", "/admin/why?id=secret");
            status("write", "POST", "/admin/repair");
            status("admin", "GET", "/admin/repair");
            ask("POST", "/admin/repair");
        } finally {
            audit.detachAppender(lines);
        }
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .containsExactly(
                        "admin POST /admin/loss 200",
                        "admin GET /admin/why 200",
                        "write POST /admin/repair 403");
    }

    /** A client whose every request is refused must not fill the disk. */
    @Test
    void refusedRequestsAreSummarized() {
        Logger audit = (Logger) LoggerFactory.getLogger("audit");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        audit.addAppender(lines);
        ManualTime time = new ManualTime();
        try {
            Audit limited = new Audit(time);
            for (int i = 0; i < 1_000; i++) {
                limited.note(Caller.ANYBODY, "POST", "/admin/repair", 403);
            }
            limited.note(Caller.ANYBODY, "POST", "/admin/repair", 200);
            time.advanceMillis(1_000);
            limited.note(Caller.ANYBODY, "POST", "/admin/repair", 403);
        } finally {
            audit.detachAppender(lines);
        }
        assertThat(lines.list).hasSize(10 + 1 + 1);
        assertThat(lines.list.getLast().getFormattedMessage())
                .isEqualTo("anybody POST /admin/repair 403 (990 refused before it, not logged)");
    }
}

package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.config.Secret;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever real nodes answer is in the description of the API. */
final class OpenApiTest {

    private static final String VERSION = "01a1ffa680e10000-36c6c909";
    private static final String LINES = "Content-Type: application/x-ndjson";

    /** They cannot be had here: there is no loss, or the answer has no end. */
    private static final Set<String> NOT_TO_BE_HAD =
            Set.of("POST /admin/loss", "GET /admin/console/stream");

    @TempDir Path data;
    private final HttpClient client = HttpClient.newHttpClient();
    private NodesInOneProcess nodes;
    private ApiDescription description;

    @BeforeEach
    void start() throws Exception {
        nodes = new NodesInOneProcess(data, 3);
        description = new ApiDescription(send("GET", "/openapi.json", "").body());
    }

    @AfterEach
    void stop() {
        client.close();
        nodes.close();
    }

    private HttpResponse<String> send(String method, String target, String body, String... headers)
            throws Exception {
        BodyPublisher publisher =
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(nodes.url(1) + target))
                        .timeout(Duration.ofSeconds(30))
                        .method(method, publisher);
        for (String header : headers) {
            String[] parts = header.split(": ", 2);
            request.header(parts[0], parts[1]);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    /** Sends a request, and checks its answer. */
    private HttpResponse<String> ask(String method, String target, String body, String... headers)
            throws Exception {
        HttpResponse<String> answer = send(method, target, body, headers);
        description.requireDescribed(method, target.split("\\?", 2)[0], answer);
        return answer;
    }

    private int status(String method, String target, String body, String... headers)
            throws Exception {
        return ask(method, target, body, headers).statusCode();
    }

    @Test
    void itIsTheDocumentOfTheSources() throws Exception {
        description.requireWhole();
        assertThat(description.requireValidExamples()).isGreaterThan(10);
        Path root = Path.of(System.getProperty("quorate.root", "."));
        assertThat(send("GET", "/openapi.json", "").body())
                .isEqualTo(Files.readString(root.resolve("docs/openapi.json")));
    }

    @Test
    void everyAnswerIsDescribed() throws Exception {
        entities();
        ranges();
        batches();
        pages();
        for (String path :
                List.of(
                        "/v0/entity",
                        "/v0/entities",
                        "/v0/status",
                        "/",
                        "/admin/repair",
                        "/admin/checkpoint",
                        "/admin/log-level",
                        "/admin/members",
                        "/admin/secret",
                        "/admin/why")) {
            assertThat(status("PROPFIND", path, "")).isEqualTo(405);
            assertThat(status("OPTIONS", path, "")).isEqualTo(405);
        }
        for (String path : List.of("/v0", "/v0/entity/", "/favicon.ico", "/openapi")) {
            assertThat(status("GET", path, "")).isEqualTo(400);
        }
        nodes.stop(2);
        nodes.stop(3);
        assertThat(status("GET", "/v0/entity?id=a&explain=1", "")).isEqualTo(504);
        assertThat(status("PUT", "/v0/entity?id=a", "x")).isEqualTo(504);
        assertThat(status("PUT", "/v0/entity?id=a", "x", "If-Match: *")).isIn(503, 504);
        assertThat(status("DELETE", "/v0/entity?id=a&consistency=linearizable", "")).isEqualTo(504);
        assertThat(status("PATCH", "/v0/entity?id=a&ttl=5m", "")).isEqualTo(503);
        assertThat(status("GET", "/v0/entities?prefix=", "")).isEqualTo(504);
        assertThat(status("GET", "/v0/entities?prefix=&count=true", "")).isEqualTo(504);
        assertThat(ask("POST", "/v0/entities", line("put", "a"), LINES).body()).contains("504");
        assertThat(status("GET", "/readyz", "")).isEqualTo(503);
        assertThat(status("GET", "/v0/status", "")).isEqualTo(200);
        assertThat(status("GET", "/admin/can-stop", "")).isEqualTo(503);
        assertThat(status("HEAD", "/admin/can-stop", "")).isEqualTo(503);
        assertThat(status("GET", "/admin/why?id=none", "")).isEqualTo(504);
        Set<String> missed = new TreeSet<>(description.operations());
        missed.removeIf(
                operation ->
                        NOT_TO_BE_HAD.contains(operation)
                                || description.seen.stream()
                                        .anyMatch(each -> each.startsWith(operation + " 2")));
        assertThat(missed).as("operations that have not succeeded").isEmpty();
    }

    private void entities() throws Exception {
        String entity = "/v0/entity?id=a";
        String tag =
                ask("PUT", entity + "&ttl=60&explain=1", "value")
                        .headers()
                        .firstValue("ETag")
                        .orElseThrow();
        for (String method : List.of("GET", "HEAD")) {
            assertThat(status(method, entity, "")).isEqualTo(200);
            assertThat(status(method, entity + "&explain=1&replicas=1/1", "")).isEqualTo(200);
            assertThat(status(method, entity, "", "If-None-Match: " + tag)).isEqualTo(304);
            assertThat(status(method, entity, "", "If-Match: \"x\"")).isEqualTo(412);
            String waiting = entity + "&wait=10ms";
            assertThat(status(method, waiting, "", "If-None-Match: " + tag)).isEqualTo(304);
            assertThat(status(method, waiting, "")).isEqualTo(200);
            assertThat(status(method, "/v0/entity?id=none&wait=10ms", "")).isEqualTo(404);
            assertThat(status(method, entity + "&wait=10", "")).isEqualTo(400);
            assertThat(status(method, "/v0/entity?id=none", "")).isEqualTo(404);
            assertThat(status(method, "/v0/entity?id=" + "k".repeat(1025), "")).isEqualTo(414);
            assertThat(status(method, "/v0/entity", "")).isEqualTo(400);
            assertThat(status(method, entity, "", "X-HTTP-Method: PUT")).isEqualTo(501);
        }
        assertThat(status("GET", entity + "&explain=1", "", "Range: bytes=1-2")).isEqualTo(206);
        assertThat(status("GET", entity, "", "Range: bytes=9-")).isEqualTo(416);
        assertThat(status("HEAD", entity, "", "Range: bytes=9-")).isEqualTo(200);
        renewals(entity, tag);
        assertThat(status("PUT", entity, "x", "If-None-Match: *")).isEqualTo(412);
        assertThat(status("PUT", entity, "x", "If-Match: *")).isEqualTo(201);
        assertThat(status("PUT", entity, "x", "If-None-Match: \"x\"")).isEqualTo(501);
        assertThat(status("PUT", entity, "x", "X-Quorate-Version: " + VERSION)).isIn(201, 409);
        assertThat(status("PUT", entity, "y", "X-Quorate-Version: " + ahead())).isEqualTo(409);
        assertThat(status("PUT", entity, "x", "Content-Type: text/plain")).isEqualTo(201);
        assertThat(status("GET", entity, "")).isEqualTo(200);
        assertThat(status("PUT", entity, "x", "Content-Type: text")).isEqualTo(400);
        assertThat(status("PUT", entity, "x", "Content-Encoding: gzip")).isEqualTo(415);
        assertThat(status("PUT", entity, "x", "Origin: http://x")).isEqualTo(403);
        assertThat(status("PUT", entity, "x".repeat((16 << 20) + 1))).isEqualTo(413);
        assertThat(status("DELETE", entity + "&explain=1", "")).isEqualTo(202);
        assertThat(status("DELETE", entity, "", "If-Match: *")).isEqualTo(412);
        assertThat(status("DELETE", entity + "&ttl=1", "")).isEqualTo(400);
        assertThat(status("GET", entity + "&explain=1", "")).isEqualTo(404);
    }

    private void renewals(String entity, String tag) throws Exception {
        assertThat(send("GET", entity, "").headers().firstValue("X-Quorate-Expires")).isPresent();
        assertThat(status("PATCH", entity + "&ttl=5m&explain=1", "")).isEqualTo(204);
        assertThat(status("PATCH", entity + "&ttl=5m", "", "If-Match: " + tag)).isEqualTo(412);
        assertThat(status("PATCH", entity + "&ttl=none", "", "If-Match: *")).isEqualTo(204);
        assertThat(send("GET", entity, "").headers().firstValue("X-Quorate-Expires")).isEmpty();
        assertThat(status("PATCH", "/v0/entity?id=none&ttl=5m", "")).isEqualTo(404);
        assertThat(status("PATCH", entity, "")).isEqualTo(400);
        assertThat(status("PATCH", entity + "&ttl=0", "")).isEqualTo(400);
        assertThat(status("PATCH", entity + "&ttl=5m", "x")).isEqualTo(400);
        assertThat(status("PATCH", entity + "&ttl=5m", "", "If-None-Match: *")).isEqualTo(501);
        assertThat(status("PATCH", entity + "&ttl=5m", "", "Origin: http://x")).isEqualTo(403);
        String longest = "/v0/entity?ttl=5m&id=" + "k".repeat(1025);
        assertThat(status("PATCH", longest, "")).isEqualTo(414);
        String large = "/v0/entity?id=large";
        assertThat(status("PUT", large, "x".repeat((1 << 20) + 1))).isEqualTo(201);
        assertThat(status("PATCH", large + "&ttl=5m", "")).isEqualTo(413);
        assertThat(status("DELETE", large, "")).isEqualTo(202);
    }

    /** A version in the year 2100. */
    private static String ahead() {
        return "%012x0000-36c6c909".formatted(4_102_444_800_000L);
    }

    private void ranges() throws Exception {
        for (String key : List.of("b", "c", "%FF")) {
            assertThat(status("PUT", "/v0/entity?id=" + key, "value")).isEqualTo(201);
        }
        String typed = "/v0/entity?id=typed&ttl=60";
        assertThat(status("PUT", typed, "value", "Content-Type: text/plain")).isEqualTo(201);
        for (String accept : List.of("*/*", "application/json", "application/x-ndjson")) {
            for (String query :
                    List.of(
                            "?prefix=",
                            "?prefix=b",
                            "?prefix=typed",
                            "?prefix=&keys=only",
                            "?start=b&end=c&limit=1&scope=node")) {
                for (String method : List.of("GET", "HEAD")) {
                    assertThat(status(method, "/v0/entities" + query, "", "Accept: " + accept))
                            .isEqualTo(200);
                }
            }
            if (!accept.equals("*/*")) {
                ask("GET", "/v0/entities?prefix=&limit=2&cursor=", "", "Accept: " + accept);
            }
        }
        assertThat(status("GET", "/v0/entities?prefix=&reverse=1&limit=1", "")).isEqualTo(200);
        assertThat(ask("GET", "/v0/entities?prefix=b&count=true", "").body()).isEqualTo("1\n");
        String json = "Accept: text/plain;q=0.5, application/json";
        assertThat(ask("GET", "/v0/entities?start=b&count=true", "", json).body())
                .isEqualTo("{\"count\":4}\n");
        assertThat(status("HEAD", "/v0/entities?prefix=&count=true", "")).isEqualTo(200);
        for (String more : List.of("&limit=1", "&reverse=1", "&cursor=")) {
            assertThat(status("GET", "/v0/entities?prefix=&count=true" + more, "")).isEqualTo(400);
        }
        assertThat(status("GET", "/v0/entities?prefix=&cursor=x&limit=1", "")).isEqualTo(400);
        assertThat(status("GET", "/v0/entities?prefix=", "", "If-Match: \"x\"")).isEqualTo(412);
        assertThat(status("GET", "/v0/entities", "")).isEqualTo(400);
    }

    private static String line(String op, String key) {
        String value =
                op.equals("put") ? ",\"value\":\"v\",\"ttl\":60,\"contentType\":\"a/b\"" : "";
        return "{\"op\":\"" + op + "\",\"key\":\"" + key + "\"" + value + "}";
    }

    private void batches() throws Exception {
        List<String> lines =
                List.of(
                        line("put", "batch"),
                        line("get", "batch"),
                        line("delete", "batch"),
                        line("get", "batch"),
                        "{\"op\":\"get\",\"keyBase64\":\"/w==\",\"ifNoneMatch\":\"*\"}",
                        "{\"op\":\"put\",\"key\":\"b\",\"valueBase64\":\"/w==\",\"ifMatch\":\"x\"}");
        for (String each : lines) {
            description.requireValid("a line", description.schema("BatchRequest"), each);
        }
        String body = String.join("\n", lines) + "\nnonsense";
        assertThat(ask("POST", "/v0/entities", body, LINES).body().lines()).hasSize(7);
        assertThat(status("POST", "/v0/entities", body)).isEqualTo(415);
        assertThat(status("POST", "/v0/entities", "", LINES)).isEqualTo(400);
        assertThat(status("POST", "/v0/entities", "{}\n".repeat(600), LINES)).isEqualTo(413);
        assertThat(status("POST", "/v0/entities", body, LINES, "If-Match: *")).isEqualTo(501);
        assertThat(status("POST", "/v0/entities", body, LINES, "Origin: http://x")).isEqualTo(403);
    }

    private void pages() throws Exception {
        List<String> pages =
                List.of(
                        "/v0/status",
                        "/v0/status?bytes=100",
                        "/v0/ring",
                        "/livez",
                        "/readyz",
                        "/metrics",
                        "/",
                        "/openapi.json",
                        "/admin/repair",
                        "/admin/loss",
                        "/admin/can-stop",
                        "/admin/drain",
                        "/admin/checkpoint",
                        "/admin/log-level",
                        "/admin/members",
                        "/admin/secret",
                        "/admin/console",
                        "/admin/events",
                        "/admin/events?since=1",
                        "/admin/why?id=b");
        // Nodes hear from each other that they vote a moment after they do.
        await().until(() -> send("GET", "/admin/can-stop", "").statusCode() == 200);
        for (String page : pages) {
            assertThat(status("GET", page, "")).as(page).isEqualTo(200);
            assertThat(status("HEAD", page, "")).as(page).isEqualTo(200);
            assertThat(status("GET", page, "", "X-Quorate-Version: x")).as(page).isEqualTo(400);
        }
        assertThat(status("GET", "/v0/status?bytes=x", "")).isEqualTo(400);
        assertThat(status("GET", "/admin/events?since=x", "")).isEqualTo(400);
        assertThat(status("HEAD", "/admin/console/stream?since=1", "")).isEqualTo(200);
        assertThat(status("HEAD", "/", "", "Accept: text/html")).isEqualTo(200);
        assertThat(status("GET", "/", "", "Accept: text/html")).isEqualTo(200);
        assertThat(status("GET", "/admin/events", "", "Accept: application/x-ndjson"))
                .isEqualTo(200);
        assertThat(status("GET", "/admin/why?id=b", "", "Accept: text/plain")).isEqualTo(200);
        assertThat(status("GET", "/admin/why?id=none", "")).isEqualTo(404);
        assertThat(status("POST", "/admin/repair", "")).isEqualTo(202);
        assertThat(status("POST", "/admin/loss?accept=none", "")).isEqualTo(409);
        assertThat(status("POST", "/admin/loss", "")).isEqualTo(400);
        assertThat(status("POST", "/admin/drain", "")).isEqualTo(200);
        assertThat(status("DELETE", "/admin/drain", "")).isEqualTo(200);
        checkpoints();
        assertThat(status("POST", "/admin/backup", "")).isEqualTo(200);
        assertThat(status("GET", "/admin/backup", "")).isEqualTo(405);
        logLevels();
        members();
    }

    private void members() throws Exception {
        String path = "/admin/members";
        HttpResponse<String> page = ask("GET", path, "");
        String epoch = "If-Match: " + page.headers().firstValue("ETag").orElseThrow();
        String move =
                "{\"set\":[{\"name\":\"n3\",\"url\":\"http://127.0.0.1:1\"}],\"dryRun\":true}";
        description.requireValid("a change", description.schema("MemberChange"), move);
        assertThat(status("GET", path, "", "Accept: text/plain")).isEqualTo(200);
        assertThat(status("POST", path, move, epoch)).isEqualTo(200);
        String same = move.replace("http://127.0.0.1:1", nodes.url(3)).replace("true", "false");
        assertThat(ask("POST", path, same, epoch).body()).isEqualTo(page.body());
        assertThat(status("POST", path, move)).isEqualTo(428);
        assertThat(status("POST", path, move, "If-Match: \"99\"")).isEqualTo(412);
        assertThat(status("POST", path, move, "If-None-Match: *")).isEqualTo(501);
        assertThat(status("POST", path, "{", epoch)).isEqualTo(400);
        assertThat(status("POST", path, "[]", epoch)).isEqualTo(422);
        assertThat(status("POST", path, "{\"replace\":[]}", epoch)).isEqualTo(422);
        assertThat(status("POST", path, " ".repeat(70_000), epoch)).isEqualTo(413);
        String joins =
                "{\"add\":[{\"name\":\"n9\",\"url\":\"http://127.0.0.1:1\"}],\"dryRun\":true}";
        assertThat(ask("POST", path, joins, epoch).body()).contains("\"moves\":[{\"from\":");
        joining(epoch);
    }

    private void joining(String epoch) throws Exception {
        String path = "/v0/join";
        String any = "If-Match: *";
        assertThat(ask("POST", path, "", any, seal(any, "")).body()).contains("\"members\":[");
        assertThat(status("POST", path, "", any)).isEqualTo(403);
        String query = "name=n1&url=http://127.0.0.1:1&weight=100&free=1";
        String joining = path + "?" + query;
        assertThat(status("POST", joining, "", any, seal(any, query))).isEqualTo(428);
        assertThat(status("POST", joining, "", epoch, seal(epoch, query))).isEqualTo(422);
        String other = "If-Match: \"99\"";
        assertThat(status("POST", joining, "", other, seal(other, query))).isEqualTo(412);
        assertThat(status("POST", "/admin/invite?name=n9", "")).isEqualTo(200);
        assertThat(status("POST", "/admin/invite", "")).isEqualTo(400);
    }

    private static String seal(String ifMatch, String query) {
        String epoch = ifMatch.substring("If-Match: ".length());
        return "Join-Seal: " + new Secret(NodesInOneProcess.SECRET).sealOfJoin(epoch, query);
    }

    private void logLevels() throws Exception {
        String level = "/admin/log-level?logger=dev.quorate.testkit&level=";
        assertThat(status("PUT", level + "loud", "")).isEqualTo(400);
        assertThat(status("PUT", "/admin/log-level", "")).isEqualTo(400);
        assertThat(status("PUT", "/admin/log-level?logger=none&level=info", "")).isEqualTo(404);
        assertThat(status("PUT", "/admin/log-level?logger=dev.quorate.node&level=inherited", ""))
                .isEqualTo(200);
    }

    private void checkpoints() throws Exception {
        String checkpoint = "/admin/checkpoint?name=";
        HttpResponse<String> made = ask("POST", checkpoint + "first-1", "");
        assertThat(made.statusCode()).isEqualTo(201);
        assertThat(made.body()).startsWith("first-1 20");
        assertThat(ask("GET", "/admin/checkpoint", "").body()).isEqualTo(made.body());
        assertThat(status("POST", checkpoint + "first-1", "")).isEqualTo(409);
        for (String name : List.of("", "..", "..%2Fa", "a%00", "%61", "A", "a".repeat(65))) {
            assertThat(status("POST", checkpoint + name, "")).as(name).isEqualTo(400);
            assertThat(status("DELETE", checkpoint + name, "")).as(name).isEqualTo(400);
        }
        checkpointFiles();
        assertThat(status("DELETE", checkpoint + "first-1", "")).isEqualTo(200);
        assertThat(status("DELETE", checkpoint + "first-1", "")).isEqualTo(404);
        assertThat(ask("GET", "/admin/checkpoint", "").body()).isEmpty();
        assertThat(status("PUT", checkpoint + "first-1", "x")).isEqualTo(405);
    }

    private void checkpointFiles() throws Exception {
        String files = "/admin/checkpoint/files?name=";
        String file = "/admin/checkpoint/file?name=first-1&path=";
        assertThat(ask("GET", files + "first-1", "").body())
                .containsPattern("(?m)^[0-9a-f]{64} [0-9]+ store/CURRENT$")
                .containsPattern("(?m)^[0-9a-f]{64} [0-9]+ member$");
        assertThat(status("HEAD", files + "first-1", "")).isEqualTo(200);
        assertThat(status("GET", files + "first-2", "")).isEqualTo(404);
        assertThat(status("GET", files + "..", "")).isEqualTo(400);
        assertThat(status("GET", "/admin/checkpoint/files", "")).isEqualTo(400);
        String member = ask("GET", file + "member", "").body();
        assertThat(member).startsWith("quorate member");
        assertThat(ask("GET", file + "member&offset=8", "").body()).isEqualTo(member.substring(8));
        assertThat(ask("GET", file + "member&offset=999999", "").body()).isEmpty();
        assertThat(status("HEAD", file + "member", "")).isEqualTo(200);
        assertThat(status("GET", file + "member&offset=-1", "")).isEqualTo(400);
        assertThat(status("GET", file, "")).isEqualTo(400);
        for (String path :
                List.of(
                        "..",
                        "../member",
                        "..%2Fmember",
                        "store/../../../member",
                        "/member",
                        "store",
                        "store/",
                        "store%2FCURRENT",
                        "member%00",
                        "./member")) {
            assertThat(status("GET", file + path, "")).as(path).isEqualTo(404);
        }
        assertThat(status("PUT", file + "member", "x")).isEqualTo(405);
        assertThat(status("DELETE", files + "first-1", "")).isEqualTo(405);
    }

    /** A refusal of an unknown parameter names those that are known. */
    @Test
    void everyParameterIsDescribed() throws Exception {
        Pattern known = Pattern.compile("known are: ([a-z, ]+)\\.");
        int operations = 0;
        for (String operation : description.operations()) {
            String[] parts = operation.split(" ", 2);
            HttpResponse<String> answer = send(parts[0], parts[1] + "?nonsense=1", "", LINES);
            Matcher names = known.matcher(answer.body());
            if (names.find()) {
                operations++;
                assertThat(description.parameters(parts[0], parts[1], "query"))
                        .as(operation)
                        .isEqualTo(new TreeSet<>(List.of(names.group(1).split(", ", -1))));
            }
        }
        assertThat(operations).isGreaterThanOrEqualTo(7);
    }
}

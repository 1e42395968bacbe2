package dev.quorate.loadtest.conditional;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.quorate.loadtest.conditional.ConditionalPlan.Case;
import dev.quorate.loadtest.conditional.ConditionalPlan.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The clients against a node that keeps its word, and against one that does not. */
class ConditionalBenchmarkTest {

    private static final ConditionalPlan.Pace PACE = new ConditionalPlan.Pace(1, 1, 1);
    private static final Case INCREMENTS = new Case("increments", Kind.INCREMENT, 4, 1);

    private final ExecutorService threads = Executors.newFixedThreadPool(8);
    private final List<String> progress = new ArrayList<>();
    private HttpServer server;

    // All guarded by this.
    private final Map<String, String> values = new HashMap<>();
    private final Map<String, Integer> versions = new HashMap<>();
    private final Map<String, Integer> doneByVersion = new HashMap<>();
    private int writes;
    private boolean ignoresConditions;
    private boolean isOverloaded;

    /** One conditional write in so many is done and answered with 504. */
    private int undecidedOnceIn = Integer.MAX_VALUE;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.createContext("/v0/entity", this::answer);
        server.createContext("/v3/kv/", this::answerAsEtcd);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    private ConditionalResult run(Case... cases) throws Exception {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        ConditionalPlan plan = new ConditionalPlan(List.of(cases), 10, PACE);
        return new ConditionalBenchmark(
                        List.of(url), Optional.of(url), System::nanoTime, progress::add)
                .run(plan);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            int status;
            byte[] value;
            synchronized (this) {
                String key = exchange.getRequestURI().getQuery();
                status =
                        exchange.getRequestMethod().equals("GET")
                                ? values.containsKey(key) ? 200 : 404
                                : write(exchange, key, body);
                value = status == 200 ? values.get(key).getBytes(UTF_8) : new byte[0];
                if (versions.containsKey(key)) {
                    exchange.getResponseHeaders().add("ETag", tag(key));
                }
            }
            exchange.sendResponseHeaders(status, value.length == 0 ? -1 : value.length);
            exchange.getResponseBody().write(value);
        }
    }

    private void answerAsEtcd(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            JsonObject request = JsonParser.parseString(body).getAsJsonObject();
            byte[] answer;
            synchronized (this) {
                String path = exchange.getRequestURI().getPath();
                answer = asEtcd(path.substring(path.lastIndexOf('/') + 1), request).getBytes(UTF_8);
            }
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    private String asEtcd(String what, JsonObject request) {
        if (what.equals("range")) {
            String key = request.get("key").getAsString();
            return values.containsKey(key)
                    ? "{\"kvs\":[{\"mod_revision\":\"%d\",\"value\":\"%s\"}]}"
                            .formatted(versions.get(key), values.get(key))
                    : "{}";
        }
        if (what.equals("put")) {
            return etcdPut(request);
        }
        JsonObject compare = request.getAsJsonArray("compare").get(0).getAsJsonObject();
        int expected = compare.get("mod_revision").getAsInt();
        boolean holds = expected == versions.getOrDefault(compare.get("key").getAsString(), 0);
        if (!holds && !ignoresConditions) {
            return "{\"header\":{\"revision\":\"9\"}}";
        }
        JsonObject success = request.getAsJsonArray("success").get(0).getAsJsonObject();
        String put = etcdPut(success.getAsJsonObject("request_put"));
        return put.substring(0, put.length() - 1) + ",\"succeeded\":true}";
    }

    private String etcdPut(JsonObject request) {
        String key = request.get("key").getAsString();
        values.put(key, request.get("value").getAsString());
        versions.merge(key, 1, Integer::sum);
        return "{\"header\":{\"revision\":\"%d\"}}".formatted(versions.get(key));
    }

    private String tag(String key) {
        return '"' + "v" + versions.get(key) + '"';
    }

    private int write(HttpExchange exchange, String key, String body) {
        if (isOverloaded) {
            return 503;
        }
        String match = exchange.getRequestHeaders().getFirst("If-Match");
        boolean isCreation = exchange.getRequestHeaders().containsKey("If-None-Match");
        String version = exchange.getRequestHeaders().getFirst("X-Quorate-Version");
        if (version != null) {
            return doneByVersion.getOrDefault(version, 412);
        }
        boolean holds =
                isCreation ? !values.containsKey(key) : match == null || match.equals(tag(key));
        if (!holds && !ignoresConditions) {
            return 412;
        }
        writes++;
        values.put(key, body);
        versions.merge(key, 1, Integer::sum);
        if ((isCreation || match != null) && writes % undecidedOnceIn == 0) {
            doneByVersion.put("origin" + writes, 201);
            exchange.getResponseHeaders().add("X-Quorate-Version", "origin" + writes);
            return 504;
        }
        return 201;
    }

    @Test
    void aCaseOfEachKindHasFiguresThatAreComparedToTheFirst() throws Exception {
        ConditionalResult result =
                run(
                        new Case("plain", Kind.PUT, 2, 1),
                        new Case("chains", Kind.CONDITIONAL_PUT, 2, 1),
                        INCREMENTS);
        assertThat(result.refusals()).isEmpty();
        assertThat(result.text().lines().map(line -> line.replaceAll("  .*", "")))
                .containsExactly("", "plain", "chains", "increments");
        assertThat(result.json())
                .contains("\"name\":\"chains\"", "\"reference\":\"plain\"", "increments, longest");
        assertThat(progress.getFirst()).startsWith("plain: ").endsWith("/s, warming up");
    }

    @Test
    void undecidedWritesAreSentAgainAndCountOnce() throws Exception {
        undecidedOnceIn = 3;
        ConditionalResult result = run(INCREMENTS, new Case("chains", Kind.CONDITIONAL_PUT, 2, 1));
        assertThat(result.refusals()).isEmpty();
        assertThat(result.figures()).hasSize(2);
    }

    @Test
    void increasesThatAreLostAreNoFigures() throws Exception {
        ignoresConditions = true;
        assertThat(run(INCREMENTS).refusals())
                .singleElement()
                .asString()
                .matches(
                        "increments: no figures: \\d+ increments succeeded, and the number grew by"
                                + " \\d+");
    }

    @Test
    void aWrongAnswerIsNoFigure() throws Exception {
        isOverloaded = true;
        assertThat(run(new Case("plain", Kind.PUT, 2, 1)).text())
                .isEqualTo("plain: no figures: a write was answered with 503 \n");
    }

    @Test
    void anEtcdHasTheSameCases() throws Exception {
        ConditionalResult result =
                run(
                        new Case("etcd put", Kind.PUT, 2, 0),
                        new Case("etcd put if version", Kind.CONDITIONAL_PUT, 2, 0),
                        new Case("etcd increments", Kind.INCREMENT, 4, 0));
        assertThat(result.refusals()).isEmpty();
        assertThat(result.figures()).hasSize(3);
        assertThat(writes).as("through our nodes").isZero();
        ignoresConditions = true;
        assertThat(run(new Case("etcd increments", Kind.INCREMENT, 4, 0)).refusals()).hasSize(1);
    }
}

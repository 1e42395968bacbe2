package dev.quorate.testkit.check;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A node that speaks as a whole cluster would, and lies if told to. */
final class StubNode implements AutoCloseable {

    /** What it gets wrong. */
    enum Lie {
        NONE,
        /** Now and then it says that a write is stored, and forgets it. */
        FORGETS_A_WRITE,
        /** Now and then it answers with the value before the last. */
        GOES_BACK,
        /** Now and then a value is cut off. */
        DAMAGES,
        /** It writes whatever the condition says. */
        IGNORES_CONDITIONS,
        /** A write that is sent again is judged as if it were new. */
        FORGETS_VERSIONS,
        /** It is overloaded for ever. */
        REFUSES_ALL,
        /** It is never ready. */
        NEVER_READY
    }

    private static final int LIES_ONCE_IN = 7;
    private static final int UNDECIDED_ONCE_IN = 3;
    private static final byte[] DELETED = {};

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final Lie lie;

    // All guarded by this.
    private final Map<String, List<byte[]>> values = new HashMap<>();
    private final Map<String, Reply> ofVersions = new HashMap<>();
    private int requests;
    private int conditional;

    /** What is answered: a body for a value, a version for what has one. */
    private record Reply(int status, byte @Nullable [] body, String version) {}

    StubNode(Lie lie) throws IOException {
        this.lie = lie;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(threads);
        server.createContext("/v0/entity", this::entity);
        server.createContext(
                "/readyz", exchange -> answer(exchange, lie == Lie.NEVER_READY ? 503 : 200, null));
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** How many keys hold a value. */
    synchronized long liveKeys() {
        return values.values().stream().filter(all -> all.getLast().length > 0).count();
    }

    private void entity(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        String key = query.substring("id=".length(), query.indexOf('&'));
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (lie == Lie.REFUSES_ALL) {
            answer(exchange, 503, null);
            return;
        }
        answer(exchange, reply(exchange, key, body));
    }

    private synchronized Reply reply(HttpExchange exchange, String key, byte[] body) {
        String method = exchange.getRequestMethod();
        if (method.equals("GET")) {
            byte[] value = read(key);
            return value.length == 0
                    ? new Reply(404, null, "")
                    : new Reply(200, value, version(key, value));
        }
        byte[] value = method.equals("PUT") ? body : DELETED;
        int status = method.equals("PUT") ? 201 : 202;
        String match = exchange.getRequestHeaders().getFirst("If-Match");
        if (match == null && !exchange.getRequestHeaders().containsKey("If-None-Match")) {
            write(key, value);
            return new Reply(status, null, version(key, value));
        }
        String given = exchange.getRequestHeaders().getFirst("X-Quorate-Version");
        String origin = given == null ? "origin" + conditional++ : given;
        Reply known = lie == Lie.FORGETS_VERSIONS ? null : ofVersions.get(key + origin);
        if (known != null) {
            return known;
        }
        Reply reply = new Reply(412, null, currentVersion(key));
        if (holds(match, key) || lie == Lie.IGNORES_CONDITIONS) {
            write(key, value);
            reply = new Reply(status, null, version(key, value));
        }
        ofVersions.put(key + origin, reply.status == 412 ? new Reply(412, null, "") : reply);
        boolean isUndecided = given == null && conditional % UNDECIDED_ONCE_IN == 0;
        return isUndecided ? new Reply(504, null, origin) : reply;
    }

    private boolean holds(@Nullable String match, String key) {
        String current = currentVersion(key);
        if (match == null) {
            return current.isEmpty();
        }
        return !current.isEmpty() && (match.equals("*") || match.equals('"' + current + '"'));
    }

    /** Empty if there is no value. */
    private String currentVersion(String key) {
        byte[] last = values.getOrDefault(key, List.of(DELETED)).getLast();
        return last.length == 0 ? "" : version(key, last);
    }

    /** HistoryClient.Values are unique, so one for each will do. */
    private static String version(String key, byte[] value) {
        return key + "-" + HistoryClient.Values.name(value);
    }

    private synchronized void write(String key, byte[] value) {
        if (lie == Lie.FORGETS_A_WRITE && isTimeToLie()) {
            return;
        }
        values.computeIfAbsent(key, _ -> new ArrayList<>(List.of(DELETED))).add(value);
    }

    private synchronized byte[] read(String key) {
        List<byte[]> all = values.getOrDefault(key, List.of(DELETED));
        byte[] last = all.getLast();
        if (lie == Lie.GOES_BACK && all.size() > 1 && isTimeToLie()) {
            return all.get(all.size() - 2);
        }
        if (lie == Lie.DAMAGES && last.length > 0 && isTimeToLie()) {
            return Arrays.copyOf(last, last.length - 1);
        }
        return last;
    }

    private boolean isTimeToLie() {
        requests++;
        return requests % LIES_ONCE_IN == 0;
    }

    private static void answer(HttpExchange exchange, int status, byte @Nullable [] body)
            throws IOException {
        answer(exchange, new Reply(status, body, ""));
    }

    private static void answer(HttpExchange exchange, Reply reply) throws IOException {
        try (exchange) {
            byte[] body = reply.body();
            if (!reply.version().isEmpty()) {
                exchange.getResponseHeaders().add("X-Quorate-Version", reply.version());
            }
            exchange.sendResponseHeaders(reply.status(), body == null ? -1 : body.length);
            if (body != null) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

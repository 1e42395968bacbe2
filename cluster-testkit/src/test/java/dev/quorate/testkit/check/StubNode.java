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
        /** It is overloaded for ever. */
        REFUSES_ALL,
        /** It is never ready. */
        NEVER_READY
    }

    private static final int LIES_ONCE_IN = 7;
    private static final byte[] DELETED = {};

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final Lie lie;

    // All guarded by this.
    private final Map<String, List<byte[]>> values = new HashMap<>();
    private int requests;

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
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                write(key, body);
                answer(exchange, 201, null);
            }
            case "DELETE" -> {
                write(key, DELETED);
                answer(exchange, 202, null);
            }
            default -> {
                byte[] value = read(key);
                answer(exchange, value.length == 0 ? 404 : 200, value);
            }
        }
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
        try (exchange) {
            int length = body == null || body.length == 0 ? -1 : body.length;
            exchange.sendResponseHeaders(status, length);
            if (length > 0) {
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

package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Answers as a node would, or as badly as it is told to, and remembers what was asked. */
public final class StubServer implements AutoCloseable {

    /** Which status a request is to be answered with. */
    @FunctionalInterface
    public interface Behaviour {
        /**
         * The status of one request.
         *
         * @param number of the request, from 1
         * @param known whether the key was put and not deleted since
         */
        int status(String method, int number, boolean known);
    }

    /** As the contract says. */
    public static final Behaviour GOOD =
            (method, _, known) ->
                    switch (method) {
                        case "PUT" -> 201;
                        case "DELETE" -> 202;
                        default -> known ? 200 : 404;
                    };

    private static final byte[] NOTHING = {};

    private final HttpServer server;
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final Behaviour behaviour;
    private final AtomicInteger requests = new AtomicInteger();
    private final Map<Integer, AtomicInteger> answers = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> puts = new ConcurrentHashMap<>();
    private volatile UnaryOperator<byte[]> served = UnaryOperator.identity();
    private volatile Supplier<String> metrics = () -> "";
    private volatile int rangeBytes;
    private volatile boolean rangesBreakOff;
    private final AtomicInteger rangesToRefuse = new AtomicInteger();
    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final Set<Integer> bodies = ConcurrentHashMap.newKeySet();
    private final Set<Integer> bodyLengths = ConcurrentHashMap.newKeySet();
    private final Set<String> queries = ConcurrentHashMap.newKeySet();

    public StubServer(Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
        this.server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/v0/entity", this::answer);
        server.createContext("/v0/status", this::answerStatus);
        server.createContext("/v0/entities", this::answerRange);
        server.createContext("/metrics", this::answerMetrics);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String query = exchange.getRequestURI().getRawQuery();
            String key = query.replaceFirst("&.*", "");
            String method = exchange.getRequestMethod();
            int status =
                    behaviour.status(method, requests.incrementAndGet(), values.containsKey(key));
            queries.add(query.replaceFirst("[0-9]{8,}", "N"));
            switch (method) {
                case "PUT" -> {
                    values.put(key, body);
                    puts.computeIfAbsent(key, _ -> new AtomicInteger()).incrementAndGet();
                    bodies.add(Arrays.hashCode(body));
                    bodyLengths.add(body.length);
                }
                case "DELETE" -> values.remove(key);
                default -> {}
            }
            answers.computeIfAbsent(status, _ -> new AtomicInteger()).incrementAndGet();
            byte[] value = values.get(key);
            send(exchange, status, status == 200 && value != null ? served.apply(value) : NOTHING);
        }
    }

    private void answerStatus(HttpExchange exchange) throws IOException {
        try (exchange) {
            requests.incrementAndGet();
            String query = exchange.getRequestURI().getRawQuery();
            int bytes = query == null ? 0 : Integer.parseInt(query.replaceFirst("^bytes=", ""));
            send(exchange, 200, served.apply(new byte[bytes]));
        }
    }

    private void answerRange(HttpExchange exchange) throws IOException {
        if (rangesToRefuse.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
        }
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().write(new byte[rangeBytes]);
        exchange.getResponseBody().flush();
        if (rangesBreakOff) {
            // The server then closes the connection, without the last chunk.
            throw new IOException("broken off");
        }
        exchange.close();
    }

    private void answerMetrics(HttpExchange exchange) throws IOException {
        try (exchange) {
            send(exchange, 200, metrics.get().getBytes(UTF_8));
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    /** Changes every body that it answers with. */
    public void serve(UnaryOperator<byte[]> change) {
        served = change;
    }

    /** Has something to say at {@code /metrics}. */
    public void count(Supplier<String> text) {
        metrics = text;
    }

    /** How long a range is, and whether it comes to its end. */
    public void range(int bytes, boolean breakOff) {
        rangeBytes = bytes;
        rangesBreakOff = breakOff;
    }

    /** Answers the next so many ranges with 503. */
    public void refuseRanges(int count) {
        rangesToRefuse.set(count);
    }

    public void put(String key, byte[] value) {
        values.put("id=" + key, value);
    }

    /** What was put there last, unless it was deleted. */
    public byte @Nullable [] value(String key) {
        return values.get("id=" + key);
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public int requests() {
        return requests.get();
    }

    /** How many answers had that status. */
    public int answers(int status) {
        return answers.containsKey(status) ? answers.get(status).get() : 0;
    }

    /** How often each key was put. */
    public List<Integer> putsByKey() {
        List<Integer> counts = new ArrayList<>();
        puts.values().forEach(count -> counts.add(count.get()));
        return counts;
    }

    public Set<String> keysPut() {
        return puts.keySet();
    }

    /** How many different values were put, as far as their hashes tell. */
    public int differentBodies() {
        return bodies.size();
    }

    public Set<Integer> bodyLengths() {
        return bodyLengths;
    }

    /** The query strings, with N in the place of the number in the key. */
    public Set<String> queries() {
        return queries;
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}

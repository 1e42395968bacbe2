package dev.quorate.loadtest;

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
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

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

    private final HttpServer server;
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final Behaviour behaviour;
    private final AtomicInteger requests = new AtomicInteger();
    private final Map<Integer, AtomicInteger> answers = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> puts = new ConcurrentHashMap<>();
    private final Set<String> known = new ConcurrentSkipListSet<>();
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
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String query = exchange.getRequestURI().getRawQuery();
            String key = query.replaceFirst("&.*", "");
            String method = exchange.getRequestMethod();
            int status = behaviour.status(method, requests.incrementAndGet(), known.contains(key));
            queries.add(query.replaceFirst("[0-9]{8,}", "N"));
            switch (method) {
                case "PUT" -> {
                    known.add(key);
                    puts.computeIfAbsent(key, _ -> new AtomicInteger()).incrementAndGet();
                    bodies.add(Arrays.hashCode(body));
                    bodyLengths.add(body.length);
                }
                case "DELETE" -> known.remove(key);
                default -> {}
            }
            answers.computeIfAbsent(status, _ -> new AtomicInteger()).incrementAndGet();
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private void answerStatus(HttpExchange exchange) throws IOException {
        try (exchange) {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
        }
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

package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.quorate.client.QuorateClient;
import dev.quorate.recipes.Queue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A queue against answers that a test chooses. */
@Timeout(30)
final class QueueTest {

    private static final String VERSION = "01a1ffa680e10000-36c6c909";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private QuorateClient client;
    private Queue queue;

    /** The status of the next writes; the last one remains. */
    private List<Integer> statuses = List.of();

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v0/entity", this::write);
        server.createContext("/v0/entities", this::page);
        server.start();
        client = QuorateClient.connect("http://127.0.0.1:" + server.getAddress().getPort());
        queue = new Queue(client, "q/");
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private static void answer(HttpExchange exchange, int status, String type, String body)
            throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", type);
        exchange.getResponseHeaders().add("X-Quorate-Version", VERSION);
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void write(HttpExchange exchange) throws IOException {
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getQuery());
        int at = Math.min(requests.size(), statuses.size()) - 1;
        answer(exchange, statuses.get(at), "application/problem+json", "{}");
    }

    /** The first page ends with a cursor and has no entry. */
    private void page(HttpExchange exchange) throws IOException {
        Base64.Encoder base64 = Base64.getEncoder();
        boolean isFirst = exchange.getRequestURI().getQuery().endsWith("cursor=");
        String entry =
                "{\"key\":\"%s\",\"value\":\"%s\",\"version\":\"%s\"}\n"
                        .formatted(
                                base64.encodeToString("q/1".getBytes(StandardCharsets.UTF_8)),
                                base64.encodeToString("item".getBytes(StandardCharsets.UTF_8)),
                                VERSION);
        answer(exchange, 200, "application/x-ndjson", isFirst ? "{\"cursor\":\"next\"}\n" : entry);
    }

    @Test
    void itemsBehindPagesOfDeletedOnesAreTaken() {
        statuses = List.of(202);
        assertThat(queue.poll()).contains("item");
        assertThat(requests).containsExactly("DELETE id=q/1");
    }

    @Test
    void anItemIsAddedUnderAnotherKeyIfItsKeyIsTaken() {
        statuses = List.of(412, 201);
        queue.put("item");
        assertThat(requests).hasSize(2).doesNotHaveDuplicates();
    }
}

package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.Turn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Work that a handler defers to the end of its selector's turn. */
class SelectorTurnTest {

    private final ManualTime time = new ManualTime();
    private final Queue<String> events = new ConcurrentLinkedQueue<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final List<RawClient> clients = new ArrayList<>();
    private HttpListener listener;

    @BeforeEach
    void listen() throws IOException {
        listener = TestListener.start(1, HttpLimits.defaults(), this::handle, time, time);
    }

    @AfterEach
    void stop() throws IOException {
        released.countDown();
        for (RawClient client : clients) {
            client.close();
        }
        listener.close();
    }

    private void handle(HttpRequest request, HttpExchange exchange) {
        if (request.path().equals("/hold")) {
            held.countDown();
            awaitRelease();
        }
        events.add("request");
        Turn.atEnd(
                () -> {
                    events.add("deferred");
                    exchange.respond(new HttpResponse(200, List.of(), new byte[0]));
                });
    }

    private void awaitRelease() {
        try {
            released.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private RawClient connect() throws IOException {
        RawClient client = new RawClient(listener.port());
        clients.add(client);
        return client;
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }

    @Test
    void workWaitsForTheRequestsOfAllReadyConnections() throws Exception {
        RawClient holder = connect();
        RawClient second = connect();
        RawClient third = connect();
        await().until(listener::openConnections, equalTo(3));
        holder.send(get("/hold"));
        held.await();
        second.send(get("/"));
        third.send(get("/"));
        released.countDown();
        second.read();
        third.read();
        await().until(events::size, equalTo(6));
        // The turn of the first request was over when the others became ready.
        assertThat(List.copyOf(events).subList(1, 6))
                .containsSubsequence("request", "request", "deferred", "deferred");
    }

    @Test
    void aLoneConnectionDoesNotWait() throws Exception {
        RawClient client = connect();
        for (int i = 0; i < 20; i++) {
            client.send(get("/")).read();
        }
        await().until(events::size, equalTo(40));
        // At first the selector cannot know that nobody else comes.
        List<String> last = List.copyOf(events).subList(20, 40);
        for (int i = 0; i < last.size(); i += 2) {
            assertThat(last.subList(i, i + 2)).containsExactly("request", "deferred");
        }
    }
}

package dev.quorate.node.http.connection;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.ConnectionLimits;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Listeners and their connections, over real sockets, with handlers made for the purpose. */
final class HttpListenerTest {

    private final ExecutorScheduler scheduler = new ExecutorScheduler("timer");
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final List<AutoCloseable> open = new ArrayList<>();

    private HttpListener listen(HttpLimits limits, HttpHandler handler) throws IOException {
        HttpListener listener =
                TestListener.start(2, limits, handler, SystemTicker.INSTANCE, scheduler);
        open.add(listener);
        return listener;
    }

    private HttpListener listen(HttpHandler handler) throws IOException {
        return listen(HttpLimits.defaults(), handler);
    }

    private RawClient client(HttpListener listener) throws IOException {
        RawClient client = new RawClient(listener.port());
        open.add(client);
        return client;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
        pool.shutdownNow();
        scheduler.close();
    }

    private static HttpResponse ok(String body) {
        return new HttpResponse(200, List.of(), body.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static HttpResponse ok(byte[] body) {
        return new HttpResponse(200, List.of(), body);
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }

    @Test
    void aThousandPipelinedRequestsAreAnsweredInOrder() throws Exception {
        HttpListener listener =
                listen(
                        (request, exchange) -> {
                            // Every third is answered from another thread.
                            if (request.path().hashCode() % 3 == 0) {
                                pool.execute(() -> exchange.respond(ok(request.path())));
                            } else {
                                exchange.respond(ok(request.path()));
                            }
                        });
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            requests.append(get("/" + i));
        }
        for (int round = 0; round < 3; round++) {
            RawClient client = client(listener).send(requests.toString());
            for (int i = 0; i < 1000; i++) {
                assertThat(client.read().text()).isEqualTo("/" + i);
            }
        }
        await().until(listener::inputBytes, equalTo(0L));
    }

    @Test
    void answersFromTheSelectorKeepTheirOrderAndTheirBodies() throws Exception {
        HttpListener listener =
                listen(
                        (request, exchange) -> {
                            HttpResponse answer = ok(request.path());
                            if (request.path().endsWith("0")) {
                                exchange.respondFromSelector(answer);
                            } else {
                                pool.execute(() -> exchange.respondFromSelector(answer));
                            }
                        });
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            requests.append(get("/" + i));
        }
        RawClient client = client(listener).send(requests.toString());
        for (int i = 0; i < 1000; i++) {
            assertThat(client.read().text()).isEqualTo("/" + i);
        }
        await().until(listener::inputBytes, equalTo(0L));
    }

    @Test
    void pipelinedStreamsDoNotDeepenTheStack() throws Exception {
        HttpListener listener =
                listen(
                        (request, exchange) ->
                                exchange.stream(ok(""), Streams.of(request.path(), "x", "y")));
        RawClient client = client(listener).send(get("/s").repeat(1200));
        for (int i = 0; i < 1200; i++) {
            assertThat(client.read().text()).isEqualTo("/sxy");
        }
        assertThat(listener.outputBytes()).isZero();
    }

    @Test
    void oneRequestOfAConnectionIsInFlightAtATime() throws Exception {
        BlockingQueue<HttpExchange> exchanges = new LinkedBlockingQueue<>();
        HttpListener listener = listen((request, exchange) -> exchanges.add(exchange));
        RawClient client = client(listener).send(get("/1") + get("/2"));
        HttpExchange first = exchanges.poll(10, SECONDS);
        client.send(get("/3"));
        assertThat(exchanges).isEmpty();
        first.respond(ok("first"));
        assertThat(client.read().text()).isEqualTo("first");
        exchanges.poll(10, SECONDS).respond(ok("second"));
        exchanges.poll(10, SECONDS).respond(ok("third"));
        assertThat(client.read().text()).isEqualTo("second");
        assertThat(client.read().text()).isEqualTo("third");
    }

    @Test
    void pipelinedInputIsBounded() throws Exception {
        BlockingQueue<HttpExchange> exchanges = new LinkedBlockingQueue<>();
        HttpListener listener = listen((request, exchange) -> exchanges.add(exchange));
        List<RawClient> clients = new ArrayList<>();
        byte[] many = get("/").repeat(2000).getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 20; i++) {
            RawClient client = client(listener).send(get("/first"));
            client.send(many);
            clients.add(client);
        }
        await().until(exchanges::size, equalTo(20));
        assertThat(listener.inputBytes()).isLessThan(20 * 64_000);
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void aRequestIsAnsweredOnce() throws Exception {
        BlockingQueue<HttpExchange> exchanges = new LinkedBlockingQueue<>();
        HttpListener listener =
                listen(
                        (request, exchange) -> {
                            exchange.respond(ok("once"));
                            exchanges.add(exchange);
                        });
        RawClient client = client(listener).send(get("/"));
        assertThat(client.read().text()).isEqualTo("once");
        HttpExchange exchange = exchanges.poll(10, SECONDS);
        assertThatIllegalStateException().isThrownBy(() -> exchange.respond(ok("twice")));
        assertThatIllegalStateException()
                .isThrownBy(() -> exchange.stream(ok(""), Streams.of("twice")));
        assertThat(client.send(get("/")).read().text()).isEqualTo("once");
    }

    @Test
    void aFailingHandlerIsA500AndTheConnectionStaysOpen() throws Exception {
        HttpListener listener =
                listen(
                        (request, exchange) -> {
                            if (request.path().equals("/late")) {
                                exchange.respond(ok("late"));
                            }
                            throw new IllegalStateException("made to fail");
                        });
        RawClient client = client(listener).send(get("/"));
        Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        assertThat(answer.text()).doesNotContain("made to fail");
        assertThat(client.send(get("/late")).read().text()).isEqualTo("late");
        assertThat(client.send(get("/")).read().status()).isEqualTo(500);
    }

    @Test
    void whatIsAddedLastChangesAnAnswerFirst() throws Exception {
        HttpListener listener =
                listen(
                        (request, exchange) -> {
                            exchange.beforeAnswer(response -> ok(text(response) + " b"));
                            exchange.beforeAnswer(response -> ok(text(response) + " c"));
                            exchange.respond(ok("a"));
                        });
        assertThat(client(listener).send(get("/")).read().text()).isEqualTo("a c b");
    }

    private static String text(HttpResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void anAnswerWhoseChangeFailsIsA500() throws Exception {
        HttpListener listener =
                listen(
                        (request, exchange) -> {
                            exchange.beforeAnswer(
                                    response -> {
                                        throw new IllegalStateException("made to fail");
                                    });
                            exchange.respond(ok("lost"));
                        });
        RawClient client = client(listener);
        assertThat(client.send(get("/")).read().status()).isEqualTo(500);
        assertThat(client.send(get("/")).read().status()).isEqualTo(500);
    }

    @Test
    void bodiesOfEverySizeAndFramingArrive() throws Exception {
        HttpListener listener =
                listen(
                        HttpLimits.defaults().withMaxBodyBytes(4 << 20),
                        (request, exchange) -> exchange.respond(ok(request.body())));
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        URI uri = URI.create("http://127.0.0.1:" + listener.port() + "/");
        Random random = new Random(7);
        for (int size : new int[] {0, 1, 100, 4096, 16_384, 16_385, 65_537, 1_000_000, 4 << 20}) {
            byte[] body = new byte[size];
            random.nextBytes(body);
            for (boolean expects : new boolean[] {false, true}) {
                var request = java.net.http.HttpRequest.newBuilder(uri);
                assertThat(
                                http.send(
                                                request.PUT(BodyPublishers.ofByteArray(body))
                                                        .expectContinue(expects)
                                                        .build(),
                                                BodyHandlers.ofByteArray())
                                        .body())
                        .isEqualTo(body);
                var chunked =
                        BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(body));
                assertThat(
                                http.send(request.PUT(chunked).build(), BodyHandlers.ofByteArray())
                                        .body())
                        .isEqualTo(body);
            }
        }
        await().until(listener::inputBytes, equalTo(0L));
        await().until(listener::outputBytes, equalTo(0L));
        var tooLong =
                java.net.http.HttpRequest.newBuilder(uri)
                        .PUT(BodyPublishers.ofByteArray(new byte[(4 << 20) + 1]))
                        .expectContinue(true)
                        .build();
        assertThat(http.send(tooLong, BodyHandlers.ofString()).statusCode()).isEqualTo(413);
        http.close();
    }

    @Test
    void aClientThatExpects100ContinueGetsIt() throws Exception {
        HttpListener listener = listen((request, exchange) -> exchange.respond(ok(request.body())));
        RawClient client = client(listener);
        String head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n";
        for (int i = 0; i < 2; i++) {
            client.send(head + "Expect: 100-continue\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(100);
            assertThat(client.send("ok").read().text()).isEqualTo("ok");
        }
        client.send(head + "Expect: 100-continue\r\n\r\nok");
        assertThat(client.read().text()).isEqualTo("ok");
    }

    @Test
    void connectionsLastAsLongAsTheClientWants() throws Exception {
        HttpListener listener = listen((request, exchange) -> exchange.respond(ok("x")));
        RawClient modern = client(listener).send(get("/"));
        assertThat(modern.read().headers()).doesNotContainKey("connection");
        modern.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + get("/never"));
        assertThat(modern.read().header("connection")).isEqualTo("close");
        assertThat(modern.isAtEnd()).isTrue();

        RawClient old = client(listener).send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assertThat(old.read().header("connection")).isEqualTo("keep-alive");
        old.send("GET / HTTP/1.0\r\n\r\n");
        assertThat(old.read().header("connection")).isEqualTo("close");
        assertThat(old.isAtEnd()).isTrue();

        RawClient half = client(listener).send(get("/") + get("/")).finish();
        assertThat(half.read().status()).isEqualTo(200);
        assertThat(half.read().status()).isEqualTo(200);
        assertThat(half.isAtEnd()).isTrue();
        modern.close();
        old.close();
        half.close();
        await().until(listener::openConnections, equalTo(0));
    }

    @Test
    void aLateAnswerToAClientThatIsGoneIsDropped() throws Exception {
        BlockingQueue<HttpExchange> exchanges = new LinkedBlockingQueue<>();
        HttpListener listener = listen((request, exchange) -> exchanges.add(exchange));
        RawClient client = client(listener);
        client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
        HttpExchange exchange = exchanges.poll(10, SECONDS);
        assertThat(listener.inputBytes()).isEqualTo(3);
        client.close();
        exchange.respond(ok(new byte[10 << 20]));
        await().until(listener::openConnections, equalTo(0));
        assertThat(listener.inputBytes()).isZero();
        assertThat(listener.outputBytes()).isZero();
    }

    @Test
    void tooManyConnectionsAreTurnedAway() throws Exception {
        HttpListener listener =
                listen(
                        HttpLimits.defaults()
                                .withConnections(ConnectionLimits.withoutAuthentication(3, 3)),
                        (request, exchange) -> exchange.respond(ok("x")));
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            RawClient client = client(listener).send(get("/"));
            assertThat(client.read().status()).isEqualTo(200);
            clients.add(client);
        }
        RawClient refused = client(listener);
        assertThat(refused.read().status()).isEqualTo(503);
        assertThat(refused.isAtEnd()).isTrue();
        assertThat(listener.statistics().rejected(Rejection.CONNECTIONS)).isEqualTo(1);
        clients.getFirst().close();
        await().until(listener::openConnections, equalTo(2));
        assertThat(client(listener).send(get("/")).read().status()).isEqualTo(200);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void oneAddressLeavesConnectionsToOthers() throws Exception {
        HttpListener listener =
                listen(
                        HttpLimits.defaults()
                                .withConnections(ConnectionLimits.withoutAuthentication(3, 2)),
                        (request, exchange) -> exchange.respond(ok("x")));
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            RawClient client = client(listener).send(get("/"));
            assertThat(client.read().status()).isEqualTo(200);
            clients.add(client);
        }
        assertThat(client(listener).read().status()).isEqualTo(503);
        try (RawClient other = RawClient.from("127.0.0.2", listener.port())) {
            assertThat(other.send(get("/")).read().status()).isEqualTo(200);
        }
        clients.getFirst().close();
        await().until(listener::openConnections, equalTo(1));
        assertThat(client(listener).send(get("/")).read().status()).isEqualTo(200);
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        HttpListener listener = listen((request, exchange) -> exchange.respond(ok("x")));
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(
                        () ->
                                TestListener.startAt(
                                        listener.port(),
                                        1,
                                        HttpLimits.defaults(),
                                        (request, exchange) -> {},
                                        SystemTicker.INSTANCE,
                                        scheduler))
                .withMessageContaining("127.0.0.1:" + listener.port());
    }

    @Test
    void aDrainingListenerAnswersAndSaysThatItCloses() throws Exception {
        HttpListener listener = listen((request, exchange) -> exchange.respond(ok("served")));
        RawClient known = client(listener).send(get("/before"));
        assertThat(known.read().headers()).doesNotContainKey("connection");
        var drained = listener.drain();
        assertThat(listener.drain()).as("a second call").isSameAs(drained);
        for (RawClient each : List.of(known, client(listener))) {
            Answer last = each.send(get("/meanwhile")).read();
            assertThat(last.text()).isEqualTo("served");
            assertThat(last.header("connection")).isEqualTo("close");
            assertThat(each.isAtEnd()).isTrue();
        }
        assertThat(drained).succeedsWithin(java.time.Duration.ofSeconds(10));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> new RawClient(listener.port()));
    }

    @Test
    void stoppingIsOrderly() throws Exception {
        BlockingQueue<HttpExchange> exchanges = new LinkedBlockingQueue<>();
        HttpListener listener = listen((request, exchange) -> exchanges.add(exchange));
        RawClient busy = client(listener).send(get("/busy"));
        HttpExchange exchange = exchanges.poll(10, SECONDS);
        RawClient idle = client(listener).send(get("/idle"));
        exchanges.poll(10, SECONDS).respond(ok("idle"));
        assertThat(idle.read().headers()).doesNotContainKey("connection");

        listener.stopAccepting();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> new RawClient(listener.port()));
        var drained = listener.drain();
        assertThat(drained).isNotDone();
        exchange.respond(ok("done"));
        Answer last = busy.read();
        assertThat(last.text()).isEqualTo("done");
        assertThat(last.header("connection")).isEqualTo("close");
        assertThat(drained).succeedsWithin(java.time.Duration.ofSeconds(10));
        listener.close();
        assertThat(idle.isAtEnd()).isTrue();
        assertThat(listener.openConnections()).isZero();
        listener.close();
    }

    @Test
    void statisticsCountWhatHappened() throws Exception {
        HttpListener listener = listen((request, exchange) -> exchange.respond(ok("12345")));
        RawClient client = client(listener).send(get("/") + get("/"));
        client.read();
        client.read();
        client.send("nonsense\r\n");
        assertThat(client.read().status()).isEqualTo(400);
        ListenerStatistics statistics = listener.statistics();
        assertThat(statistics.accepted.sum()).isEqualTo(1);
        assertThat(statistics.requests.sum()).isEqualTo(2);
        assertThat(statistics.bytesRead.sum()).isEqualTo(2 * get("/").length() + 10);
        assertThat(statistics.rejected(Rejection.MALFORMED)).isEqualTo(1);
        await().until(() -> statistics.bytesWritten.sum() > 200);
    }

    @Test
    void manyClientsAtOnceGetTheirOwnAnswers() throws Exception {
        HttpListener listener =
                listen(
                        (request, exchange) ->
                                pool.execute(() -> exchange.respond(ok(echo(request)))));
        AtomicInteger failures = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 16; t++) {
            int number = t;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try (RawClient client = new RawClient(listener.port())) {
                                            for (int i = 0; i < 200; i++) {
                                                String path = "/" + number + "/" + i;
                                                if (!client.send(get(path))
                                                        .read()
                                                        .text()
                                                        .equals(path)) {
                                                    failures.incrementAndGet();
                                                }
                                            }
                                        } catch (IOException e) {
                                            failures.incrementAndGet();
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).hasValue(0);
    }

    private static String echo(HttpRequest request) {
        return request.path();
    }
}

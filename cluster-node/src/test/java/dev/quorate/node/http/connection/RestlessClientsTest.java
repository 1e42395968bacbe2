package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.Seed;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Clients that begin everything and finish some of it, at many connections at once, with answers
 * from several threads: nothing may be left over, and whoever behaves is served correctly.
 */
final class RestlessClientsTest {

    private static final int THREADS = 8;
    private static final int CONNECTIONS = Integer.getInteger("quorate.restless", 150);

    private final AtomicInteger openSources = new AtomicInteger();
    private final AtomicInteger closedTwice = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private final ExecutorService pool = Executors.newFixedThreadPool(3);

    @Test
    void nothingIsLeftOver() throws Exception {
        RandomGenerator seeds = Seed.random("RestlessClientsTest");
        try (ExecutorScheduler scheduler = new ExecutorScheduler("timer");
                HttpListener listener =
                        TestListener.start(
                                2,
                                HttpLimits.defaults().withMaxBodyBytes(1 << 20),
                                this::handle,
                                SystemTicker.INSTANCE,
                                scheduler)) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                Random random = new Random(seeds.nextLong());
                threads.add(Thread.ofPlatform().start(() -> connect(listener.port(), random)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            await().until(listener::openConnections, equalTo(0));
            await().untilAtomic(openSources, equalTo(0));
            await().until(listener::inputBytes, equalTo(0L));
            await().until(listener::outputBytes, equalTo(0L));
            assertThat(closedTwice).hasValue(0);
            assertThat(wrong).hasValue(0);
        } finally {
            pool.shutdownNow();
        }
    }

    // ---- The server's side.

    private void handle(HttpRequest request, HttpExchange exchange) {
        Runnable answer =
                switch (request.path()) {
                    case "/stream" -> () -> exchange.stream(ok(new byte[0]), new Source());
                    case "/large" -> () -> exchange.respond(ok(new byte[300_000]));
                    default -> () -> exchange.respond(ok(request.body()));
                };
        if (request.query() != null) {
            pool.execute(answer);
        } else {
            answer.run();
        }
    }

    private static HttpResponse ok(byte[] body) {
        return new HttpResponse(200, List.of(), body);
    }

    private final class Source implements StreamSource {

        private final AtomicInteger closed = new AtomicInteger();
        private int pulls;

        Source() {
            openSources.incrementAndGet();
        }

        @Override
        public void pull(StreamSink sink) {
            int pull = pulls++;
            Runnable delivery =
                    () -> {
                        sink.chunk(new byte[pull * 100 + 1]);
                        if (pull == 40) {
                            sink.end();
                        } else {
                            sink.more();
                        }
                    };
            if (pull % 2 == 0) {
                delivery.run();
            } else {
                pool.execute(delivery);
            }
        }

        @Override
        public void close() {
            openSources.decrementAndGet();
            if (closed.incrementAndGet() > 1) {
                closedTwice.incrementAndGet();
            }
        }
    }

    // ---- The clients' side.

    private void connect(int port, Random random) {
        for (int i = 0; i < CONNECTIONS; i++) {
            try (RawClient client = new RawClient(port)) {
                behave(client, random);
            } catch (IOException e) {
                wrong.incrementAndGet();
            }
        }
    }

    private void behave(RawClient client, Random random) throws IOException {
        String[] targets = {"/echo", "/echo?a", "/stream", "/stream?a", "/large", "/large?a"};
        int count = random.nextInt(1, 6);
        StringBuilder requests = new StringBuilder();
        List<Integer> lengths = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String target = targets[random.nextInt(targets.length)];
            int length = random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(100);
            requests.append("PUT ")
                    .append(target)
                    .append(" HTTP/1.1\r\nHost: x\r\nContent-Length: ")
                    .append(length)
                    .append("\r\n\r\n")
                    .append("b".repeat(length));
            lengths.add(
                    target.startsWith("/echo")
                            ? length
                            : target.startsWith("/large") ? 300_000 : 41 + 100 * 40 * 41 / 2);
        }
        byte[] bytes = ParserTranscript.bytes(requests.toString());
        switch (random.nextInt(5)) {
            case 0 -> { // Sends a part and leaves.
                byte[] part = Arrays.copyOf(bytes, random.nextInt(bytes.length));
                client.sendWhatItTakes(part);
            }
            case 1 -> { // Sends all, and leaves with an error, reading nothing.
                client.sendWhatItTakes(bytes).breakOff();
            }
            case 2 -> { // Sends all, reads some, leaves with an error.
                client.sendWhatItTakes(bytes);
                client.some(random.nextInt(1, 1000));
                client.breakOff();
            }
            default -> { // Sends all in two pieces, and reads all.
                int split = Math.min(random.nextInt(bytes.length), 60_000);
                client.send(Arrays.copyOf(bytes, split));
                Thread sender =
                        Thread.ofPlatform()
                                .start(
                                        () ->
                                                client.sendWhatItTakes(
                                                        Arrays.copyOfRange(
                                                                bytes, split, bytes.length)));
                for (int length : lengths) {
                    RawClient.Answer answer = client.read();
                    if (answer.status() != 200 || answer.body().length != length) {
                        wrong.incrementAndGet();
                    }
                }
                join(sender);
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

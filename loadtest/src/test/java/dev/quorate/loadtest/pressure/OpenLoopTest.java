package dev.quorate.loadtest.pressure;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch stuck = new CountDownLatch(1);
    private HttpServer server;
    private volatile int everySoManyRefused = Integer.MAX_VALUE;
    private volatile boolean answersNobody;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        stuck.countDown();
        server.stop(0);
        executor.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try {
            exchange.getRequestBody().readAllBytes();
            if (answersNobody) {
                stuck.await();
            }
            boolean refused = requests.incrementAndGet() % everySoManyRefused == 0;
            if (refused) {
                exchange.getResponseHeaders().add("Retry-After", "1");
            }
            exchange.sendResponseHeaders(refused ? 503 : 201, -1);
            exchange.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void staticAnswersAreAskedForBesideTheLoadAndCountedByThemselves() throws IOException {
        try (OpenLoop load = new OpenLoop(server.getAddress(), 2)) {
            load.askBeside();
            Phase phase = load.runWhile(Requests.fill("2/3", 10, 1), 1, () -> requests.get() < 50);
            assertThat(phase.count(201)).isEqualTo(1);
            assertThat(load.beside().count(201)).isEqualTo(requests.get() - 1);
            assertThat(load.beside().served().millis(0.99)).isPositive();
        }
    }

    @Test
    void asManyAreSentAsAreWantedAndAllAnswersCounted() throws IOException {
        everySoManyRefused = 4;
        try (OpenLoop load = new OpenLoop(server.getAddress(), 4)) {
            Phase phase = load.run(Requests.fill("2/3", 10, 1), 0, Duration.ofSeconds(60), 100);
            assertThat(requests).hasValue(100);
            assertThat(phase.count(201)).isEqualTo(75);
            assertThat(phase.count(503)).isEqualTo(25);
            assertThat(phase.withoutRetryAfter()).isZero();
            assertThat(phase.lost()).isZero();
            assertThat(phase.served().count()).isEqualTo(75);
            assertThat(phase.refused().count()).isEqualTo(25);
        }
    }

    @Test
    void whatNoConnectionIsFreeForIsNotSentAndWhatIsNotAnsweredIsLost() throws IOException {
        answersNobody = true;
        try (OpenLoop load = new OpenLoop(server.getAddress(), 2)) {
            Phase phase = load.run(Requests.gets("2/3", 10, 1), 100, Duration.ofSeconds(1));
            assertThat(phase.lost()).isEqualTo(2);
            assertThat(phase.unsent()).isGreaterThan(50);
            assertThat(phase.goodput()).isZero();
        }
    }

    @Test
    void aConnectionThatIsClosedIsReplaced() throws IOException {
        try (OpenLoop load = new OpenLoop(server.getAddress(), 1)) {
            Phase phase =
                    load.run(
                            () ->
                                    Requests.bytes(
                                            "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
                            0,
                            Duration.ofSeconds(60),
                            3);
            // The server does not say that it closes, so that a request may cross with that.
            assertThat(phase.count(201) + phase.lost()).isEqualTo(3);
        }
    }
}

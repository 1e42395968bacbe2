package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.ConnectionLimits;
import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A selector is stuck with the lock of a connection. The threads that serve all connections go on:
 * the timer's, the acceptor's, and the one that closes the listener.
 */
@Timeout(60)
class SharedThreadsTest {

    private final ManualTime time = new ManualTime();
    private final CountDownLatch stuck = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private HttpListener listener;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        listener =
                HttpListener.start(
                        new ListeningPort("127.0.0.1", 0, 1, "test", this::engine, () -> true),
                        HttpLimits.defaults()
                                .withConnections(
                                        ConnectionLimits.ofTls(100, 100, 4, Duration.ofSeconds(5))),
                        (request, exchange) ->
                                exchange.respond(new HttpResponse(200, List.of(), new byte[0])),
                        new ByteBudget(64 << 20),
                        time,
                        time);
        client = new RawClient(listener.port());
        client.send(new byte[] {22, 3, 1, 0, 1});
        assertThat(stuck.await(20, TimeUnit.SECONDS)).isTrue();
    }

    /** Called with the lock held. */
    private SSLEngine engine() {
        stuck.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new IllegalStateException("on purpose");
    }

    @AfterEach
    void stop() throws IOException {
        released.countDown();
        client.close();
        listener.close();
    }

    @Test
    void theTimerDoesNotWaitForIt() {
        int[] ticks = {0};
        time.every(HttpDeadlines.SWEEP, () -> ticks[0]++);
        time.advance(Duration.ofSeconds(60));
        assertThat(ticks[0]).isEqualTo(120);
    }

    @Test
    void draining() {
        var drained = listener.drain();
        time.advance(Duration.ofSeconds(10));
        assertThat(drained).as("it may be answering").isNotDone();
        released.countDown();
        await().until(
                        () -> {
                            time.advanceMillis(50);
                            return drained.isDone();
                        });
    }

    /** Four unauthenticated connections are allowed: the oldest has to go, and is stuck. */
    @Test
    void theAcceptorDoesNotWaitForIt() throws IOException {
        RawClient[] others = new RawClient[10];
        for (int i = 0; i < others.length; i++) {
            others[i] = new RawClient(listener.port());
        }
        await().until(() -> listener.statistics().accepted.sum() == 1 + others.length);
        for (RawClient other : others) {
            other.close();
        }
    }
}

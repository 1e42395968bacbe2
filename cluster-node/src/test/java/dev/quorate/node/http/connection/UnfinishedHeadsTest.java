package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Heads that do not end, from many clients at once, in a heap of 128 MB. */
final class UnfinishedHeadsTest {

    private static final int CLIENTS = 600;

    /** As much as one head may have, nearly: 14 MB all together. */
    private static final String LONG_HEAD =
            "GET /" + "k".repeat(8_000) + " HTTP/1.1\r\nHost: x\r\nA: ";

    private final ManualTime time = new ManualTime();
    private final List<RawClient> clients = new ArrayList<>();
    private StoringServer server;

    @BeforeEach
    void start() throws IOException {
        server = StoringServer.start(HttpLimits.defaults(), time);
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        await().until(server.listener::openConnections, equalTo(0));
        assertThat(server.listener.headBytes()).isZero();
        server.close();
    }

    private RawClient client() throws IOException {
        RawClient client = server.client();
        clients.add(client);
        return client;
    }

    private void sendUnfinished(int count, String head) throws IOException {
        for (int i = 0; i < count; i++) {
            client().sendWhatItTakes(head.getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Test
    void longHeadsStayWithinTheirBudgetAndBlockNoOthers() throws IOException {
        sendUnfinished(CLIENTS, LONG_HEAD + "x".repeat(15_000));
        await().until(() -> server.listener.statistics().bytesRead.sum() > CLIENTS * 20_000L);
        assertThat(server.listener.headBytes())
                .isLessThanOrEqualTo(HttpLimits.defaults().budgets().headBytes());
        // A request in one piece needs nothing of it.
        RawClient whole = client().send("GET /status HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(whole.read().status()).isEqualTo(200);
        int refused = 0;
        for (RawClient client : clients) {
            if (client != whole && client.hasAnswer()) {
                assertThat(client.read().status()).isEqualTo(503);
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(CLIENTS / 4);
        // Those who hold it give way within seconds, and then others have room.
        for (int i = 0; i < 6; i++) {
            time.advance(Duration.ofMillis(500));
        }
        RawClient inPieces = client().send("GET /status HTTP/1.1\r\nHost: x\r\n");
        await().until(() -> server.listener.headBytes() > 0);
        assertThat(inPieces.send("\r\n").read().status()).isEqualTo(200);
    }

    @Test
    void shortOnesOfThousandsHaveRoom() throws IOException {
        String head = "GET /status HTTP/1.1\r\nHost: x\r\n";
        sendUnfinished(CLIENTS, head);
        long sent = (long) CLIENTS * head.length();
        await().until(() -> server.listener.statistics().bytesRead.sum() >= sent);
        assertThat(server.listener.headBytes()).isLessThanOrEqualTo(CLIENTS * 512L);
        for (RawClient client : clients) {
            assertThat(client.send("\r\n").read().status()).isEqualTo(200);
        }
        assertThat(server.listener.headBytes()).as("nothing lasting").isZero();
    }
}

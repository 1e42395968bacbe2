package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A large body that stops coming, and others who want to write. */
final class StalledBodiesTest {

    private static final int MIB = 1 << 20;

    /** Nearly all that bodies may take. */
    private static final int STALLED_BYTES = 15 * MIB + 800_000;

    private final ManualTime time = new ManualTime();
    private final List<RawClient> clients = new ArrayList<>();
    private StoringServer server;

    @BeforeEach
    void start() throws IOException {
        server = StoringServer.start(HttpLimits.defaults().withBudgets(16 * MIB, 16 * MIB), time);
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        server.close();
    }

    private RawClient client() throws IOException {
        RawClient client = server.client();
        clients.add(client);
        return client;
    }

    /** Has sent so much of 16 MiB, and sends no more. */
    private RawClient stalled() throws IOException {
        RawClient client = client();
        long before = server.listener.statistics().bytesRead.sum();
        client.send(put("stalled", 16 * MIB)).send(new byte[STALLED_BYTES]);
        await().until(() -> server.listener.statistics().bytesRead.sum() >= before + STALLED_BYTES);
        return client;
    }

    private static byte[] put(String id, int length) {
        return ParserTranscript.bytes(
                "PUT /" + id + " HTTP/1.1|Host: x|Content-Length: " + length + "||");
    }

    private int putStatus(int length) throws IOException {
        RawClient client = client().send(put("other", length)).sendWhatItTakes(new byte[length]);
        return client.read().status();
    }

    /** Sends a PUT from another thread, as its body is not read at once. */
    private RawClient waitingPut(int length) throws IOException {
        RawClient client = client();
        int before = server.listener.context.bodyQueue.waiting();
        Thread sender =
                Thread.ofVirtual()
                        .start(
                                () ->
                                        client.sendWhatItTakes(put("other", length))
                                                .sendWhatItTakes(new byte[length]));
        assertThat(sender).isNotNull();
        await().until(() -> server.listener.context.bodyQueue.waiting() > before);
        return client;
    }

    @Test
    void doesNotKeepSmallBodiesOut() throws IOException {
        stalled();
        assertThat(putStatus(5)).isEqualTo(201);
        assertThat(putStatus(60_000)).isEqualTo(201);
    }

    @Test
    void givesWayWithinSecondsToALargeOne() throws IOException {
        RawClient stalled = stalled();
        for (int second = 0; second < 4; second++) {
            time.advance(Duration.ofSeconds(1));
        }
        RawClient waiting = waitingPut(4 * MIB);
        time.advance(Duration.ofMillis(500));
        assertThat(stalled.read().status()).isEqualTo(408);
        assertThat(waiting.read().status()).isEqualTo(201);
        assertThat(putStatus(4 * MIB)).isEqualTo(201);
        time.advance(Duration.ofSeconds(3));
        await().untilAsserted(() -> assertThat(server.listener.inputBytes()).isZero());
    }
}

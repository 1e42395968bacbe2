package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.runtime.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that take their time, in time that the test moves. */
final class SlowClientsTest {

    private final ManualTime time = new ManualTime();
    private final List<AutoCloseable> open = new ArrayList<>();
    private StoringServer server;

    @BeforeEach
    void start() throws IOException {
        server = StoringServer.start(HttpLimits.defaults(), time);
        open.add(server);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    private RawClient client() throws IOException {
        RawClient client = server.client();
        open.add(client);
        return client;
    }

    /** Sends, and waits until the server has read it: from then on only time matters. */
    private void send(RawClient client, String text) throws IOException {
        long before = server.listener.statistics().bytesRead.sum();
        byte[] bytes = ParserTranscript.bytes(text);
        client.send(bytes);
        await().pollInterval(Duration.ofMillis(2))
                .until(
                        () -> server.listener.statistics().bytesRead.sum(),
                        equalTo(before + bytes.length));
    }

    private void advance(int seconds) {
        time.advance(Duration.ofSeconds(seconds));
    }

    @Test
    void aHeadHasToBeCompleteInTenSeconds() throws IOException {
        RawClient client = client();
        send(client, "GET /v0/sta");
        for (int i = 0; i < 9; i++) {
            advance(1);
            send(client, "x"); // Any progress there is does not help.
        }
        assertThat(server.listener.openConnections()).isEqualTo(1);
        advance(2);
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(408);
        assertThat(answer.header("connection")).isEqualTo("close");
        assertThat(client.isAtEnd()).isTrue();
        assertThat(server.listener.statistics().rejected(Rejection.DEADLINE)).isEqualTo(1);
        advance(3);
        assertThat(server.listener.openConnections()).isZero();
    }

    @Test
    void aBodyHasToKeepAPace() throws IOException {
        RawClient slow = client();
        send(slow, "PUT /slow HTTP/1.1|Host: x|Content-Length: 1000||a");
        RawClient steady = client();
        send(steady, "PUT /steady HTTP/1.1|Host: x|Content-Length: 6553600||");
        for (int i = 0; i < 50; i++) {
            send(steady, "x".repeat(65_536));
            advance(1);
        }
        assertThat(slow.read().status()).isEqualTo(408);
        assertThat(slow.isAtEnd()).isTrue();
        for (int i = 0; i < 50; i++) {
            send(steady, "x".repeat(65_536));
            advance(1);
        }
        assertThat(steady.read().status()).isEqualTo(201);
        assertThat(server.values).hasSize(1);
        assertThat(server.listener.inputBytes()).isZero();
    }

    @Test
    void anIdleConnectionIsClosedWithoutAWord() throws IOException {
        RawClient fresh = client();
        await().until(server.listener::openConnections, equalTo(1));
        RawClient used = client();
        send(used, "GET /status HTTP/1.1|Host: x||");
        assertThat(used.read().status()).isEqualTo(200);
        advance(70);
        assertThat(server.listener.openConnections()).isEqualTo(2);
        send(used, "GET /status HTTP/1.1|Host: x||");
        assertThat(used.read().status()).isEqualTo(200);
        advance(6);
        assertThat(fresh.isAtEnd()).isTrue();
        assertThat(server.listener.openConnections()).isEqualTo(1);
        advance(70);
        assertThat(used.isAtEnd()).isTrue();
    }

    @Test
    void aReaderThatDoesNotReadLosesItsAnswer() throws IOException {
        RawClient writer = client();
        int length = 12 << 20;
        writer.send(
                ParserTranscript.bytes(
                        "PUT /big HTTP/1.1|Host: x|Content-Length: " + length + "||"));
        writer.send(new byte[length]);
        assertThat(writer.read().status()).isEqualTo(201);
        RawClient reader = client();
        send(reader, "GET /big HTTP/1.1|Host: x||");
        await().until(server.listener::outputBytes, equalTo((long) length));
        advance(29);
        assertThat(server.listener.outputBytes()).isEqualTo(length);
        advance(2);
        assertThat(server.listener.outputBytes()).isZero();
        assertThatExceptionOfType(IOException.class).isThrownBy(reader::read);
        assertThat(server.listener.statistics().rejected(Rejection.DEADLINE)).isEqualTo(1);
    }

    @Test
    void manyThatOnlyDripDoNotKeepOthersFromBeingServed() throws IOException {
        List<RawClient> dripping = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            RawClient client = client();
            client.send("PUT /drip HTTP/1.1\r\nHost: x\r\nContent-Le");
            dripping.add(client);
        }
        await().until(server.listener::openConnections, equalTo(500));
        RawClient normal = client();
        send(normal, "GET /status HTTP/1.1|Host: x||");
        assertThat(normal.read().status()).isEqualTo(200);
        advance(11);
        for (RawClient client : dripping) {
            assertThat(client.read().status()).isEqualTo(408);
        }
        advance(3);
        assertThat(server.listener.openConnections()).isEqualTo(1);
        assertThat(server.writes).hasValue(0);
    }

    @Test
    void aRefusedClientThatContinuesToSendIsCutOff() throws Exception {
        RawClient client = client();
        client.send("nonsense\r\n");
        assertThat(client.read().status()).isEqualTo(400);
        assertThat(client.isAtEnd()).isTrue();
        client.send(new byte[100_000]);
        assertThat(server.listener.openConnections()).isEqualTo(1);
        // The client may see the end of the stream before the listener starts its timer.
        await().until(
                        () -> {
                            advance(3);
                            return server.listener.openConnections();
                        },
                        equalTo(0));
    }
}

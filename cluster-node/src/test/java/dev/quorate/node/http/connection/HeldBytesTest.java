package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.node.http.parse.ParserTranscript;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What many clients do together to the memory of a node that has 128 MB. */
final class HeldBytesTest {

    private static final int CLIENTS = 1000;

    @Test
    void aThousandClientsThatDeclareSixteenMebibytesEachCostWhatTheySend() throws Exception {
        try (StoringServer server = StoringServer.start()) {
            List<RawClient> clients = new ArrayList<>();
            byte[] head =
                    ParserTranscript.bytes("PUT /a HTTP/1.1|Host: x|Content-Length: 16777216||");
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(server.client().send(head).send(new byte[5000]));
            }
            // One has room at most; the others cost what was read with their heads.
            await().until(
                            () ->
                                    server.listener.statistics().bytesRead.sum()
                                            >= (long) CLIENTS * head.length);
            assertThat(server.listener.inputBytes()).isLessThan(CLIENTS * 20_000L);
            assertThat(server.listener.headBytes())
                    .isLessThanOrEqualTo(HttpLimits.defaults().budgets().headBytes());
            assertThat(server.listener.openConnections()).isEqualTo(CLIENTS);

            // Each sends 200 KB more: 200 MB, of which the budget lets a part in.
            int refused = 0;
            for (RawClient client : clients) {
                client.sendWhatItTakes(new byte[200_000]);
            }
            HttpLimits limits = HttpLimits.defaults();
            assertThat(server.listener.inputBytes())
                    .isLessThanOrEqualTo(
                            limits.budgets().bodyBytes() + limits.budgets().smallBodyBytes());
            await().until(() -> server.listener.statistics().rejected(Rejection.BYTES) > 500);
            try (RawClient other = server.client()) {
                other.send(ParserTranscript.bytes("GET /status HTTP/1.1|Host: x||"));
                assertThat(other.read().status()).isEqualTo(200);
            }
            for (RawClient client : clients) {
                if (client.hasAnswer()) {
                    Answer answer = client.read();
                    // Or it gave way to others, since it stood still.
                    assertThat(answer.status()).isIn(503, 408);
                    if (answer.status() == 503) {
                        assertThat(answer.header("retry-after")).isEqualTo("1");
                    }
                    assertThat(client.isAtEnd()).isTrue();
                    refused++;
                }
                client.close();
            }
            assertThat(refused).isBetween(500, CLIENTS);
            await().until(server.listener::openConnections, equalTo(0));
            assertThat(server.listener.inputBytes()).isZero();
            assertThat(server.writes).hasValue(0);
        }
    }

    /** Each a few bytes, and then nothing for a while: that must not keep others from writing. */
    @Test
    void thousandsOfBodiesThatHaveHardlyBegunLeaveRoomForOthers() throws Exception {
        try (StoringServer server =
                StoringServer.start(HttpLimits.defaults().withBudgets(16 << 20, 16 << 20))) {
            List<RawClient> clients = new ArrayList<>();
            byte[] head =
                    ParserTranscript.bytes("PUT /a HTTP/1.1|Host: x|Content-Length: 1000000||abc");
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(server.client().send(head));
            }
            await().until(
                            () -> server.listener.statistics().bytesRead.sum(),
                            equalTo((long) CLIENTS * head.length));
            assertThat(server.listener.inputBytes()).isLessThan(CLIENTS * 1_000L);
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void unreadLargeAnswersAreBounded() throws Exception {
        HttpLimits limits = HttpLimits.defaults().withBudgets(32 << 20, 30 << 20);
        try (StoringServer server = StoringServer.start(limits)) {
            int length = 8 << 20;
            try (RawClient writer = server.client()) {
                writer.send(
                        ParserTranscript.bytes(
                                "PUT /big HTTP/1.1|Host: x|Content-Length: " + length + "||"));
                writer.send(new byte[length]);
                assertThat(writer.read().status()).isEqualTo(201);
            }
            byte[] get = ParserTranscript.bytes("GET /big HTTP/1.1|Host: x||");
            List<RawClient> readers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                readers.add(server.client().send(get));
            }
            await().until(() -> server.listener.statistics().requests.sum(), equalTo(21L));
            assertThat(server.listener.outputBytes()).isEqualTo(3L * length);
            int served = 0;
            for (RawClient reader : readers) {
                Answer answer = reader.read();
                if (answer.status() == 200) {
                    assertThat(answer.body()).hasSize(length);
                    served++;
                } else {
                    assertThat(answer.status()).isEqualTo(503);
                    assertThat(answer.header("retry-after")).isEqualTo("1");
                    // The connection is as good as before.
                    assertThat(
                                    reader.send(
                                                    ParserTranscript.bytes(
                                                            "GET /status HTTP/1.1|Host: x||"))
                                            .read()
                                            .status())
                            .isEqualTo(200);
                }
            }
            assertThat(served).isEqualTo(3);
            await().until(server.listener::outputBytes, equalTo(0L));
            for (RawClient reader : readers) {
                reader.close();
            }
        }
    }

    @Test
    void keptSmallConnectionsCostLittle() throws IOException {
        try (StoringServer server = StoringServer.start()) {
            List<RawClient> clients = new ArrayList<>();
            byte[] get = ParserTranscript.bytes("GET /status HTTP/1.1|Host: x||");
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(server.client().send(get));
            }
            for (RawClient client : clients) {
                assertThat(client.read().status()).isEqualTo(200);
            }
            assertThat(server.listener.inputBytes()).isZero();
            assertThat(server.listener.outputBytes()).isZero();
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}

package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.node.http.parse.MalformedRequests;
import dev.quorate.node.http.parse.MalformedRequests.Row;
import dev.quorate.node.http.parse.ParserTranscript;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Malformed and hostile requests over real sockets: each gets exactly one answer and a closed
 * connection, has no effect, and leaves the server as it was.
 */
final class HostileClientsTest {

    private static final String SMUGGLED = "DELETE /victim HTTP/1.1|Host: x||";
    private static final String NORMAL = "GET /victim HTTP/1.1|Host: x||";

    private static StoringServer server;
    private static int writes;

    @BeforeAll
    static void start() throws IOException {
        server = StoringServer.start();
        try (RawClient client = server.client()) {
            client.send(
                    ParserTranscript.bytes(
                            "PUT /victim HTTP/1.1|Host: x|Content-Length: 5||alive"));
            assertThat(client.read().status()).isEqualTo(201);
        }
        writes = server.writes.get();
    }

    @AfterAll
    static void stop() {
        assertThat(server.listener.inputBytes()).isZero();
        server.close();
    }

    static List<Row> malformed() {
        return MalformedRequests.all();
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void oneAnswerAClosedConnectionAndNoEffect(Row row) throws IOException {
        try (RawClient client = server.client()) {
            client.send(ParserTranscript.bytes(NORMAL));
            assertThat(client.read().text()).isEqualTo("alive");
            client.sendWhatItTakes(ParserTranscript.bytes(row.input() + SMUGGLED));
            Answer answer = client.read();
            assertThat(answer.status()).isEqualTo(row.status());
            assertThat(answer.header("connection")).isEqualTo("close");
            assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
            assertThat(answer.text()).contains("\"status\":" + row.status());
            assertThat(client.isAtEnd()).isTrue();
        }
        assertUnharmed();
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void theAnswerDoesNotDependOnThePiecesOfTheRequest(Row row) throws IOException {
        byte[] bytes = ParserTranscript.bytes(row.input());
        try (RawClient client = server.client()) {
            client.sendWhatItTakes(bytes);
            Answer answer = client.read();
            assertThat(answer.status()).isEqualTo(row.status());
            assertThat(client.isAtEnd()).isTrue();
            client.sendWhatItTakes(ParserTranscript.bytes(SMUGGLED.repeat(3)));
        }
        assertUnharmed();
    }

    private static void assertUnharmed() throws IOException {
        assertThat(server.writes).hasValue(writes);
        try (RawClient client = server.client()) {
            client.send(ParserTranscript.bytes(NORMAL));
            assertThat(client.read().text()).isEqualTo("alive");
        }
    }

    @Test
    void aBodyThatReadsLikeARequestIsABody() throws IOException {
        String victim = SMUGGLED.replace("|", "\r\n");
        try (RawClient client = server.client()) {
            client.send(
                    "PUT /trap HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                            + "\r\n"
                            + Integer.toHexString(victim.length())
                            + "\r\n"
                            + victim
                            + "\r\n0\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(201);
            client.send(
                    "PUT /trap HTTP/1.1\r\nHost: x\r\nContent-Length: "
                            + victim.length()
                            + "\r\n\r\n"
                            + victim);
            assertThat(client.read().status()).isEqualTo(201);
            client.send(ParserTranscript.bytes("GET /trap HTTP/1.1|Host: x||"));
            assertThat(client.read().text()).isEqualTo(victim);
        }
        writes += 2;
        assertUnharmed();
    }

    @Test
    void aRequestThatEndsInTheMiddleIsNotDone() throws IOException {
        for (String half :
                List.of(
                        "DELETE /victim HTTP/1.1|Host: x|",
                        "PUT /victim HTTP/1.1|Host: x|Content-Length: 9||dead",
                        "PUT /victim HTTP/1.1|Host: x|Transfer-Encoding: chunked||" + "4|dead|",
                        "PUT /victim HTTP/1.1|Host: x|Transfer-Encoding: chunked||"
                                + "4|dead|0|")) {
            try (RawClient client = server.client()) {
                client.send(ParserTranscript.bytes(half)).finish();
                assertThat(client.read().status()).isEqualTo(400);
                assertThat(client.isAtEnd()).isTrue();
            }
            assertUnharmed();
        }
    }

    @Test
    void aClientThatIsRefusedWhileItSendsMuchStillReadsWhy() throws IOException {
        byte[] head =
                ParserTranscript.bytes("PUT /victim HTTP/1.1|Host: x|Content-Length: 30000000||");
        try (RawClient client = server.client()) {
            client.send(head);
            client.sendWhatItTakes(new byte[8 << 20]);
            assertThat(client.read().status()).isEqualTo(413);
            assertThat(client.isAtEnd()).isTrue();
        }
        assertUnharmed();
    }

    @Test
    void aHundredThousandPipelinedRequestsAreAnsweredInOrderWhileTheClientReads() throws Exception {
        int count = 100_000;
        byte[] request =
                "GET /victim HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        try (RawClient client = server.client()) {
            Thread sender =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < count / 100; i++) {
                                            client.sendWhatItTakes(repeat(request, 100));
                                        }
                                    });
            for (int i = 0; i < count; i++) {
                Answer answer = client.read();
                assertThat(answer.status()).isEqualTo(200);
            }
            sender.join();
        }
        assertUnharmed();
    }

    private static byte[] repeat(byte[] bytes, int times) {
        byte[] all = new byte[bytes.length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(bytes, 0, all, i * bytes.length, bytes.length);
        }
        return all;
    }
}

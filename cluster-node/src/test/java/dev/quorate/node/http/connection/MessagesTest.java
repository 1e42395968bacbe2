package dev.quorate.node.http.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that were upgraded, over real sockets: the JDK's client, and one that misbehaves. */
final class MessagesTest {

    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private static final String HANDSHAKE = handshake("websocket", "13", KEY);

    private final ExecutorScheduler scheduler = new ExecutorScheduler("timer");
    private final HttpClient http = HttpClient.newHttpClient();
    private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
    private HttpListener listener;

    private static String handshake(String upgrade, String version, String key) {
        return lines(
                "GET /messages HTTP/1.1",
                "Host: x",
                "Connection: Upgrade",
                "Upgrade: " + upgrade,
                "Sec-WebSocket-Version: " + version,
                "Sec-WebSocket-Key: " + key);
    }

    private static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\n\r\n";
    }

    /** Answers a message with itself, and status 200 or, if it begins with a dot, 409. */
    private static void echo(HttpRequest request, HttpExchange exchange) {
        byte[] body = request.body();
        if (request.method().equals("GET")) {
            exchange.upgrade(request);
        } else {
            assertThat(request.path()).isEqualTo("/messages");
            int status = body.length > 0 && body[0] == '.' ? 409 : 200;
            exchange.respond(new HttpResponse(status, List.of("X-Left: out"), body));
        }
    }

    @BeforeEach
    void listen() throws IOException {
        HttpLimits limits = HttpLimits.defaults().withMaxBodyBytes(1 << 20);
        listener =
                TestListener.start(2, limits, MessagesTest::echo, SystemTicker.INSTANCE, scheduler);
    }

    @AfterEach
    void close() {
        listener.close();
        http.shutdownNow();
        scheduler.close();
    }

    private final class Listener implements WebSocket.Listener {
        private final ByteArrayOutputStream parts = new ByteArrayOutputStream();

        @Override
        public @Nullable CompletionStage<?> onBinary(
                WebSocket socket, ByteBuffer part, boolean isEnd) {
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            parts.writeBytes(bytes);
            if (isEnd) {
                answers.add(parts.toByteArray());
                parts.reset();
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            answers.add(("closed " + code).getBytes(US_ASCII));
            return null;
        }
    }

    private WebSocket socket() {
        return http.newWebSocketBuilder()
                .buildAsync(
                        URI.create("ws://127.0.0.1:" + listener.port() + "/messages"),
                        new Listener())
                .join();
    }

    private byte[] answer() throws InterruptedException {
        byte[] answer = answers.poll(20, SECONDS);
        assertThat(answer).as("an answer in time").isNotNull();
        return answer;
    }

    private static byte[] withStatus(int status, byte[] body) {
        return ByteBuffer.allocate(2 + body.length).putShort((short) status).put(body).array();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 123, 124, 125, 126, 65_533, 65_534, 65_536, 1 << 20})
    void messagesAreRequestsAndTheirAnswersMessages(int length) throws InterruptedException {
        WebSocket socket = socket();
        byte[] message = new byte[length];
        new Random(length).nextBytes(message);
        message = length > 0 && message[0] == '.' ? new byte[length] : message;
        for (int i = 0; i < 3; i++) {
            var _ = socket.sendBinary(ByteBuffer.wrap(message), true).join();
            assertThat(answer()).isEqualTo(withStatus(200, message));
        }
        assertThat(listener.openConnections()).isEqualTo(1);
        await().until(listener::inputBytes, equalTo(0L));
        await().until(listener::outputBytes, equalTo(0L));
    }

    @Test
    void theStatusTravelsWithTheAnswer() throws InterruptedException {
        var _ = socket().sendBinary(ByteBuffer.wrap(".no".getBytes(US_ASCII)), true).join();
        assertThat(answer()).isEqualTo(withStatus(409, ".no".getBytes(US_ASCII)));
    }

    @Test
    void theLastAnswerOfADrainingListenerClosesItsConnection() throws InterruptedException {
        WebSocket socket = socket();
        var _ = listener.drain();
        var _ = socket.sendBinary(ByteBuffer.wrap(new byte[] {1}), true).join();
        assertThat(answer()).isEqualTo(withStatus(200 | 0x8000, new byte[] {1}));
        await().until(listener::openConnections, equalTo(0));
    }

    @Test
    void theCodeOfTheCloseFrameNamesTheError() throws InterruptedException {
        var _ = socket().sendText("text", true).join();
        assertThat(new String(answer(), US_ASCII)).isEqualTo("closed 1002");
        var _ = socket().sendBinary(ByteBuffer.wrap(new byte[(1 << 20) + 1]), true);
        assertThat(new String(answer(), US_ASCII)).isEqualTo("closed 1009");
        await().until(listener::inputBytes, equalTo(0L));
    }

    /** The example of RFC 6455, section 1.3. */
    @Test
    void theHandshakeIsThatOfTheStandard() throws IOException {
        try (RawClient client = new RawClient(listener.port())) {
            client.send(HANDSHAKE);
            byte[] expected =
                    lines(
                                    "HTTP/1.1 101 Switching Protocols",
                                    "Upgrade: websocket",
                                    "Connection: Upgrade",
                                    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
                            .getBytes(US_ASCII);
            assertThat(client.exactly(expected.length)).isEqualTo(expected);
            // Behind it, a message of two bytes, masked with zeros; and its echo.
            client.send(new byte[] {(byte) 0x82, (byte) 0x82, 0, 0, 0, 0, 'h', 'i'});
            assertThat(client.exactly(6))
                    .isEqualTo(new byte[] {(byte) 0x82, 4, 0, (byte) 200, 'h', 'i'});
        }
    }

    /** A message in the same packet as the handshake is not taken for a request. */
    @Test
    void messagesMayFollowTheHandshakeAtOnce() throws IOException {
        try (RawClient client = new RawClient(listener.port())) {
            byte[] handshake = HANDSHAKE.getBytes(US_ASCII);
            byte[] both = Arrays.copyOf(handshake, handshake.length + 7);
            System.arraycopy(
                    new byte[] {(byte) 0x82, (byte) 0x81, 0, 0, 0, 0, 'x'},
                    0,
                    both,
                    handshake.length,
                    7);
            client.send(both);
            byte[] head = client.exactly(129);
            assertThat(new String(head, US_ASCII)).startsWith("HTTP/1.1 101 ").endsWith("\r\n\r\n");
            assertThat(client.exactly(5))
                    .isEqualTo(new byte[] {(byte) 0x82, 3, 0, (byte) 200, 'x'});
        }
    }

    @ParameterizedTest
    @CsvSource({
        "h2c, 13, " + KEY,
        "websocket, 12, " + KEY,
    })
    void otherRequestsGetA426AndTheConnectionStaysOpen(String upgrade, String version, String key)
            throws IOException {
        try (RawClient client = new RawClient(listener.port())) {
            client.send(handshake(upgrade, version, key));
            RawClient.Answer answer = client.read();
            assertThat(answer.status()).isEqualTo(426);
            assertThat(answer.header("upgrade")).isEqualTo("websocket");
            client.send(lines("POST /messages HTTP/1.1", "Host: x", "Content-Length: 2") + "hi");
            assertThat(client.read().text()).isEqualTo("hi");
        }
    }

    /** RFC 6455, section 4.2.1. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Sec-WebSocket-Key: c2hvcnQ=",
                "Sec-WebSocket-Key: !",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ",
                "X-No-Key: at all",
                "Sec-WebSocket-Key: " + KEY + "\r\nSec-WebSocket-Key: " + KEY
            })
    void aHandshakeNeedsOneKeyOfSixteenBytes(String key) throws IOException {
        try (RawClient client = new RawClient(listener.port())) {
            client.send(
                    lines(
                            "GET /messages HTTP/1.1",
                            "Host: x",
                            "Connection: keep-alive, Upgrade",
                            "Upgrade: websocket",
                            "Sec-WebSocket-Version: 13",
                            key));
            assertThat(client.read().status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /messages HTTP/1.1\r\nHost: x",
                "GET /messages HTTP/1.1\r\nHost: x\r\nConnection: keep-alive",
                "GET /messages HTTP/1.0\r\nConnection: Upgrade"
            })
    void aRequestWithoutAnUpgradeGetsA426(String head) throws IOException {
        try (RawClient client = new RawClient(listener.port())) {
            client.send(
                    lines(
                            head,
                            "Upgrade: websocket",
                            "Sec-WebSocket-Version: 13",
                            "Sec-WebSocket-Key: " + KEY));
            assertThat(client.read().status()).isEqualTo(426);
        }
    }
}

package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.ConnectionLimits;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.tls.TestCa;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A port with TLS: every client by a connection of the JDK's or by bytes of its own. */
final class TlsListenerTest {

    private static final int MAX_BODY = 8 << 20;
    private static final int MAX_HANDSHAKES = 16;

    private static TestCa ca;
    private static TestCa otherCa;
    private static TlsContext context;

    private final ByteBudget memory = new ByteBudget(256 << 20);
    private ExecutorScheduler scheduler;
    private HttpListener listener;

    @BeforeAll
    static void issue(@TempDir Path folder) throws Exception {
        ca = new TestCa(folder.resolve("ca"));
        otherCa = new TestCa(folder.resolve("other"));
        context = TlsContext.of(ca.issue("dns:localhost,ip:127.0.0.1"));
    }

    @BeforeEach
    void start() throws IOException {
        scheduler = new ExecutorScheduler("timer");
        listener =
                HttpListener.start(
                        new ListeningPort(
                                "127.0.0.1", 0, 2, "test", context::forClient, () -> true),
                        HttpLimits.defaults()
                                .withMaxBodyBytes(MAX_BODY)
                                .withBudgets(32 << 20, 32 << 20)
                                .withConnections(
                                        ConnectionLimits.ofTls(
                                                1_000,
                                                1_000,
                                                MAX_HANDSHAKES,
                                                Duration.ofSeconds(5))),
                        (request, exchange) ->
                                exchange.respond(
                                        new HttpResponse(200, List.of(), request.body().clone())),
                        memory,
                        SystemTicker.INSTANCE,
                        scheduler);
    }

    @AfterEach
    void stop() {
        listener.close();
        scheduler.close();
    }

    private SSLSocket connect(TestCa trusted) throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        trusted.client()
                                .getSocketFactory()
                                .createSocket("127.0.0.1", listener.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void send(Socket socket, byte[] body) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(
                ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        out.flush();
    }

    private static byte[] receive(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("cut off: " + head.toString(StandardCharsets.US_ASCII));
            }
            head.write(next);
        }
        String text = head.toString(StandardCharsets.US_ASCII);
        assertThat(text).startsWith("HTTP/1.1 200");
        int length = Integer.parseInt(text.replaceAll("(?s).*Content-Length: ([0-9]+).*", "$1"));
        return in.readNBytes(length);
    }

    /** Without a body, for which a client would be taken as known in any case. */
    private static void get(Socket socket) throws IOException {
        socket.getOutputStream()
                .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(receive(socket)).isEmpty();
    }

    private static byte[] random(int bytes) {
        byte[] body = new byte[bytes];
        new Random(bytes).nextBytes(body);
        return body;
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void bodiesOfAllSizesGoBothWays(String version) throws IOException {
        try (SSLSocket socket = connect(ca)) {
            socket.setEnabledProtocols(new String[] {version});
            for (int bytes : new int[] {0, 1, 16_384, 16_385, 100_000, 5_000_000}) {
                byte[] body = random(bytes);
                send(socket, body);
                assertThat(receive(socket)).isEqualTo(body);
            }
            assertThat(socket.getSession().getProtocol()).isEqualTo(version);
        }
        assertThat(listener.statistics().handshakes.sum()).isEqualTo(1);
        await().until(() -> listener.openConnections() == 0);
        assertThat(listener.inputBytes() + listener.headBytes() + listener.outputBytes()).isZero();
    }

    @Test
    void requestsThatComeTogetherAreAnsweredInOrder() throws IOException {
        try (SSLSocket socket = connect(ca)) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < 200; i++) {
                String body = "body " + i;
                all.writeBytes(
                        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: "
                                        + body.length()
                                        + "\r\n\r\n"
                                        + body)
                                .getBytes(StandardCharsets.US_ASCII));
            }
            socket.getOutputStream().write(all.toByteArray());
            for (int i = 0; i < 200; i++) {
                assertThat(new String(receive(socket), StandardCharsets.US_ASCII))
                        .isEqualTo("body " + i);
            }
        }
    }

    /** What the reader does not take waits encrypted in no more memory than one record has. */
    @Test
    void aSlowReaderGetsAllOfALargeAnswer() throws IOException {
        byte[] body = random(8_000_000);
        try (SSLSocket socket = connect(ca)) {
            Thread sender = Thread.ofPlatform().start(() -> sendAll(socket, body));
            await().until(() -> listener.outputBytes() > 0 || !sender.isAlive());
            assertThat(receive(socket)).isEqualTo(body);
        }
    }

    private static void sendAll(Socket socket, byte[] body) {
        try {
            send(socket, body);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Each byte of each record in a packet of its own. */
    @Test
    void recordsMayComeByteByByte() throws IOException {
        byte[] body = random(3_000);
        try (Socket plain = new Dripping("127.0.0.1", listener.port());
                SSLSocket socket =
                        (SSLSocket)
                                ca.client()
                                        .getSocketFactory()
                                        .createSocket(plain, "127.0.0.1", listener.port(), true)) {
            for (int i = 0; i < 3; i++) {
                send(socket, body);
                assertThat(receive(socket)).isEqualTo(body);
            }
        }
    }

    private static final class Dripping extends Socket {

        Dripping(String host, int port) throws IOException {
            super(host, port);
            setTcpNoDelay(true);
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int from, int count) throws IOException {
                    for (int i = from; i < from + count; i++) {
                        out.write(bytes[i]);
                        out.flush();
                    }
                }
            };
        }
    }

    @Test
    void aPlainRequestGetsAnAnswerThatPeopleCanRead() throws IOException {
        try (RawClient client = new RawClient(listener.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            RawClient.Answer answer = client.read(false);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("https://");
            assertThat(client.upTo(1)).isEmpty();
        }
    }

    @Test
    void oldVersionsAreRefused() throws IOException {
        // A ClientHello of TLS 1.1 with one cipher of that time; JDKs no longer send one.
        byte[] hello = {
            22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 0, 0, 2, 0, 47, 1, 0
        };
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(hello);
            byte[] answer = socket.getInputStream().readAllBytes();
            assertThat(answer).as("an alert").isNotEmpty();
            assertThat(answer[0]).isEqualTo((byte) 21);
        }
        assertThat(listener.statistics().failuresOfTls.sum()).isEqualTo(1);
    }

    @Test
    void aClientOfAnotherCaGivesUpAndTheNodeCountsIt() throws IOException {
        try (SSLSocket socket = connect(otherCa)) {
            assertThatThrownBy(socket::startHandshake)
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("PKIX");
        }
        await().until(() -> listener.statistics().failuresOfTls.sum() == 1);
    }

    /** It costs the node as much as a first handshake, and the client nearly nothing. */
    @Test
    void aSecondHandshakeIsRefused() throws IOException {
        try (SSLSocket socket = connect(ca)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            send(socket, random(10));
            receive(socket);
            assertThatThrownBy(
                            () -> {
                                socket.startHandshake();
                                send(socket, random(10));
                                receive(socket);
                            })
                    .isInstanceOf(IOException.class);
        }
        assertThat(listener.statistics().handshakes.sum()).isEqualTo(1);
    }

    @Test
    void garbageInRecordsEndsTheConnection() throws IOException {
        byte[] garbage = random(2_000);
        garbage[0] = 22;
        garbage[1] = 3;
        garbage[2] = 3;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(garbage);
            assertThat(socket.getInputStream().readAllBytes().length).isLessThan(100);
        }
        await().until(() -> listener.openConnections() == 0);
        assertThat(listener.headBytes()).isZero();
    }

    /** Handshakes that stop displace each other, and no one who is through. */
    @Test
    void handshakesThatStopAreBoundedInNumberAndTime() throws IOException {
        byte[] begun = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xFC, 3, 3};
        List<Socket> strangers = new ArrayList<>();
        try (SSLSocket known = connect(ca)) {
            get(known);
            for (int i = 0; i < 10 * MAX_HANDSHAKES; i++) {
                Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.port());
                stranger.getOutputStream().write(begun);
                strangers.add(stranger);
            }
            await().until(() -> listener.openConnections() <= MAX_HANDSHAKES + 1);
            get(known);
            try (SSLSocket next = connect(ca)) {
                send(next, random(10));
                assertThat(receive(next)).isEqualTo(random(10));
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> listener.openConnections() <= 2);
            get(known);
            assertThat(listener.headBytes()).isZero();
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    private static byte[] hello() throws Exception {
        SSLEngine engine = ca.client().createSSLEngine("localhost", 1);
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {"TLSv1.2"});
        ByteBuffer packet = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), packet);
        return Arrays.copyOf(packet.array(), packet.position());
    }

    /** Each costs the node more than the client, and none of them means anything. */
    @Test
    void anAlertBeforeTheEndOfAHandshakeClosesTheConnection() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(hello());
            assertThat(socket.getInputStream().read()).as("the handshake has begun").isEqualTo(22);
            socket.getOutputStream().write(new byte[] {21, 3, 3, 0, 2, 1, 90});
            byte[] rest = socket.getInputStream().readAllBytes();
            assertThat(rest[rest.length - 7]).as("an alert at the end").isEqualTo((byte) 21);
        }
        assertThat(listener.statistics().rejected(Rejection.TLS_RECORDS)).isEqualTo(1);
    }

    /** The beginning of a ClientHello, in fragments of one byte. */
    @Test
    void aHandshakeInTinyFragmentsIsRefused() throws Exception {
        byte[] hello = hello();
        ByteArrayOutputStream fragments = new ByteArrayOutputStream();
        for (int i = 5; i < hello.length; i++) {
            fragments.writeBytes(new byte[] {22, 3, 3, 0, 1, hello[i]});
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(fragments.toByteArray());
            assertThat(socket.getInputStream().readAllBytes().length).isLessThan(100);
        }
        assertThat(listener.statistics().failuresOfTls.sum()).isEqualTo(1);
    }

    /** A client of TLS 1.3 that asks for new keys again and again. */
    @Test
    void keyUpdatesAreLimited() {
        try (SSLSocket socket = connect(ca)) {
            get(socket);
            for (int i = 0; i < 100_000; i++) {
                socket.startHandshake();
            }
        } catch (IOException closed) {
            // By the listener. Not every client notices it before it has asked for all.
        }
        await().until(() -> listener.statistics().rejected(Rejection.TLS_RECORDS) == 1);
    }

    @Test
    void aFewKeyUpdatesAreAnswered() throws IOException {
        try (SSLSocket socket = connect(ca)) {
            for (int i = 0; i < 40; i++) {
                socket.startHandshake();
                get(socket);
            }
        }
        assertThat(listener.statistics().failuresOfTls.sum()).isZero();
    }

    @Test
    void theEndIsAnnounced() throws IOException {
        try (SSLSocket socket = connect(ca)) {
            socket.getOutputStream()
                    .write(
                            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab"
                                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(receive(socket)).isEqualTo("ab".getBytes(StandardCharsets.US_ASCII));
            // A connection that is cut off instead would throw.
            assertThat(Arrays.toString(socket.getInputStream().readAllBytes())).isEqualTo("[]");
        }
    }
}

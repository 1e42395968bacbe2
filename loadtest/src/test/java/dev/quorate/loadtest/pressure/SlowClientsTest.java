package dev.quorate.loadtest.pressure;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.quorate.loadtest.RawServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SlowClientsTest {

    private static final int CLIENTS = 5;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n";

    private static SlowClients.Result follow(RawServer server, SlowKind kind) throws IOException {
        return new SlowClients(server.address(), kind, clock()).run(CLIENTS);
    }

    /** On which a quarter of a second passes whenever somebody looks at it. */
    private static LongSupplier clock() {
        long[] nanos = {1};
        return () -> nanos[0] += TimeUnit.MILLISECONDS.toNanos(250);
    }

    @ParameterizedTest
    @EnumSource(names = {"HEADS", "BODIES"})
    void sendsAByteEachSecondUntilTheNodeCloses(SlowKind kind) throws IOException {
        String start = US_ASCII.decode(kind.start()).toString();
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        try (RawServer server =
                new RawServer(
                        socket -> {
                            byte[] bytes = socket.getInputStream().readNBytes(start.length() + 3);
                            seen.add(new String(bytes, US_ASCII));
                            socket.close();
                        })) {
            SlowClients.Result result = follow(server, kind);
            assertThat(result.closed()).isEqualTo(CLIENTS);
            assertThat(result.left() + result.refused()).isZero();
            assertThat(result.latestMillis()).isNegative();
            assertThat(seen).hasSize(CLIENTS).containsOnly(start + "xxx");
        }
    }

    @Test
    void connectionsThatANodeLeavesOpenAreCounted() throws IOException {
        try (RawServer server = new RawServer(socket -> {})) {
            SlowClients.Result result = follow(server, SlowKind.HEADS);
            assertThat(result.left()).isEqualTo(CLIENTS);
            assertThat(result.closed() + result.refused()).isZero();
            assertThat(result.latestMillis()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BODIES", "READERS", "SIPPERS", "RANGES"})
    void aRefusalIsNoneThatWasClosed(SlowKind kind) throws IOException {
        try (RawServer server =
                new RawServer(
                        socket -> {
                            String refusal = "HTTP/1.1 503 Service Unavailable\r\n\r\n";
                            socket.getOutputStream().write(refusal.getBytes(US_ASCII));
                        })) {
            SlowClients.Result result = follow(server, kind);
            assertThat(result.refused()).isEqualTo(CLIENTS);
            assertThat(result.closed() + result.left()).isZero();
        }
    }

    /** It reads nothing, and so has to send something to learn of it. */
    @Test
    void aReaderNoticesThatItWasGivenUp() throws IOException {
        try (RawServer server =
                new RawServer(
                        socket -> {
                            readRequest(socket, SlowKind.READERS);
                            socket.getOutputStream().write(OK.getBytes(US_ASCII));
                            socket.setSoLinger(true, 0);
                            socket.close();
                        })) {
            SlowClients.Result result = follow(server, SlowKind.READERS);
            assertThat(result.closed()).isEqualTo(CLIENTS);
            assertThat(result.left() + result.refused()).isZero();
        }
    }

    @Test
    void aSipperReadsSomethingAndReachesTheEnd() throws IOException {
        byte[] body = new byte[4_000];
        try (RawServer server =
                new RawServer(
                        socket -> {
                            readRequest(socket, SlowKind.SIPPERS);
                            socket.getOutputStream().write(OK.getBytes(US_ASCII));
                            socket.getOutputStream().write(body);
                            socket.close();
                        })) {
            SlowClients.Result result = follow(server, SlowKind.SIPPERS);
            assertThat(result.closed()).isEqualTo(CLIENTS);
            assertThat(result.latestMillis()).isNegative();
        }
    }

    /** Or else a node that is gone would have closed all of them in time. */
    @Test
    void connectionsThatCannotBeHadAreNotTakenForClosedOnes() throws IOException {
        InetSocketAddress nobody;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
        }
        assertThatIOException()
                .isThrownBy(() -> new SlowClients(nobody, SlowKind.HEADS, clock()).run(CLIENTS));
    }

    private static void readRequest(Socket socket, SlowKind kind) throws IOException {
        byte[] ignored = socket.getInputStream().readNBytes(kind.start().remaining());
        assertThat(ignored).hasSize(kind.start().remaining());
    }
}

package dev.quorate.testkit.check;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The timeout is for a relay that forwards nothing. */
@Timeout(60)
class RelayTest {

    /** What does not come within that does not come at all. */
    private static final int PATIENCE_MILLIS = 30_000;

    private ServerSocket server;
    private Relay relay;
    private Socket near;
    private Socket far;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        relay = new Relay(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
        near = new Socket(InetAddress.getLoopbackAddress(), relay.port());
        far = server.accept();
        near.setSoTimeout(PATIENCE_MILLIS);
        far.setSoTimeout(PATIENCE_MILLIS);
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
        relay.close();
        server.close();
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(US_ASCII));
    }

    private static String receive(Socket socket, int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), US_ASCII);
    }

    @Test
    void passesEverythingBothWaysToTheEnd() throws IOException {
        byte[] much = new byte[300_000];
        new java.util.SplittableRandom(1).nextBytes(much);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                near.getOutputStream().write(much);
                                near.shutdownOutput();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        assertThat(far.getInputStream().readAllBytes()).isEqualTo(much);
        send(far, "answer");
        far.shutdownOutput();
        assertThat(near.getInputStream().readAllBytes()).asString(US_ASCII).isEqualTo("answer");
    }

    @Test
    void aPausedDirectionDeliversInOrderWhenItIsResumed() throws Exception {
        relay.pause(EnumSet.of(Relay.Way.THERE));
        send(near, "first ");
        send(near, "second");
        send(far, "answer");
        assertThat(receive(near, 6)).isEqualTo("answer");
        assertThat(far.getInputStream().available()).isZero();
        relay.pause(EnumSet.noneOf(Relay.Way.class));
        assertThat(receive(far, 12)).isEqualTo("first second");
    }

    @Test
    void closingResetsBothSidesAlthoughBytesAreHeldBack() throws Exception {
        relay.pause(EnumSet.of(Relay.Way.THERE));
        send(near, "lost");
        relay.close();
        assertThat(ends(near)).isTrue();
        assertThat(ends(far)).isTrue();
    }

    private static boolean ends(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException reset) {
            return true;
        }
    }
}

package dev.quorate.harness;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In order, and by a clock that the test sets. The time-out is for a relay that passes nothing. */
@Timeout(60)
class RelayTest {

    /** What does not come within that does not come at all. */
    private static final int PATIENCE_MILLIS = 30_000;

    private static final long SECOND = 1_000_000_000L;

    /** More than twice what the kernel holds. */
    private static final int MUCH_BYTES = 40 << 20;

    private final VirtualClock clock = new VirtualClock();
    private ServerSocket server;
    private Relay relay;
    private Socket near;
    private Socket far;

    @BeforeEach
    void connect() throws IOException {
        connect(4_096);
    }

    private void connect(int mostPieces) throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        relay =
                new Relay(
                        new InetSocketAddress(server.getInetAddress(), server.getLocalPort()),
                        clock,
                        mostPieces);
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
    void delayedBytesArriveOnTimeAndInOrder() throws Exception {
        relay.delay(SECOND);
        send(near, "slow");
        clock.awaitWaiterFor(SECOND);
        assertThat(far.getInputStream().available()).isZero();
        relay.delay(0);
        send(near, "fast");
        clock.set(SECOND);
        assertThat(receive(far, 8)).isEqualTo("slowfast");
        send(near, "now");
        assertThat(receive(far, 3)).isEqualTo("now");
    }

    /** The kernel holds a few megabytes of them; all that goes beyond waits with the sender. */
    @Test
    void whatIsUnderWayIsBoundedAndTheSenderWaits() throws Exception {
        close();
        connect(8);
        relay.delay(SECOND);
        byte[] piece = new byte[64 << 10];
        int all = MUCH_BYTES / piece.length * piece.length;
        AtomicInteger sent = new AtomicInteger();
        Thread sender =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        while (sent.get() < all) {
                                            near.getOutputStream().write(piece);
                                            sent.addAndGet(piece.length);
                                        }
                                        near.shutdownOutput();
                                    } catch (IOException e) {
                                        throw new java.io.UncheckedIOException(e);
                                    }
                                });
        AtomicInteger before = new AtomicInteger();
        await().pollInterval(Duration.ofMillis(300))
                .until(() -> sent.get() > 0 && before.getAndSet(sent.get()) == sent.get());
        assertThat(sent.get()).isLessThan(MUCH_BYTES / 2);

        relay.delay(0);
        clock.set(SECOND);
        assertThat(far.getInputStream().transferTo(OutputStream.nullOutputStream())).isEqualTo(all);
        sender.join();
        assertThat(sent).hasValue(all);
    }

    @Test
    void answersComeAtOnce() throws Exception {
        relay.delay(SECOND);
        send(far, "answer");
        assertThat(receive(near, 6)).isEqualTo("answer");
        send(near, "more");
        clock.awaitWaiterFor(SECOND);
        send(far, "again");
        assertThat(receive(near, 5)).isEqualTo("again");
    }

    @Test
    void theEndComesLateToo() throws Exception {
        relay.delay(SECOND);
        send(near, "last words");
        clock.awaitWaiterFor(SECOND);
        near.shutdownOutput();
        clock.set(2 * SECOND);
        assertThat(receive(far, 10)).isEqualTo("last words");
        // Where the end is noticed only now, it is due a second later, or at once.
        relay.delay(0);
        clock.set(3 * SECOND);
        assertThat(far.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void whenItIsClosedBothSidesLearnOfItThoughSomethingIsUnderWay() throws Exception {
        relay.delay(SECOND);
        send(near, "lost");
        clock.awaitWaiterFor(SECOND);
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

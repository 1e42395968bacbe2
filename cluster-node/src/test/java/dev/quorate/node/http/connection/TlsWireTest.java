package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.node.tls.TestCa;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.router.runtime.ByteBudget;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import javax.net.ssl.SSLSocket;
import one.nio.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A wire without a selector, and a client of the JDK's on a thread of its own. */
final class TlsWireTest implements TlsWire.Owner {

    private static final int SENT_BYTES = 1 << 20;

    @TempDir Path folder;

    private final ByteBudget budget = new ByteBudget(64 << 20);
    private final byte[] buffer = new byte[SENT_BYTES];
    private Socket accepted;
    private SSLSocket client;
    private final ListenerStatistics statistics = new ListenerStatistics();
    private TlsPort port;
    private TlsWire wire;
    private boolean isEstablished;
    private volatile boolean isGone;
    private volatile boolean isDropped;

    @BeforeEach
    void connect() throws Exception {
        TestCa ca = new TestCa(folder);
        TlsContext context = TlsContext.of(ca.issue("dns:localhost,ip:127.0.0.1"));
        int free;
        try (ServerSocket probe = new ServerSocket(0)) {
            free = probe.getLocalPort();
        }
        Socket server = Socket.createServerSocket();
        server.bind("127.0.0.1", free, 1);
        server.listen(1);
        client = (SSLSocket) ca.client().getSocketFactory().createSocket("127.0.0.1", free);
        accepted = server.acceptNonBlocking();
        server.close();
        port = new TlsPort("test", context::forClient, budget, budget, statistics, () -> 0);
        wire = new TlsWire(accepted, port, this);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        accepted.close();
        port.close();
    }

    @Override
    public void established() {
        isEstablished = true;
    }

    @Override
    public void resume() {}

    @Override
    public String address() {
        return "client";
    }

    @Override
    public boolean isGone() {
        return isGone;
    }

    @Override
    public void dropped() {
        isDropped = true;
    }

    private Thread onClient(Call call) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                call.run();
                            } catch (IOException e) {
                                // The test has ended.
                            }
                        });
    }

    private interface Call {
        void run() throws IOException;
    }

    private int read() {
        try {
            return wire.read(buffer, buffer.length);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What costs most is for nobody. */
    @Test
    void noKeyIsUsedForAClientThatHasLeft() {
        isGone = true;
        onClient(client::startHandshake);
        await().until(() -> read() == 0 && isDropped);
        assertThat(statistics.droppedHandshakes.sum()).isEqualTo(1);
        assertThat(wire.isPaused()).isTrue();
    }

    /** However fast a client sends, and however large the buffer is. */
    @Test
    void oneReadingTakesALimitedInput() {
        onClient(() -> client.getOutputStream().write(new byte[SENT_BYTES]));
        long total = 0;
        long most = 0;
        while (total < SENT_BYTES) {
            int count = read();
            total += count;
            most = Math.max(most, count);
        }
        assertThat(isEstablished).isTrue();
        assertThat(most).isLessThanOrEqualTo(2 * TlsWire.MAX_READ_BYTES);
    }

    @Test
    void whatTheClientDoesNotReadIsKeptOnceAndReleased() throws IOException {
        Thread handshake = onClient(client::startHandshake);
        await().until(
                        () -> {
                            int ignored = read();
                            return isEstablished && !handshake.isAlive();
                        });
        byte[] answer = new byte[1 << 20];
        long sent = 0;
        while (wire.unsentBytes() == 0) {
            sent += wire.write(answer, 0, answer.length, 0);
        }
        assertThat(budget.usedBytes()).isBetween(wire.unsentBytes(), 34L * 1024);
        long expected = sent;
        Thread reader = onClient(() -> client.getInputStream().readNBytes((int) expected));
        await().until(
                        () -> {
                            wire.flush();
                            return !reader.isAlive();
                        });
        assertThat(wire.unsentBytes()).isZero();
        assertThat(budget.usedBytes()).isZero();
    }
}

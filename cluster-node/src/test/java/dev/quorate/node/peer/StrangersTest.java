package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.budget.ConnectionLimits;
import dev.quorate.node.http.budget.HttpBudgets;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.http.connection.TestListener;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.transport.Peer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Those who do not know the secret at the peers' door, over sockets, and a peer who does. */
final class StrangersTest extends TwoMembers {

    private static final int CONNECTIONS = 24;
    private static final int STRANGERS = 8;
    private static final Duration PROVING_TIME = Duration.ofSeconds(2);
    private static final int MIB = 1 << 20;
    private static final int LARGE_BYTES = 600_000;
    private static final int SENT_BYTES = 200_000;
    private static final int HEAD_BUDGET_BYTES = 128 * 1024;

    private final List<Socket> sockets = new ArrayList<>();
    private final Set<Integer> heard = ConcurrentHashMap.newKeySet();
    private HttpListener listener;

    @BeforeEach
    void listen() throws IOException {
        PeerDoor guarded =
                new PeerDoor(
                        asked,
                        RemoteDoor.of(replica),
                        new Deadlines(doorTime, doorTime),
                        doorTime,
                        heard::add,
                        Pair.SLOW);
        listener =
                TestListener.start(
                        1,
                        limits().withConnections(
                                        ConnectionLimits.ofProven(
                                                CONNECTIONS, STRANGERS, PROVING_TIME)),
                        guarded,
                        doorTime,
                        doorTime);
        open.addFirst(listener);
    }

    @AfterEach
    void closeSockets() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** As a node's, scaled down. */
    private static HttpLimits limits() {
        HttpLimits limits = HttpLimits.defaults().withHeads(256, 2_048).withMaxBodyBytes(MIB);
        HttpBudgets usual = limits.budgets();
        return limits.withBudgets(
                new HttpBudgets(
                        MIB, usual.smallBodyBytes(), HEAD_BUDGET_BYTES, MIB, usual.waitingBytes()));
    }

    private Socket stranger(String text, int bytesBehind) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port());
        socket.setSoTimeout(20_000);
        sockets.add(socket);
        try {
            socket.getOutputStream().write(text.replace("|", "\r\n").getBytes(US_ASCII));
            socket.getOutputStream().write(new byte[bytesBehind]);
        } catch (IOException e) {
            // It is turned away while it sends.
        }
        return socket;
    }

    private void strangers(int count, String text, int bytesBehind) throws IOException {
        for (int i = 0; i < count; i++) {
            stranger(text, bytesBehind);
        }
    }

    private Peer peer() {
        return connect(asking, DEFAULTS, listener.port());
    }

    private void assertServed(Peer peer) {
        Answers answers = new Answers();
        peer.ask(read("k"), in(10_000), answers);
        ReplicaAnswer last = answers.await(1).getFirst();
        assertThat(last).isEqualTo(ReplicaAnswer.Absent.ABSENT);
        peer.ask(write("large", LARGE_BYTES), in(20_000), answers);
        answers.await(2);
        assertThat(answers.failures()).isEmpty();
    }

    @Test
    void silentConnectionsKeepNoPeerOutAndEndSoon() throws IOException {
        strangers(3 * CONNECTIONS, "", 0);
        assertServed(peer());
        assertThat(listener.openConnections()).isLessThanOrEqualTo(STRANGERS + 3);
        doorTime.advance(Duration.ofSeconds(3));
        // Those that are left are the peer's.
        await().until(() -> listener.openConnections() <= 3);
        assertThat(heard).containsExactly(asking.self().number());
    }

    @Test
    void unauthenticatedClientsTakeNoMemory() throws IOException {
        String post = "POST /peer/v1/exchange HTTP/1.1|Host: x|Content-Length: " + MIB + "||";
        strangers(STRANGERS, post, SENT_BYTES);
        assertThat(listener.inputBytes()).isZero();
        assertServed(peer());
    }

    @Test
    void headsOfStrangersLeaveRoomForThoseOfPeers() throws IOException {
        strangers(STRANGERS, "POST /peer/v1/exchange HTTP/1.1|A: " + "x".repeat(2_000), 0);
        await().until(() -> listener.statistics().bytesRead.sum() > 2 * 2_000L);
        assertThat(listener.headBytes()).isLessThan(HEAD_BUDGET_BYTES / 2 + 1);
        assertServed(peer());
    }

    @Test
    void strangersGetNoConnectionOfMessages() throws IOException {
        String handshake =
                "GET /peer/v1/exchange HTTP/1.1|Host: x|Connection: Upgrade|Upgrade: websocket|"
                        + "Sec-WebSocket-Version: 13|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==|";
        Socket socket = stranger(handshake + "|", 0);
        assertThat(new String(socket.getInputStream().readNBytes(12), US_ASCII))
                .isEqualTo("HTTP/1.1 403");
        strangers(STRANGERS, handshake + "|", SENT_BYTES);
        assertThat(listener.inputBytes()).isZero();
        assertServed(peer());
    }

    @Test
    void anAuthenticatedPeerIsNotReplaced() throws IOException {
        Peer peer = peer();
        assertServed(peer);
        int ofPeer = listener.openConnections();
        strangers(3 * CONNECTIONS, "", 0);
        await().until(() -> listener.statistics().accepted.sum() >= 3L * CONNECTIONS);
        doorTime.advance(Duration.ofSeconds(3));
        await().until(listener::openConnections, equalTo(ofPeer));
        long accepted = listener.statistics().accepted.sum();
        assertServed(peer);
        assertThat(listener.statistics().accepted.sum()).isEqualTo(accepted);
        assertThat(Collections.max(heard)).isEqualTo(asking.self().number());
    }
}

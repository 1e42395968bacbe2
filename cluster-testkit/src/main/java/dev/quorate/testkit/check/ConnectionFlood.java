package dev.quorate.testkit.check;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.cli.process.ProcessCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Unauthenticated connections to the two ports of a node. They send nothing, an unfinished request,
 * or invalid bytes, and remain open until this object or the node closes them.
 */
final class ConnectionFlood implements AutoCloseable {

    private static final int ROUNDS = 12;
    private static final int GARBAGE_BYTES = 4_096;
    private static final int PARTIAL_BODY_BYTES = 256 << 10;
    private static final String UNFINISHED_HEAD =
            head("GET /v0/entity?id=a", "X-Filler: " + "a".repeat(6_000)).strip();
    private static final String STALLED_BODY =
            head("PUT /v0/entity?id=stranger", "Content-Length: 8388608");
    private static final String UNAUTHENTICATED_POST = head("POST /", "Content-Length: 16777216");
    private static final String UNAUTHENTICATED_HANDSHAKE =
            head(
                    "GET /",
                    "Connection: Upgrade",
                    "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==");

    private final List<SocketChannel> channels = new ArrayList<>();

    private ConnectionFlood() {}

    /** Opens the connections to the node with this URL for clients; it may refuse some. */
    static ConnectionFlood at(URI url) {
        InetSocketAddress clients = new InetSocketAddress(url.getHost(), url.getPort());
        InetSocketAddress peers =
                new InetSocketAddress(
                        url.getHost(), url.getPort() + ProcessCluster.PEER_PORT_OFFSET);
        SplittableRandom random = new SplittableRandom(url.getPort());
        ConnectionFlood flood = new ConnectionFlood();
        byte[] garbage = new byte[GARBAGE_BYTES];
        random.nextBytes(garbage);
        byte[] body = new byte[PARTIAL_BODY_BYTES];
        for (int i = 0; i < ROUNDS; i++) {
            for (InetSocketAddress address : List.of(clients, peers)) {
                flood.connect(address, new byte[0]);
                flood.connect(address, bytes(UNFINISHED_HEAD));
                flood.connect(address, garbage);
            }
            flood.connect(clients, bytes(STALLED_BODY), body);
            flood.connect(peers, bytes(UNAUTHENTICATED_POST), body);
            flood.connect(peers, bytes(UNAUTHENTICATED_HANDSHAKE), garbage);
        }
        return flood;
    }

    private static String head(String request, String... lines) {
        return request + " HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    private void connect(InetSocketAddress address, byte[]... sent) {
        try {
            SocketChannel channel = SocketChannel.open(address);
            channels.add(channel);
            channel.configureBlocking(false); // a paused node reads nothing
            for (byte[] part : sent) {
                channel.write(ByteBuffer.wrap(part));
            }
        } catch (IOException e) {
            // The node refuses more connections, or does not run.
        }
    }

    @Override
    public void close() {
        channels.forEach(Relay::closeQuietly);
    }
}

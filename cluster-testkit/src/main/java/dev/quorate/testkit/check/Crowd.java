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
 * Connections of strangers to the two ports of a node. They send nothing, or an unfinished request,
 * or invalid bytes, and stay open until this or the node closes them.
 */
final class Crowd implements AutoCloseable {

    private static final int OF_EACH = 12;
    private static final int GARBAGE_BYTES = 4_096;
    private static final int PART_OF_A_BODY = 256 << 10;
    private static final String UNFINISHED_HEAD =
            head("GET /v0/entity?id=a", "X-Filler: " + "a".repeat(6_000)).strip();
    private static final String STALLED_BODY =
            head("PUT /v0/entity?id=stranger", "Content-Length: 8388608");
    private static final String POST_WITHOUT_PASS = head("POST /", "Content-Length: 16777216");
    private static final String HANDSHAKE_WITHOUT_PASS =
            head(
                    "GET /",
                    "Connection: Upgrade",
                    "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==");

    private final List<SocketChannel> channels = new ArrayList<>();

    private Crowd() {}

    /**
     * Opens the connections; fewer where the node refuses some.
     *
     * @param url of the node, for clients
     */
    static Crowd at(URI url) {
        InetSocketAddress clients = new InetSocketAddress(url.getHost(), url.getPort());
        InetSocketAddress peers =
                new InetSocketAddress(
                        url.getHost(), url.getPort() + ProcessCluster.PEER_PORT_OFFSET);
        SplittableRandom random = new SplittableRandom(url.getPort());
        Crowd crowd = new Crowd();
        byte[] garbage = new byte[GARBAGE_BYTES];
        random.nextBytes(garbage);
        byte[] body = new byte[PART_OF_A_BODY];
        for (int i = 0; i < OF_EACH; i++) {
            for (InetSocketAddress door : List.of(clients, peers)) {
                crowd.connect(door, new byte[0]);
                crowd.connect(door, bytes(UNFINISHED_HEAD));
                crowd.connect(door, garbage);
            }
            crowd.connect(clients, bytes(STALLED_BODY), body);
            crowd.connect(peers, bytes(POST_WITHOUT_PASS), body);
            crowd.connect(peers, bytes(HANDSHAKE_WITHOUT_PASS), garbage);
        }
        return crowd;
    }

    private static String head(String request, String... lines) {
        return request + " HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    private void connect(InetSocketAddress door, byte[]... sent) {
        try {
            SocketChannel channel = SocketChannel.open(door);
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

package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.node.config.OptionsReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node listens where the topology says that it is. */
class ListeningTest {

    private static final String ELSEWHERE = "127.0.0.3";
    private static final String LOOPBACK = "127.0.0.1";

    /** Reserved for documentation (RFC 5737): nobody's address. */
    private static final String NOBODY = "192.0.2.1";

    @TempDir private Path data;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(ELSEWHERE))) {
            return socket.getLocalPort();
        }
    }

    private ClusterNode start(String host, int port, Map<String, String> more) throws IOException {
        Map<String, String> texts = new HashMap<>(more);
        texts.put("name", "n1");
        texts.put("topology", "n1=http://" + host + ":" + port);
        texts.put("data", data.toString());
        texts.put("peer-port-offset", "1");
        texts.put("reserved-disk-bytes", "0");
        texts.put("insecure", "true");
        return ClusterNode.start(OptionsReader.read(texts), why -> {});
    }

    private static void connect(String host, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), 2_000);
        }
    }

    @Test
    void bothListenersAreAtTheHostOfTheTopology() throws IOException {
        int port = freePort();
        ClusterNode node = start(ELSEWHERE, port, Map.of());
        try {
            connect(ELSEWHERE, port);
            connect(ELSEWHERE, port + 1);
            assertThatThrownBy(() -> connect(LOOPBACK, port)).isInstanceOf(ConnectException.class);
            assertThat(node.description()).contains("http://127.0.0.3:" + port);
        } finally {
            node.stop();
        }
    }

    @Test
    void unlessTheOptionForcesIt() throws IOException {
        int port = freePort();
        ClusterNode node = start(NOBODY, port, Map.of("host", ELSEWHERE));
        try {
            connect(ELSEWHERE, port);
        } finally {
            node.stop();
        }
    }

    @Test
    void anAddressThatIsNotThisMachinesIsNamedWithTheWayOut() throws IOException {
        int port = freePort();
        for (String host : new String[] {NOBODY, "no-such-host.invalid"}) {
            assertThatThrownBy(() -> start(host, port, Map.of()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot listen at " + host)
                    .hasMessageContaining("--host");
        }
    }
}

package dev.quorate.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reserves pairs of adjacent ports, for clients and for peers, chosen by the system.
 *
 * <p>Without a reservation, the system could assign the port of a stopped node to a connection, and
 * the node could not restart. On Linux, a socket that is bound and does not listen reserves its
 * port and still permits a listener (both with SO_REUSEADDR). Other systems do not reserve ports.
 */
final class Ports implements AutoCloseable {

    /** The distance from a node's port for clients to its port for peers. */
    static final int PEER_OFFSET = 1;

    private static final boolean IS_LINUX = System.getProperty("os.name", "").startsWith("Linux");

    private final List<Integer> chosen = new ArrayList<>();
    private final List<Socket> reserved = new ArrayList<>();

    Ports(int pairs) throws IOException {
        List<Socket> unfit = new ArrayList<>();
        try {
            for (int attempt = 0; chosen.size() < pairs; attempt++) {
                if (attempt == 100) {
                    throw new IOException("no two free ports side by side");
                }
                choose(unfit);
            }
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            closeAll(unfit);
        }
        if (!IS_LINUX) {
            close();
        }
    }

    private void choose(List<Socket> unfit) throws IOException {
        Socket first = bound(0);
        if (first == null) {
            throw new IOException("no free port");
        }
        Socket second = bound(first.getLocalPort() + PEER_OFFSET);
        if (second == null) {
            unfit.add(first); // remains bound, so that the next port differs
            return;
        }
        chosen.add(first.getLocalPort());
        reserved.add(first);
        reserved.add(second);
    }

    private static @Nullable Socket bound(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException | IllegalArgumentException taken) {
            socket.close();
            return null;
        }
    }

    List<Integer> chosen() {
        return chosen;
    }

    @Override
    public void close() {
        closeAll(reserved);
    }

    private static void closeAll(List<Socket> sockets) {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                // Nothing was sent or received.
            }
        }
        sockets.clear();
    }
}

package dev.quorate.testkit.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of neighbouring ports, for clients and for peers, which the system has chosen.
 *
 * <p>A node that is down has no port, and meanwhile anybody's connection may be given it, so that
 * the node could not start again. On Linux a socket that is bound and does not listen keeps a port
 * from being given away, and yet lets a listener have it (both with SO_REUSEADDR). Elsewhere the
 * ports are free between their choice and their use.
 */
final class Ports implements AutoCloseable {

    /** From a node's port for clients to that for peers. */
    static final int PEER_OFFSET = 1;

    private static final int ATTEMPTS = 100;
    private static final boolean IS_LINUX = System.getProperty("os.name", "").startsWith("Linux");

    private final List<Integer> chosen = new ArrayList<>();
    private final List<Socket> held = new ArrayList<>();

    /**
     * @throws IOException if there are none left
     */
    Ports(int pairs) throws IOException {
        List<Socket> unfit = new ArrayList<>();
        try {
            for (int attempt = 0; chosen.size() < pairs; attempt++) {
                if (attempt == ATTEMPTS) {
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
            unfit.add(first); // kept until the end, so that the next one is another
            return;
        }
        chosen.add(first.getLocalPort());
        held.add(first);
        held.add(second);
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

    /** The ports for clients. */
    List<Integer> chosen() {
        return chosen;
    }

    @Override
    public void close() {
        closeAll(held);
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

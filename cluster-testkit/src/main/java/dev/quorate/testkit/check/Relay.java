package dev.quorate.testkit.check;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Forwards connections to an address of this machine. It can pause a direction, and reset and
 * refuse connections, without privileges.
 *
 * <p>During a pause, bytes remain in a buffer of the relay, in the kernel and at the sender. The
 * relay delivers them in order when the pause ends. Each connection has two virtual threads.
 */
final class Relay implements AutoCloseable {

    enum Way {
        /** To the address that the relay connects to. */
        THERE,
        BACK
    }

    private final ServerSocket server;
    private final InetSocketAddress to;

    // All guarded by this; changes notify waiting threads.
    private final List<Connection> connections = new ArrayList<>();
    private Set<Way> paused = Set.of();
    private boolean isCut;

    /** Listens on a port that the system chooses. */
    Relay(InetSocketAddress to) throws IOException {
        this.to = to;
        this.server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("relay to " + to).start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Pauses these directions and resumes all others. */
    synchronized void pause(Set<Way> ways) {
        paused = Set.copyOf(ways);
        notifyAll();
    }

    /** Starts or stops resetting and refusing connections. */
    synchronized void cut(boolean cut) {
        isCut = cut;
        if (cut) {
            breakAll();
        }
    }

    /** Resets all open connections and drops the bytes in flight. */
    synchronized void breakAll() {
        List.copyOf(connections).forEach(Connection::breakOff);
    }

    private void accept() {
        while (true) {
            Socket socket;
            try {
                socket = server.accept();
            } catch (IOException closing) {
                return;
            }
            Connection connection = new Connection(socket);
            synchronized (this) {
                connections.add(connection);
                if (isCut) {
                    connection.breakOff();
                    continue;
                }
            }
            Thread.ofVirtual().start(connection::run);
        }
    }

    /** Waits until a direction is not paused; false if the connection is closed. */
    private synchronized boolean awaitFree(Connection connection, Way way) {
        try {
            while (paused.contains(way) && !connection.over) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !connection.over;
    }

    @Override
    public void close() {
        cut(true);
        closeQuietly(server);
    }

    static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception alreadyGone) {
            // Already closed.
        }
    }

    private final class Connection {

        private final Socket near;
        private final Socket far = new Socket();

        /** Guarded by the relay. */
        private boolean over;

        Connection(Socket near) {
            this.near = near;
        }

        void run() {
            if (!awaitFree(this, Way.THERE)) {
                return;
            }
            try {
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                far.connect(to, 1_000);
            } catch (IOException nobodyThere) {
                breakOff();
                return;
            }
            CompletableFuture<Void> back =
                    CompletableFuture.runAsync(
                            () -> forward(Way.BACK), task -> Thread.ofVirtual().start(task));
            forward(Way.THERE);
            back.join();
            end();
        }

        private void forward(Way way) {
            try {
                copy(way);
            } catch (IOException broken) {
                // A pause also delays a reset, as a network does.
                if (awaitFree(this, way)) {
                    breakOff();
                }
            }
        }

        private void copy(Way way) throws IOException {
            Socket source = way == Way.THERE ? near : far;
            Socket sink = way == Way.THERE ? far : near;
            InputStream in = source.getInputStream();
            OutputStream out = sink.getOutputStream();
            byte[] buffer = new byte[16 << 10];
            int count = in.read(buffer);
            while (count >= 0 && awaitFree(this, way)) {
                out.write(buffer, 0, count);
                count = in.read(buffer);
            }
            if (awaitFree(this, way)) {
                sink.shutdownOutput();
            }
        }

        /** Closes both sockets gracefully. */
        private void end() {
            synchronized (Relay.this) {
                over = true;
                connections.remove(this);
            }
            closeQuietly(near);
            closeQuietly(far);
        }

        void breakOff() {
            synchronized (Relay.this) {
                over = true;
                connections.remove(this);
                Relay.this.notifyAll();
                for (Socket socket : List.of(near, far)) {
                    try {
                        socket.setSoLinger(true, 0);
                    } catch (IOException alreadyGone) {
                        // Already closed.
                    }
                    closeQuietly(socket);
                }
            }
        }
    }
}

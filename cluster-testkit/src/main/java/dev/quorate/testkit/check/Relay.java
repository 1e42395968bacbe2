package dev.quorate.testkit.check;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Passes connections on to an address of this machine, unless told otherwise. One node reaches one
 * other through it, so that they can be parted without the rights to change a network.
 *
 * <p>What is held back stays where it is, in buffers here, in the kernel and at the sender, and
 * goes on in its order when the way is free. Each connection has two virtual threads.
 */
final class Relay implements AutoCloseable {

    /** Ways through a connection. */
    enum Way {
        /** From who connected, to the address. */
        THERE,
        BACK
    }

    private static final int CHUNK_BYTES = 16 << 10;
    private static final int CONNECT_MILLIS = 1_000;
    private static final int BACKLOG = 128;

    private final ServerSocket server;
    private final InetSocketAddress to;

    // All guarded by this; who waits for a change waits on this.
    private final List<Connection> connections = new ArrayList<>();
    private Set<Way> held = EnumSet.noneOf(Way.class);
    private boolean refuses;
    private boolean closed;

    /** Listens on a port that the system chooses. */
    Relay(InetSocketAddress to) throws IOException {
        this.to = to;
        this.server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("relay to " + to).start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /**
     * How it behaves from now on.
     *
     * @param ways on which nothing gets through, without a word
     * @param refuse whether connections are broken and refused
     */
    synchronized void set(Set<Way> ways, boolean refuse) {
        held = EnumSet.noneOf(Way.class);
        held.addAll(ways);
        refuses = refuse;
        if (refuse) {
            breakAll();
        }
        notifyAll();
    }

    /** Breaks the connections that there are, with all that was held back. */
    synchronized void breakAll() {
        List.copyOf(connections).forEach(Connection::breakOff);
        notifyAll();
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
                if (refuses || closed) {
                    connection.breakOff();
                    continue;
                }
            }
            Thread.ofVirtual().start(connection::run);
        }
    }

    /** Waits until the way is free; false if the connection is over. */
    private synchronized boolean awaitFree(Connection connection, Way way) {
        try {
            while (held.contains(way) && !connection.over) {
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
        synchronized (this) {
            closed = true;
        }
        closeQuietly(server);
        breakAll();
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception alreadyGone) {
            // Gone is what it is to be.
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
                far.connect(to, CONNECT_MILLIS);
            } catch (IOException nobodyThere) {
                breakOff();
                return;
            }
            Thread back = Thread.ofVirtual().start(() -> pump(far, near, Way.BACK));
            pump(near, far, Way.THERE);
            try {
                back.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            breakOff();
        }

        private void pump(Socket from, Socket into, Way way) {
            byte[] chunk = new byte[CHUNK_BYTES];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = into.getOutputStream();
                int read = in.read(chunk);
                while (read >= 0 && awaitFree(this, way)) {
                    out.write(chunk, 0, read);
                    read = in.read(chunk);
                }
                if (awaitFree(this, way)) {
                    into.shutdownOutput();
                }
            } catch (IOException broken) {
                // Late news of a break are held back too, as they would be by a network.
                if (awaitFree(this, way)) {
                    breakOff();
                }
            }
        }

        /** Both ends see a reset, not an orderly end. */
        void breakOff() {
            synchronized (Relay.this) {
                over = true;
                connections.remove(this);
                Relay.this.notifyAll();
            }
            for (Socket socket : List.of(near, far)) {
                try {
                    socket.setSoLinger(true, 0);
                } catch (IOException alreadyGone) {
                    // Then there is nobody to tell.
                }
                closeQuietly(socket);
            }
        }
    }
}

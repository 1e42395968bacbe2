package dev.quorate.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Passes connections on to an address of this machine. It pauses a way, cuts the connections, or
 * delays what goes to the address, without the rights to change a network.
 *
 * <p>What a pause holds back stays in buffers here, in the kernel and at the sender, and goes on in
 * its order when the pause ends. A delay holds for what goes to the address; what comes back is not
 * delayed, so that an exchange takes the delay longer, and not twice that. Nothing overtakes: what
 * comes after a delay has ended waits for what came before. What is under way is bounded; a sender
 * of more waits, as on a long line.
 *
 * <p>Each connection has three virtual threads.
 */
public final class Relay implements AutoCloseable {

    /** Ways through a connection. */
    public enum Way {
        /** From who connected, to the address. */
        THERE,
        BACK
    }

    private static final int PIECE_BYTES = 16 << 10;

    /** So many are under way on a connection at most. */
    private static final int MAX_PIECES = 4_096;

    private static final int CONNECT_MILLIS = 1_000;
    private static final int BACKLOG = 128;

    /** A piece that marks the end. */
    private static final byte[] END = {};

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Piece(byte[] bytes, long dueNanos) {}

    private final ServerSocket server;
    private final InetSocketAddress to;
    private final Pacer pacer;
    private final int maxPieces;
    private volatile long delayNanos;

    // All guarded by this; who waits for a change waits on this.
    private final List<Connection> connections = new ArrayList<>();
    private Set<Way> paused = EnumSet.noneOf(Way.class);
    private boolean isCut;

    /** Listens on a port that the system chooses. */
    public Relay(InetSocketAddress to, Pacer pacer) throws IOException {
        this(to, pacer, MAX_PIECES);
    }

    /** As the other, with so many pieces under way on a connection at most. */
    Relay(InetSocketAddress to, Pacer pacer, int maxPieces) throws IOException {
        this.to = to;
        this.pacer = pacer;
        this.maxPieces = maxPieces;
        this.server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("relay to " + to).start(this::accept);
    }

    /** Where it listens. */
    public int port() {
        return server.getLocalPort();
    }

    /** What comes from now on reaches the address that much later. */
    public void delay(long nanos) {
        delayNanos = nanos;
    }

    /** From now on nothing gets through on these ways, and everything on the others. */
    public synchronized void pause(Set<Way> ways) {
        paused = EnumSet.noneOf(Way.class);
        paused.addAll(ways);
        notifyAll();
    }

    /** Whether connections are broken and refused from now on. */
    public synchronized void cut(boolean cut) {
        isCut = cut;
        if (cut) {
            breakAll();
        }
    }

    /** Breaks the connections that there are, with all that is under way. */
    public synchronized void breakAll() {
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

    /** Waits until the way is free; false if the connection is over. */
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
        private final BlockingQueue<Piece> underWay = new ArrayBlockingQueue<>(maxPieces);

        /** Guarded by the relay, as are the threads to interrupt then. */
        private boolean over;

        private final List<Thread> threads = new ArrayList<>();

        Connection(Socket near) {
            this.near = near;
        }

        /** Reads what goes there. */
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
            Thread there =
                    Thread.ofVirtual().unstarted(() -> orBreakOff(Way.THERE, this::writeThere));
            Thread back = Thread.ofVirtual().unstarted(() -> orBreakOff(Way.BACK, this::passBack));
            synchronized (Relay.this) {
                if (over) {
                    return;
                }
                threads.addAll(List.of(Thread.currentThread(), there, back));
            }
            there.start();
            back.start();
            orBreakOff(
                    Way.THERE,
                    () -> {
                        readThere();
                        there.join();
                        back.join();
                        end();
                    });
        }

        private interface Part {
            void run() throws IOException, InterruptedException;
        }

        private void orBreakOff(Way way, Part part) {
            try {
                part.run();
            } catch (IOException broken) {
                // A pause holds back that a connection broke, too, as a network does.
                if (awaitFree(this, way)) {
                    breakOff();
                }
            } catch (InterruptedException ended) {
                // The connection is over.
            }
        }

        private void readThere() throws IOException, InterruptedException {
            InputStream in = near.getInputStream();
            byte[] room = new byte[PIECE_BYTES];
            int count = 0;
            while (count >= 0) {
                count = in.read(room);
                byte[] bytes = count < 0 ? END : Arrays.copyOf(room, count);
                long due = pacer.nanos() + delayNanos;
                if (!awaitFree(this, Way.THERE)) {
                    return;
                }
                underWay.put(new Piece(bytes, due));
            }
        }

        private void writeThere() throws IOException, InterruptedException {
            OutputStream out = far.getOutputStream();
            while (true) {
                Piece piece = underWay.take();
                pacer.awaitNanos(piece.dueNanos());
                if (!awaitFree(this, Way.THERE)) {
                    return;
                }
                if (piece.bytes().length == 0) {
                    far.shutdownOutput();
                    return;
                }
                out.write(piece.bytes());
            }
        }

        private void passBack() throws IOException {
            InputStream in = far.getInputStream();
            OutputStream out = near.getOutputStream();
            byte[] room = new byte[PIECE_BYTES];
            int count = in.read(room);
            while (count >= 0 && awaitFree(this, Way.BACK)) {
                out.write(room, 0, count);
                count = in.read(room);
            }
            if (awaitFree(this, Way.BACK)) {
                near.shutdownOutput();
            }
        }

        /** Both ends see an orderly end. */
        private void end() {
            synchronized (Relay.this) {
                over = true;
                connections.remove(this);
            }
            closeQuietly(near);
            closeQuietly(far);
        }

        /** Both ends see a reset. */
        void breakOff() {
            synchronized (Relay.this) {
                over = true;
                connections.remove(this);
                Relay.this.notifyAll();
                for (Socket socket : List.of(near, far)) {
                    try {
                        socket.setSoLinger(true, 0);
                    } catch (IOException alreadyGone) {
                        // Then nobody is left who would see it.
                    }
                    closeQuietly(socket);
                }
                threads.forEach(Thread::interrupt);
            }
        }
    }
}

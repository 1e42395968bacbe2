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
 * Forwards connections to an address of this machine. It pauses a direction, resets and refuses
 * connections, or delays what is sent to the address, and needs no privileges.
 *
 * <p>Bytes held back by a pause stay in buffers here, in the kernel and at the sender, and are
 * delivered in order when the pause ends. A delay applies to one direction, towards the address, so
 * that an exchange takes longer by the delay and not by twice the delay. Order is preserved: bytes
 * that arrive after the end of a delay wait for those before them. The number of bytes in flight is
 * bounded; beyond it the sender blocks.
 *
 * <p>Each connection has three virtual threads.
 */
public final class Relay implements AutoCloseable {

    /** The directions of a connection. */
    public enum Way {
        /** From the side that connected to the address. */
        THERE,
        BACK
    }

    private static final int PIECE_BYTES = 16 << 10;

    /** The limit of pieces in flight on a connection. */
    private static final int MAX_PIECES = 4_096;

    private static final int CONNECT_MILLIS = 1_000;
    private static final int BACKLOG = 128;

    /** A piece that marks the end. */
    private static final byte[] END = {};

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Piece(byte[] bytes, long dueNanos) {}

    private final ServerSocket server;
    private final InetSocketAddress to;
    private final NanoClock clock;
    private final int maxPieces;
    private volatile long delayNanos;

    // All guarded by this, which is also the monitor for changes.
    private final List<Connection> connections = new ArrayList<>();
    private Set<Way> paused = EnumSet.noneOf(Way.class);
    private boolean isCut;

    /** Listens on a port that the system chooses. */
    public Relay(InetSocketAddress to, NanoClock clock) throws IOException {
        this(to, clock, MAX_PIECES);
    }

    /** As the other, with a limit of pieces in flight on a connection. */
    Relay(InetSocketAddress to, NanoClock clock, int maxPieces) throws IOException {
        this.to = to;
        this.clock = clock;
        this.maxPieces = maxPieces;
        this.server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("relay to " + to).start(this::accept);
    }

    /** The port that the relay listens on. */
    public int port() {
        return server.getLocalPort();
    }

    /** Delays all bytes that arrive from now on. */
    public void delay(long nanos) {
        delayNanos = nanos;
    }

    /** Pauses these directions and resumes all others. */
    public synchronized void pause(Set<Way> ways) {
        paused = EnumSet.noneOf(Way.class);
        paused.addAll(ways);
        notifyAll();
    }

    /** Starts or stops to reset and refuse connections. */
    public synchronized void cut(boolean cut) {
        isCut = cut;
        if (cut) {
            breakAll();
        }
    }

    /** Resets all open connections and drops the bytes in flight. */
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

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception alreadyGone) {
            // Already closed.
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

        /** Connects to the address and forwards both directions. */
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
                // A pause also delays a reset, as a network does.
                if (awaitFree(this, way)) {
                    breakOff();
                }
            } catch (InterruptedException ended) {
                // The connection is closed.
            }
        }

        private void readThere() throws IOException, InterruptedException {
            InputStream in = near.getInputStream();
            byte[] room = new byte[PIECE_BYTES];
            int count = 0;
            while (count >= 0) {
                count = in.read(room);
                byte[] bytes = count < 0 ? END : Arrays.copyOf(room, count);
                long due = clock.nanos() + delayNanos;
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
                clock.awaitNanos(piece.dueNanos());
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

        /** Closes both sockets in order. */
        private void end() {
            synchronized (Relay.this) {
                over = true;
                connections.remove(this);
            }
            closeQuietly(near);
            closeQuietly(far);
        }

        /** Resets both sockets. */
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
                threads.forEach(Thread::interrupt);
            }
        }
    }
}

package dev.quorate.loadtest.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes connections on to an address of this machine, and what comes on them later than it came.
 * So a node is far away without the rights that {@code tc netem} needs.
 *
 * <p>What goes to the address is delayed; what comes back is not, so that an exchange takes the
 * delay longer, and not twice that. Nothing overtakes: what comes after the delay has ended waits
 * for what came before. What is under way is bounded; who sends more than that waits, as on a long
 * line. ({@code ./quorate check} has relays too, which hold everything back or nothing; its module
 * knows nodes from within, and this one does not.)
 *
 * <p>Each connection has three virtual threads.
 */
final class DelayRelay implements AutoCloseable {

    /** So large are pieces at most ... */
    private static final int PIECE_BYTES = 16 << 10;

    /** ... and so many are under way on a connection. */
    static final int MAX_PIECES = 4_096;

    private static final int BACKLOG = 128;

    /** A piece that marks the end. */
    private static final byte[] END = {};

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Piece(byte[] bytes, long dueNanos) {}

    private final ServerSocket server;
    private final InetSocketAddress to;
    private final Pacer pacer;
    private final int mostPieces;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile long delayNanos;
    private volatile boolean closed;

    /** Listens on a port that the system chooses, and delays nothing yet. */
    DelayRelay(InetSocketAddress to, Pacer pacer) throws IOException {
        this(to, pacer, MAX_PIECES);
    }

    /** As above, with so many pieces under way on a connection at most. */
    DelayRelay(InetSocketAddress to, Pacer pacer, int mostPieces) throws IOException {
        this.to = to;
        this.pacer = pacer;
        this.mostPieces = mostPieces;
        this.server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("relay to " + to).start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** What comes from now on is delayed by so much. */
    void delay(long nanos) {
        delayNanos = nanos;
    }

    private void accept() {
        while (!closed) {
            try {
                Socket near = server.accept();
                Thread.ofVirtual().start(() -> connect(near));
            } catch (IOException closing) {
                return;
            }
        }
    }

    private void connect(Socket near) {
        Socket far = new Socket();
        sockets.add(near);
        sockets.add(far);
        try (near;
                far) {
            if (closed) {
                return;
            }
            far.connect(to);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            Thread back = Thread.ofVirtual().start(() -> passBack(far, near));
            passOn(near, far);
            back.join();
        } catch (IOException e) {
            // The address does not listen, or one of both is gone: then the other learns of it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.remove(near);
            sockets.remove(far);
        }
    }

    /** At once. */
    private static void passBack(Socket far, Socket near) {
        try {
            far.getInputStream().transferTo(near.getOutputStream());
            near.shutdownOutput();
        } catch (IOException e) {
            closeQuietly(near);
            closeQuietly(far);
        }
    }

    private void passOn(Socket near, Socket far) throws IOException, InterruptedException {
        BlockingQueue<Piece> underWay = new ArrayBlockingQueue<>(mostPieces);
        Thread writer = Thread.ofVirtual().start(() -> write(underWay, near, far));
        try {
            InputStream in = near.getInputStream();
            byte[] room = new byte[PIECE_BYTES];
            int count;
            while ((count = in.read(room)) >= 0) {
                underWay.put(new Piece(Arrays.copyOf(room, count), pacer.nanos() + delayNanos));
            }
            underWay.put(new Piece(END, pacer.nanos() + delayNanos));
        } catch (IOException e) {
            writer.interrupt();
            throw e;
        }
        writer.join();
    }

    private void write(BlockingQueue<Piece> underWay, Socket near, Socket far) {
        try {
            OutputStream out = far.getOutputStream();
            while (true) {
                Piece piece = underWay.take();
                pacer.awaitNanos(piece.dueNanos());
                if (piece.bytes().length == 0) {
                    far.shutdownOutput();
                    return;
                }
                out.write(piece.bytes());
            }
        } catch (IOException | InterruptedException e) {
            // Who waits for room, or for an answer, learns of it.
            closeQuietly(near);
            closeQuietly(far);
            underWay.clear();
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            // Gone is what it is to be.
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            sockets.forEach(DelayRelay::closeQuietly);
        }
    }
}

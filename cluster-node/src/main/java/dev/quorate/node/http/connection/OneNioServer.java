package dev.quorate.node.http.connection;

import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.AddressCounts;
import dev.quorate.node.http.budget.OpenConnection;
import dev.quorate.node.http.budget.Strangers;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.ResponseEncoder.Framing;
import dev.quorate.node.http.connection.ResponseEncoder.Persistence;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import one.nio.net.Socket;
import one.nio.server.RejectedSessionException;
import one.nio.server.SelectorThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acceptor and the selector threads of a listener. one-nio's own acceptor retries at once when
 * no descriptor is left, and logs each failure.
 */
final class OneNioServer {

    private static final Logger LOG = LoggerFactory.getLogger(OneNioServer.class);
    private static final int BACKLOG = 1_024;

    /** How long the acceptor waits when it cannot accept, in milliseconds. */
    private static final long PAUSE_MILLIS = 50;

    private static final long BETWEEN_WARNINGS_NANOS = 60_000_000_000L;

    private static final byte[] TOO_MANY =
            ResponseEncoder.encode(
                    Problem.busy("Too many connections are open. Try again later.").response(),
                    Framing.LENGTH,
                    Persistence.CLOSES,
                    true);

    private final ListenerContext context;
    private final ListeningPort port;
    private final Socket server;
    private final Thread acceptor;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final SelectorThread[] selectors;

    /** The tasks of each selector, in the same order. */
    private final SelectorTasks[] tasks;

    /** Used by the acceptor. */
    private long quietUntilNanos;

    /**
     * Opens the port, and serves it.
     *
     * @throws IOException if it cannot be opened
     */
    OneNioServer(ListenerContext context, ListeningPort port) throws IOException {
        this.context = context;
        this.port = port;
        quietUntilNanos = context.sweptAtNanos;
        server = Socket.createServerSocket();
        try {
            server.setNoDelay(true);
            server.setReuseAddr(true, false);
            server.bind(port.host(), port.port(), BACKLOG);
            server.listen(BACKLOG);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        selectors = new SelectorThread[port.selectors()];
        tasks = new SelectorTasks[selectors.length];
        for (int i = 0; i < tasks.length; i++) {
            selectors[i] = new SelectorThread(i, -1, null);
            selectors[i].setName(port.name() + "-" + i);
            tasks[i] = SelectorTasks.of(selectors[i]);
            selectors[i].start();
        }
        acceptor = Thread.ofPlatform().name(port.name() + "-acceptor").start(this::accept);
    }

    int port() {
        return server.getLocalAddress().getPort();
    }

    private void accept() {
        while (server.isOpen()) {
            Socket socket = null;
            try {
                if (!port.mayAccept().getAsBoolean()) {
                    pause("no file descriptor is left for it");
                    continue;
                }
                socket = server.acceptNonBlocking();
                register(socket);
            } catch (RejectedSessionException e) {
                socket.close();
            } catch (IOException | RuntimeException e) {
                if (socket != null) {
                    socket.close();
                }
                pause(String.valueOf(e.getMessage()));
            }
        }
    }

    /** Pauses accepting; clients wait in the kernel meanwhile. */
    private void pause(String why) {
        if (server.isOpen() && context.sweptAtNanos - quietUntilNanos >= 0) {
            quietUntilNanos = context.sweptAtNanos + BETWEEN_WARNINGS_NANOS;
            LOG.warn(
                    "The port for {} accepts no connection for now: {}. If that lasts, raise the"
                            + " process's limit of open files, or lower max-connections.",
                    port.name(),
                    why);
        }
        try {
            var _ = closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops accepting; open connections continue. */
    void stopAccepting() {
        server.close();
        closing.countDown();
        join(acceptor);
    }

    void stop() {
        for (int i = 0; i < tasks.length; i++) {
            tasks[i].close();
            selectors[i].shutdown();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpConnection createSession(Socket socket, SelectorTasks tasks)
            throws RejectedSessionException {
        if (context.connections.size() >= context.limits.connections().total()) {
            throw turnedAway(socket);
        }
        String address = AddressCounts.of(socket.getRemoteAddress());
        if (!context.addresses.tryAdd(address)) {
            throw turnedAway(socket);
        }
        socket.setNoDelay(true);
        HttpConnection connection = new HttpConnection(socket, context, address, tasks);
        Strangers strangers = context.strangers;
        OpenConnection replaced = strangers == null ? null : strangers.add(connection, address);
        if (replaced != null) {
            context.statistics.reject(Rejection.CONNECTIONS);
            replaced.reset();
        }
        return connection;
    }

    private RejectedSessionException turnedAway(Socket socket) {
        context.statistics.reject(Rejection.CONNECTIONS);
        if (context.tls != null) {
            return new RejectedSessionException("too many connections");
        }
        try {
            socket.write(TOO_MANY, 0, TOO_MANY.length, 0);
        } catch (IOException e) {
            // It is closed nevertheless.
        }
        return new RejectedSessionException("too many connections");
    }

    /** Creates a connection at the selector that has the fewest. */
    private void register(Socket socket) throws RejectedSessionException {
        int best = 0;
        for (int i = 1; i < selectors.length; i++) {
            if (selectors[i].selector.size() < selectors[best].selector.size()) {
                best = i;
            }
        }
        HttpConnection connection = createSession(socket, tasks[best]);
        context.statistics.accepted.increment();
        selectors[best].selector.register(connection);
        // Only now, so that nothing closes a connection that is about to be registered.
        context.connections.add(connection);
        if (connection.isClosed()) {
            context.connections.remove(connection);
        }
    }
}

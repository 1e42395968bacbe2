package dev.quorate.node.http;

import dev.quorate.node.http.ListenerStatistics.Rejection;
import dev.quorate.node.http.ResponseEncoder.Framing;
import dev.quorate.node.http.ResponseEncoder.Persistence;
import java.io.IOException;
import one.nio.net.Session;
import one.nio.net.Socket;
import one.nio.server.AcceptorConfig;
import one.nio.server.RejectedSessionException;
import one.nio.server.Server;
import one.nio.server.ServerConfig;

/**
 * one-nio's server: its acceptor and selector threads. Its worker pool and cleanup thread are not
 * used: the listener has its own deadlines.
 */
final class OneNioServer extends Server {

    private static final byte[] TOO_MANY =
            ResponseEncoder.encode(
                    Problem.of(503, "Too many connections are open. Try again later.")
                            .header("Retry-After: 1")
                            .response(),
                    Framing.LENGTH,
                    Persistence.CLOSES,
                    true);

    private final ListenerContext context;

    /** One for each selector, in their order. */
    private final SelectorTasks[] tasks;

    OneNioServer(ListenerContext context, String address, int port, int selectors, String name)
            throws IOException {
        super(config(address, port, selectors));
        this.context = context;
        tasks = new SelectorTasks[this.selectors.length];
        for (int i = 0; i < tasks.length; i++) {
            this.selectors[i].setName(name + "-" + i);
            tasks[i] = SelectorTasks.of(this.selectors[i]);
        }
    }

    private static ServerConfig config(String address, int port, int selectors) {
        ServerConfig config = new ServerConfig();
        config.acceptors = new AcceptorConfig[] {acceptor(address, port)};
        config.selectors = selectors;
        config.minWorkers = 0;
        config.maxWorkers = 0;
        config.keepAlive = 0;
        return config;
    }

    private static AcceptorConfig acceptor(String address, int port) {
        AcceptorConfig acceptor = new AcceptorConfig();
        acceptor.address = address;
        acceptor.port = port;
        acceptor.backlog = 1024;
        acceptor.noDelay = true;
        acceptor.tcpFastOpen = false;
        return acceptor;
    }

    /** Stops accepting; open connections continue. */
    void stopAccepting() throws IOException {
        ServerConfig config = config("", 0, selectors.length);
        config.acceptors = new AcceptorConfig[0];
        reconfigure(config);
    }

    @Override
    public synchronized void stop() {
        for (SelectorTasks each : tasks) {
            each.close();
        }
        super.stop();
    }

    @Override
    public Session createSession(Socket socket) throws RejectedSessionException {
        if (context.connections.size() >= context.limits.connections().total()) {
            throw turnedAway(socket);
        }
        String address = AddressCounts.of(socket);
        if (!context.addresses.tryAdd(address)) {
            throw turnedAway(socket);
        }
        socket.setNoDelay(true);
        HttpConnection connection = new HttpConnection(socket, context, address);
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

    /**
     * Registers with the selector that has the fewest: one-nio picks the better of two at random.
     */
    @Override
    public void register(Session session) {
        int best = 0;
        for (int i = 1; i < selectors.length; i++) {
            if (selectors[i].selector.size() < selectors[best].selector.size()) {
                best = i;
            }
        }
        HttpConnection connection = (HttpConnection) session;
        connection.servedBy(tasks[best]);
        context.statistics.accepted.increment();
        selectors[best].selector.register(connection);
        // Only now, so that nothing closes a connection that is about to be registered.
        context.connections.add(connection);
        if (connection.isClosed()) {
            context.connections.remove(connection);
        }
    }
}

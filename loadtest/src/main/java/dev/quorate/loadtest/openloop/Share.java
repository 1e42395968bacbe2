package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.ClientConnection;
import dev.quorate.loadtest.load.Load;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * The connections of one thread.
 *
 * @param thread its number, from zero on
 * @param selector that watches all of them
 */
record Share(int thread, Selector selector, List<ScheduledConnection> connections)
        implements Closeable {

    private static final int CONNECT_LIMIT_MILLIS = 5_000;

    /**
     * Opens them, one after the other: many at once would overrun what a server takes.
     *
     * @throws IOException if one is refused, or not taken in time
     */
    static Share open(Load load, InetSocketAddress address, int thread) throws IOException {
        Share share = new Share(thread, Selector.open(), new ArrayList<>());
        Load.Clients clients = load.clients();
        try {
            for (int i = thread; i < clients.connections(); i += clients.threads()) {
                ScheduledConnection scheduled = new ScheduledConnection(load, i);
                scheduled.connection =
                        ClientConnection.open(
                                share.selector,
                                address,
                                CONNECT_LIMIT_MILLIS,
                                Dialect.of(load).parser(),
                                scheduled);
                share.connections.add(scheduled);
            }
            return share;
        } catch (IOException e) {
            share.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        connections.forEach(ScheduledConnection::closeConnection);
        selector.close();
    }
}

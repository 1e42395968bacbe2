package dev.quorate.loadtest.pressure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Very many clients that are slow in one way, in one thread. Each is followed until the node closes
 * its connection.
 */
final class SlowClients {

    /** A key with a value of a megabyte. */
    static final String LARGE_KEY = "pressure-large";

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int RECEIVE_BUFFER_BYTES = 4096;
    private static final int ROOM_BYTES = 1 << 16;

    /** {@code HTTP/1.1 503}. */
    private static final int STATUS_BYTES = 12;

    private static final long POLL_NANOS = NANOS_PER_SECOND / 10;

    /** After its deadline each is waited for so long, to see how late the node is. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * What became of them.
     *
     * @param closed connections that the node closed
     * @param left those that it did not, some time after the deadline
     * @param refused those that it answered with a 503
     * @param latestMillis how long after the deadline the last was closed; negative if before
     */
    record Result(int closed, int left, int refused, long latestMillis) {}

    private static final class Client {
        final SocketChannel channel;
        final ByteBuffer start;
        long begunNanos;
        long closedNanos;
        long actedNanos;
        boolean refused;

        Client(SocketChannel channel, ByteBuffer start) {
            this.channel = channel;
            this.start = start;
        }
    }

    private final InetSocketAddress address;
    private final SlowKind kind;
    private final LongSupplier nanoClock;
    private final ByteBuffer room = ByteBuffer.allocateDirect(ROOM_BYTES);
    private final ByteBuffer drop = Requests.bytes("x");
    private final List<Client> clients = new ArrayList<>();
    private int open;

    /** By that clock they send, read and wait. */
    SlowClients(InetSocketAddress address, SlowKind kind, LongSupplier nanoClock) {
        this.address = address;
        this.kind = kind;
        this.nanoClock = nanoClock;
    }

    /**
     * Opens so many connections and follows them to their end.
     *
     * @throws IOException if one cannot be opened: then it is not the node that closes it
     */
    Result run(int count) throws IOException {
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < count; i++) {
                connect(selector);
                selector.selectNow(this::ready);
            }
            long last = nanoClock.getAsLong() + kind.deadline().plus(PATIENCE).toNanos();
            long now = nanoClock.getAsLong();
            while (open > 0 && now < last) {
                selector.select(this::ready, 50);
                now = nanoClock.getAsLong();
                for (SelectionKey key : selector.keys()) {
                    act(key, now);
                }
            }
            return result(now);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            for (Client client : clients) {
                client.channel.close();
            }
        }
    }

    private void connect(Selector selector) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
        channel.configureBlocking(false);
        Client client = new Client(channel, kind.start());
        clients.add(client);
        open++;
        boolean connected = channel.connect(address);
        channel.register(
                selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, client);
    }

    private void ready(SelectionKey key) {
        Client client = (Client) key.attachment();
        if (key.isConnectable()) {
            connected(key, client);
            return;
        }
        try {
            if (key.isWritable()) {
                begin(key, client);
            } else if (key.isReadable()) {
                read(key, client, kind.reads() ? ROOM_BYTES : STATUS_BYTES);
                if (key.isValid() && !kind.reads()) {
                    key.interestOps(0);
                }
            }
        } catch (IOException e) {
            closed(key, client);
        }
    }

    private static void connected(SelectionKey key, Client client) {
        try {
            client.channel.finishConnect();
            key.interestOps(SelectionKey.OP_WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void begin(SelectionKey key, Client client) throws IOException {
        client.channel.write(client.start);
        if (!client.start.hasRemaining()) {
            client.begunNanos = nanoClock.getAsLong();
            client.actedNanos = client.begunNanos;
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    /** What a slow client does now and then. */
    private void act(SelectionKey key, long now) {
        Client client = (Client) key.attachment();
        if (!key.isValid() || client.begunNanos == 0) {
            return;
        }
        // One that reads nothing learns only by sending that the node has reset the connection.
        boolean polls =
                !kind.reads()
                        && now - client.begunNanos > kind.deadline().toNanos() - NANOS_PER_SECOND;
        long period = polls ? POLL_NANOS : NANOS_PER_SECOND;
        if (now - client.actedNanos < period) {
            return;
        }
        client.actedNanos = now;
        try {
            if (kind.drips() || polls) {
                client.channel.write(drop.rewind());
            }
            if (kind.sipBytes() > 0) {
                read(key, client, kind.sipBytes());
            }
        } catch (IOException e) {
            closed(key, client);
        }
    }

    private void read(SelectionKey key, Client client, int most) throws IOException {
        room.clear().limit(most);
        int count = client.channel.read(room);
        if (count < 0) {
            closed(key, client);
            return;
        }
        room.flip();
        boolean isRefusal =
                count >= STATUS_BYTES
                        && room.get(0) == 'H'
                        && room.get(STATUS_BYTES - 3) == '5'
                        && room.get(STATUS_BYTES - 1) == '3';
        if (isRefusal) {
            client.refused = true;
            closed(key, client);
            client.channel.close();
        }
    }

    private void closed(SelectionKey key, Client client) {
        key.cancel();
        client.closedNanos = nanoClock.getAsLong();
        open--;
    }

    private Result result(long now) {
        int closed = 0;
        int left = 0;
        int refused = 0;
        long latest = Long.MIN_VALUE;
        for (Client client : clients) {
            refused += client.refused ? 1 : 0;
            if (client.closedNanos == 0) {
                left++;
            } else {
                closed += client.refused ? 0 : 1;
            }
            if (client.begunNanos > 0 && !client.refused) {
                long end = client.closedNanos == 0 ? now : client.closedNanos;
                latest = Math.max(latest, end - client.begunNanos - kind.deadline().toNanos());
            }
        }
        return new Result(closed, left, refused, latest / (NANOS_PER_SECOND / 1000));
    }
}

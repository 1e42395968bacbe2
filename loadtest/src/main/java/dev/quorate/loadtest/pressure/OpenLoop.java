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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Clients that send at a rate whether they are answered or not, one request at a time on each of
 * many connections. What is due while all connections wait is not sent, and counted: where that is
 * much, there are too few of them for an open loop. One thread.
 */
public final class OpenLoop implements AutoCloseable {

    private static final int READ_BYTES = 1 << 16;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    /** How long what is still under way at the end is waited for. */
    private static final long LAST_WAIT_NANOS = 3 * NANOS_PER_SECOND;

    /** A request that no connection is free for is given up after that. */
    private static final long PATIENCE_NANOS = 50 * NANOS_PER_MILLI;

    /** Connections for the static answer, and how often it is asked for. */
    private static final int BESIDE = 4;

    private static final long BESIDE_GAP_NANOS = 5 * NANOS_PER_MILLI;
    private static final String STATIC = "GET /v0/status HTTP/1.1\r\nHost: x\r\n\r\n";

    private static final class Connection {
        final SocketChannel channel;
        final SelectionKey key;
        final AnswerReader reader = new AnswerReader();

        /** Whether it asks for the static answer beside the load. */
        final boolean isBeside;

        @Nullable ByteBuffer sending;
        boolean busy;
        long sentNanos;

        Connection(SocketChannel channel, SelectionKey key, boolean isBeside) {
            this.channel = channel;
            this.key = key;
            this.isBeside = isBeside;
        }
    }

    private final InetSocketAddress address;
    private final Selector selector = Selector.open();
    private final ByteBuffer input = ByteBuffer.allocateDirect(READ_BYTES);
    private final List<Connection> all = new ArrayList<>();
    private final ArrayDeque<Connection> idle = new ArrayDeque<>();
    private final ArrayDeque<Connection> idleBeside = new ArrayDeque<>();
    private Phase phase = new Phase();
    private Phase beside = new Phase();
    private int busy;

    /**
     * Opens the connections.
     *
     * @throws IOException if one cannot be opened
     */
    public OpenLoop(InetSocketAddress address, int connections) throws IOException {
        this.address = address;
        for (int i = 0; i < connections; i++) {
            open(false);
        }
    }

    /**
     * From now on asks for the static answer too, by a few connections of their own: in this
     * thread, which has the load to send and to read, so that it waits for all that the load waits
     * for but what its own requests cost.
     */
    void askBeside() throws IOException {
        for (int i = 0; i < BESIDE; i++) {
            open(true);
        }
    }

    /** What became of the static answers of the last phase. */
    Phase beside() {
        return beside;
    }

    private void open(boolean isBeside) throws IOException {
        SocketChannel channel = SocketChannel.open(address);
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        Connection connection = new Connection(channel, key, isBeside);
        key.attach(connection);
        all.add(connection);
        idleOf(connection).add(connection);
    }

    private ArrayDeque<Connection> idleOf(Connection connection) {
        return connection.isBeside ? idleBeside : idle;
    }

    private Phase phaseOf(Connection connection) {
        return connection.isBeside ? beside : phase;
    }

    /**
     * Sends for so long, and waits for the answers.
     *
     * @param rate requests a second; 0 for one after the other on each connection
     */
    public Phase run(Supplier<ByteBuffer> requests, double rate, Duration length)
            throws IOException {
        return run(requests, rate, length, Long.MAX_VALUE);
    }

    /** As the other, and not more than so many. */
    public Phase run(Supplier<ByteBuffer> requests, double rate, Duration length, long most)
            throws IOException {
        long end = System.nanoTime() + length.toNanos();
        return run(requests, rate, () -> System.nanoTime() - end < 0, most);
    }

    /** As long as it is told to go on. */
    public Phase runWhile(Supplier<ByteBuffer> requests, double rate, BooleanSupplier goesOn)
            throws IOException {
        return run(requests, rate, goesOn, Long.MAX_VALUE);
    }

    private Phase run(Supplier<ByteBuffer> requests, double rate, BooleanSupplier goesOn, long most)
            throws IOException {
        phase = new Phase();
        beside = new Phase();
        long besideDue = 0;
        long begun = System.nanoTime();
        double gapNanos = rate > 0 ? NANOS_PER_SECOND / rate : 0;
        long dealtWith = 0;
        long now = begun;
        while (goesOn.getAsBoolean() && dealtWith < most) {
            long due = gapNanos == 0 ? most : Math.min(most, (long) ((now - begun) / gapNanos) + 1);
            while (dealtWith < due && !idle.isEmpty()) {
                send(idle.poll(), requests.get());
                dealtWith++;
            }
            if (gapNanos > 0) {
                long hopeless = (long) ((now - begun - PATIENCE_NANOS) / gapNanos);
                if (hopeless > dealtWith) {
                    phase.unsent(hopeless - dealtWith);
                    dealtWith = hopeless;
                }
            }
            if (now - begun >= besideDue && !idleBeside.isEmpty()) {
                send(idleBeside.poll(), Requests.bytes(STATIC));
                besideDue = now - begun + BESIDE_GAP_NANOS;
            }
            boolean waits = dealtWith >= due || idle.isEmpty();
            poll(waits ? 1 : 0);
            now = System.nanoTime();
        }
        double seconds = (double) (now - begun) / NANOS_PER_SECOND;
        while (busy > 0 && System.nanoTime() - now < LAST_WAIT_NANOS) {
            poll(1);
        }
        phase.end(seconds, busy);
        beside.end(seconds, 0);
        if (busy > 0) {
            replaceBusy();
        }
        return phase;
    }

    /** Those from which an answer of this phase might come in the next. */
    private void replaceBusy() throws IOException {
        List<Connection> stuck = all.stream().filter(connection -> connection.busy).toList();
        for (Connection connection : stuck) {
            replace(connection);
        }
    }

    private void poll(long millis) throws IOException {
        if (millis == 0) {
            selector.selectNow(this::ready);
        } else {
            selector.select(this::ready, millis);
        }
    }

    private void send(Connection connection, ByteBuffer request) throws IOException {
        connection.busy = true;
        busy++;
        connection.sentNanos = System.nanoTime();
        connection.sending = request;
        write(connection);
    }

    private void write(Connection connection) throws IOException {
        ByteBuffer sending = connection.sending;
        if (sending == null) {
            return;
        }
        try {
            connection.channel.write(sending);
        } catch (IOException e) {
            // What the node said before it closed may still be there to read.
            sending.position(sending.limit());
        }
        boolean done = !sending.hasRemaining();
        if (done) {
            connection.sending = null;
        }
        connection.key.interestOps(
                done ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }

    private void ready(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            if (key.isValid() && key.isWritable()) {
                write(connection);
            }
            if (key.isValid() && key.isReadable()) {
                read(connection);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Connection connection) throws IOException {
        input.clear();
        int count;
        try {
            count = connection.channel.read(input);
        } catch (IOException e) {
            count = -1;
        }
        input.flip();
        while (input.hasRemaining() && connection.busy) {
            if (!connection.reader.feed(input)) {
                return;
            }
            AnswerReader answer = connection.reader;
            long nanos = System.nanoTime() - connection.sentNanos;
            phaseOf(connection).answered(answer.status(), answer.hasRetryAfter(), nanos);
            connection.busy = false;
            busy--;
            if (answer.closes() || connection.sending != null) {
                replace(connection);
                return;
            }
            idleOf(connection).add(connection);
        }
        if (count < 0) {
            if (connection.busy) {
                phaseOf(connection).broken();
            }
            replace(connection);
        }
    }

    private void replace(Connection connection) throws IOException {
        if (connection.busy) {
            connection.busy = false;
            busy--;
        } else {
            idleOf(connection).remove(connection);
        }
        all.remove(connection);
        connection.channel.close();
        open(connection.isBeside);
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : all) {
            connection.channel.close();
        }
        selector.close();
    }
}

package dev.quorate.loadtest.pressure;

import dev.quorate.loadtest.http.AnswerParser;
import dev.quorate.loadtest.http.AnswerReader;
import dev.quorate.loadtest.http.BodyReader;
import dev.quorate.loadtest.http.ClientConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
    private static final int CONNECT_LIMIT_MILLIS = 60_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    /** How long what is still under way at the end is waited for. */
    private static final long LAST_WAIT_NANOS = 3 * NANOS_PER_SECOND;

    /** A request that finds no free connection is dropped after this time. */
    private static final long PATIENCE_NANOS = 50 * NANOS_PER_MILLI;

    /** Connections for the static answer, and how often it is asked for. */
    private static final int BESIDE = 4;

    private static final long BESIDE_GAP_NANOS = 5 * NANOS_PER_MILLI;
    private static final String STATIC = "GET /v0/status HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static final class Client {
        /** Whether it asks for the static answer beside the load. */
        final boolean isBeside;

        private @Nullable ClientConnection connection;
        boolean busy;
        long sentNanos;

        Client(boolean isBeside) {
            this.isBeside = isBeside;
        }

        ClientConnection connection() {
            return Objects.requireNonNull(connection);
        }
    }

    private final InetSocketAddress address;
    private final Selector selector = Selector.open();
    private final ByteBuffer input = ByteBuffer.allocateDirect(READ_BYTES);
    private final List<Client> all = new ArrayList<>();
    private final ArrayDeque<Client> idle = new ArrayDeque<>();
    private final ArrayDeque<Client> idleBeside = new ArrayDeque<>();
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
        Client client = new Client(isBeside);
        connect(client);
        all.add(client);
        idleOf(client).add(client);
    }

    private void connect(Client client) throws IOException {
        client.connection =
                ClientConnection.open(
                        selector, address, CONNECT_LIMIT_MILLIS, new AnswerReader(), client);
    }

    private ArrayDeque<Client> idleOf(Client client) {
        return client.isBeside ? idleBeside : idle;
    }

    private Phase phaseOf(Client client) {
        return client.isBeside ? beside : phase;
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

    /** Runs until it is stopped. */
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
        for (Client client : all) {
            if (client.busy) {
                client.busy = false;
                busy--;
                replace(client);
                idleOf(client).add(client);
            }
        }
    }

    private void poll(long millis) throws IOException {
        if (millis == 0) {
            selector.selectNow(this::ready);
        } else {
            selector.select(this::ready, millis);
        }
    }

    private void send(Client client, ByteBuffer request) {
        client.busy = true;
        busy++;
        client.sentNanos = System.nanoTime();
        client.connection().send(request);
    }

    private void ready(SelectionKey key) {
        Client client = (Client) key.attachment();
        try {
            switch (client.connection().ready(input, BodyReader.NONE)) {
                case ANSWERED -> answered(client);
                case ENDED -> ended(client);
                case NOTHING, CONNECTED -> {}
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answered(Client client) throws IOException {
        boolean wasBusy = client.busy;
        if (wasBusy) {
            AnswerParser answer = client.connection().answer();
            long nanos = System.nanoTime() - client.sentNanos;
            phaseOf(client).answered(answer.status(), answer.hasRetryAfter(), nanos);
            client.busy = false;
            busy--;
            idleOf(client).add(client);
        }
        // An unexpected answer may be that to a request that timed out.
        if (!wasBusy || !client.connection().canGoOn()) {
            replace(client);
        }
    }

    private void ended(Client client) throws IOException {
        if (client.busy) {
            phaseOf(client).broken();
            client.busy = false;
            busy--;
            idleOf(client).add(client);
        }
        replace(client);
    }

    private void replace(Client client) throws IOException {
        client.connection().close();
        connect(client);
    }

    @Override
    public void close() throws IOException {
        for (Client client : all) {
            client.connection().close();
        }
        selector.close();
    }
}

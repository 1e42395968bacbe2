package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.AnswerReader;
import dev.quorate.loadtest.http.ClientConnection;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.openloop.Worker.ScheduledConnection.State;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread of the load generator. It sends due requests on its connections and reads the answers.
 * Times are in nanoseconds from the start of the load.
 *
 * <p>A connection that is behind its schedule sends as soon as it is answered, until it has caught
 * up. Requests that were due before the end are still sent and awaited, for at most two seconds, so
 * that a stall at the end counts like one in the middle.
 */
final class Worker implements Runnable {

    /** The longest wait without a due request, so that a stop is noticed. */
    private static final long LONGEST_SLEEP_MILLIS = 100;

    /** One body in this many is compared if not all are. */
    private static final int SAMPLE = 64;

    private final InetSocketAddress address;
    private final Share share;
    private final LongSupplier nanosFromStart;
    private final RequestStream requests;
    private final boolean checksAll;
    private final boolean inOrder;
    private final boolean isConditional;
    private final long giveUpNanos;
    private final Tally tally;
    private final ByteBuffer input = ByteBuffer.allocateDirect(1 << 16);
    private final ByteBuffer output;
    private final Consumer<SelectionKey> ready = this::ready;

    private long nextTick;
    private int connectionsLeft;
    private long sent;
    private long answered;
    private volatile boolean stopped;
    private volatile boolean hasAnswer;

    /**
     * @param share closed at the end
     * @param nanosFromStart the clock; negative before the start of the load
     */
    Worker(
            Load load,
            InetSocketAddress address,
            String host,
            Share share,
            LongSupplier nanosFromStart) {
        this.address = address;
        this.share = share;
        this.nanosFromStart = nanosFromStart;
        this.requests = new RequestStream(load, host, share.thread());
        this.checksAll = load.manner().checks();
        this.inOrder = load.inOrder();
        this.isConditional = load.requests().operation() == Load.Operation.PUT_IF_MATCH;
        Load.Timing timing = load.timing();
        long seconds = (long) timing.warmUpSeconds() + timing.seconds();
        this.giveUpNanos = TimeUnit.SECONDS.toNanos(seconds) + Tally.PATIENCE_NANOS;
        this.tally = new Tally(TimeUnit.SECONDS.toNanos(timing.warmUpSeconds()));
        this.output = ByteBuffer.allocateDirect(requests.mostBytes());
        this.connectionsLeft = share.connections().size();
    }

    @Override
    public void run() {
        try (share) {
            for (ScheduledConnection scheduled : share.connections()) {
                sleepUntil(scheduled, scheduled.schedule.dueNanos(0));
            }
            long now = nanosFromStart.getAsLong();
            while (connectionsLeft > 0 && !stopped && now < giveUpNanos) {
                long tick = Schedule.tickAt(now);
                if (tick >= nextTick) {
                    wake(tick);
                }
                long millis = Math.clamp(nextTick - tick, 1, LONGEST_SLEEP_MILLIS);
                if (connectionsLeft > 0) {
                    share.selector().select(ready, millis);
                }
                now = nanosFromStart.getAsLong();
            }
            giveUp(now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Wakes the connections that wait until this tick. */
    private void wake(long tick) {
        nextTick = Long.MAX_VALUE;
        for (ScheduledConnection scheduled : share.connections()) {
            if (scheduled.state == State.WAITING) {
                if (scheduled.wakeTick <= tick) {
                    sendNext(scheduled, nanosFromStart.getAsLong());
                } else {
                    nextTick = Math.min(nextTick, scheduled.wakeTick);
                }
            }
        }
    }

    private void sleepUntil(ScheduledConnection scheduled, long nanos) {
        scheduled.wakeTick = Schedule.tickFrom(nanos);
        nextTick = Math.min(nextTick, scheduled.wakeTick);
    }

    /** Sends the next request of an idle connection, or waits until it is due, or ends. */
    private void sendNext(ScheduledConnection scheduled, long now) {
        boolean isOver =
                scheduled.schedule.isOver(scheduled.number, now)
                        || (requests.isOver() && !scheduled.isRepeated);
        if (isOver) {
            scheduled.state = State.OVER;
            connectionsLeft--;
            return;
        }
        ClientConnection connection = scheduled.connection;
        if (connection == null) {
            connect(scheduled, now);
        } else if (scheduled.schedule.dueNanos(scheduled.number) > now) {
            sleepUntil(scheduled, scheduled.schedule.dueNanos(scheduled.number));
        } else {
            send(scheduled, connection, now);
        }
    }

    private void connect(ScheduledConnection scheduled, long now) {
        try {
            scheduled.state = State.CONNECTING;
            scheduled.connection =
                    ClientConnection.open(
                            share.selector(), address, 0, new AnswerReader(), scheduled);
        } catch (IOException e) {
            failed(scheduled, now);
        }
    }

    private void send(ScheduledConnection scheduled, ClientConnection connection, long now) {
        if (!scheduled.isRepeated) {
            requests.next(scheduled.asked);
            sent++;
        }
        scheduled.body.begin(scheduled.asked, checksAll || sent % SAMPLE == 1);
        output.clear();
        requests.encode(scheduled.asked, output);
        scheduled.state = State.BUSY;
        scheduled.sentNanos = now;
        connection.send(output.flip());
    }

    private void ready(SelectionKey key) {
        ScheduledConnection scheduled = (ScheduledConnection) key.attachment();
        ClientConnection connection = scheduled.connection;
        if (connection == null) {
            return;
        }
        try {
            ClientConnection.Outcome outcome = connection.ready(input, scheduled.body);
            long now = nanosFromStart.getAsLong();
            switch (outcome) {
                case ANSWERED -> answered(scheduled, connection, now);
                case CONNECTED -> {
                    scheduled.state = State.WAITING;
                    sendNext(scheduled, now);
                }
                case ENDED -> failed(scheduled, now);
                case NOTHING -> {}
            }
        } catch (ProtocolException e) {
            tally.noAnswer(String.valueOf(e.getMessage()));
            failed(scheduled, nanosFromStart.getAsLong());
        }
    }

    private void answered(ScheduledConnection scheduled, ClientConnection connection, long now) {
        if (scheduled.state != State.BUSY) {
            tally.noAnswer("an answer without a request");
            failed(scheduled, now);
            return;
        }
        int status = connection.answer().status();
        if (isConditional) {
            Asked asked = scheduled.asked;
            asked.tagBytes = status == 201 ? connection.answer().copyTag(asked.tag) : 0;
        }
        long latency = scheduled.schedule.latencyNanos(scheduled.number, scheduled.sentNanos, now);
        tally.answered(status, latency, now - scheduled.sentNanos, now);
        if (status == 200 && !scheduled.body.isRight()) {
            tally.recordWrongBody();
        }
        answered++;
        if (!hasAnswer) {
            hasAnswer = true;
        }
        scheduled.answered();
        if (!connection.isReusable()) {
            scheduled.closeConnection();
        }
        sendNext(scheduled, now);
    }

    /** Handles a failed connection. It is opened again even if no request is due. */
    private void failed(ScheduledConnection scheduled, long now) {
        scheduled.closeConnection();
        if (scheduled.state != State.OVER) {
            tally.failed(now);
            sleepUntil(scheduled, now + scheduled.failed());
        }
    }

    /** Counts outstanding requests that have exceeded the timeout, and unfinished connections. */
    private void giveUp(long now) {
        for (ScheduledConnection scheduled : share.connections()) {
            boolean isStuck =
                    switch (scheduled.state) {
                        case BUSY -> now - scheduled.sentNanos >= Tally.PATIENCE_NANOS;
                        case CONNECTING -> true;
                        case WAITING, OVER -> false;
                    };
            if (isStuck) {
                tally.failed(now);
            }
        }
    }

    /** Ends the thread soon. Any thread may call this. */
    void stop() {
        stopped = true;
    }

    /** Whether there was any answer, including before the measurement. */
    boolean hasAnswer() {
        return hasAnswer;
    }

    Tally tally() {
        return tally;
    }

    /** Whether each key of this thread was answered in a load in order. Valid at the end. */
    boolean reachedLastKey() {
        return inOrder && sent >= requests.keyCount() && answered == sent;
    }

    /** The connections of one thread, which has a number from 0, and their selector. */
    record Share(int thread, Selector selector, List<ScheduledConnection> connections)
            implements AutoCloseable {

        private static final int CONNECT_LIMIT_MILLIS = 5_000;

        /**
         * Opens the connections one after the other, so as not to exceed the server's backlog.
         *
         * @throws IOException if a connection is refused, or not accepted in time
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
                                    new AnswerReader(),
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
        public void close() {
            connections.forEach(ScheduledConnection::closeConnection);
            try {
                selector.close();
            } catch (IOException e) {
                // The load has ended anyway.
            }
        }
    }

    /** The state of a connection with a schedule. For one thread. */
    static final class ScheduledConnection {

        enum State {
            /** Until the next request is due, or until the next attempt to connect. */
            WAITING,
            CONNECTING,
            BUSY,
            /** All requests are answered. */
            OVER
        }

        private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
        private static final int MAX_DOUBLINGS = 3;

        final Schedule schedule;
        final Asked asked;
        final BodyCheck body;

        @Nullable ClientConnection connection;

        State state = State.WAITING;

        /** The tick at which the wait ends. */
        long wakeTick;

        /** The number of the outstanding or next request. */
        long number;

        /** Whether that request was already sent on a connection that failed. */
        boolean isRepeated;

        long sentNanos;
        private int failures;

        ScheduledConnection(Load load, int index) {
            schedule = Schedule.of(index, load);
            asked = new Asked(index);
            body = new BodyCheck(load.requests());
        }

        void answered() {
            number++;
            isRepeated = false;
            failures = 0;
            state = State.WAITING;
        }

        /** Records a failed connection. Returns the pause before the next attempt, which grows. */
        long failed() {
            isRepeated |= state == State.BUSY;
            state = State.WAITING;
            long pause = FIRST_PAUSE_NANOS << Math.min(failures, MAX_DOUBLINGS);
            failures++;
            return pause;
        }

        void closeConnection() {
            ClientConnection closing = connection;
            if (closing != null) {
                closing.close();
                connection = null;
            }
        }
    }
}

package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.ClientConnection;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.openloop.Lane.State;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One thread of the load generator: sends on its connections what is due, and reads the answers.
 * Times are in nanoseconds from the start of the load.
 *
 * <p>A connection that is behind its schedule sends as soon as it is answered, until it has caught
 * up. When the time is over, what was due before is still sent and waited for, so that a stall at
 * the end shows as one in the middle does; but for two seconds at most.
 */
final class Worker implements Runnable {

    private static final int READ_BYTES = 1 << 16;

    /** However long nothing is due: somebody may have said that it is to end. */
    private static final long LONGEST_SLEEP_MILLIS = 100;

    /** One of so many answers is looked at where not all are. */
    private static final int SAMPLE = 64;

    private final InetSocketAddress address;
    private final Share share;
    private final LongSupplier nanosFromStart;
    private final RequestStream requests;
    private final boolean looksAtAll;
    private final boolean inOrder;
    private final long giveUpNanos;
    private final Tally tally;
    private final ByteBuffer input = ByteBuffer.allocateDirect(READ_BYTES);
    private final ByteBuffer output;
    private final Consumer<SelectionKey> ready = this::ready;

    private long nextTick;
    private int lanesLeft;
    private long sent;
    private long answered;
    private volatile boolean stopped;
    private volatile boolean hasAnswer;

    /**
     * Sends nothing yet.
     *
     * @param host as the server is to be called
     * @param share is closed at the end
     * @param nanosFromStart the clock; negative until the load is to start
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
        this.looksAtAll = load.manner().checks();
        this.inOrder = load.inOrder();
        Load.Timing timing = load.timing();
        long seconds = (long) timing.warmUpSeconds() + timing.seconds();
        this.giveUpNanos = TimeUnit.SECONDS.toNanos(seconds) + Tally.PATIENCE_NANOS;
        this.tally = new Tally(TimeUnit.SECONDS.toNanos(timing.warmUpSeconds()));
        this.output = ByteBuffer.allocateDirect(requests.mostBytes());
        this.lanesLeft = share.lanes().size();
    }

    @Override
    public void run() {
        try (share) {
            for (Lane lane : share.lanes()) {
                sleepUntil(lane, lane.schedule.dueNanos(0));
            }
            long now = nanosFromStart.getAsLong();
            while (lanesLeft > 0 && !stopped && now < giveUpNanos) {
                long tick = Ticks.at(now);
                if (tick >= nextTick) {
                    wake(tick);
                }
                long millis = Math.clamp(nextTick - tick, 1, LONGEST_SLEEP_MILLIS);
                if (lanesLeft > 0) {
                    share.selector().select(ready, millis);
                }
                now = nanosFromStart.getAsLong();
            }
            giveUp(now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that sleep until this tick. */
    private void wake(long tick) {
        nextTick = Long.MAX_VALUE;
        for (Lane lane : share.lanes()) {
            if (lane.state == State.WAITING) {
                if (lane.wakeTick <= tick) {
                    goOn(lane, nanosFromStart.getAsLong());
                } else {
                    nextTick = Math.min(nextTick, lane.wakeTick);
                }
            }
        }
    }

    private void sleepUntil(Lane lane, long nanos) {
        lane.wakeTick = Ticks.from(nanos);
        nextTick = Math.min(nextTick, lane.wakeTick);
    }

    /** With a connection on which nothing is under way. */
    private void goOn(Lane lane, long now) {
        boolean isOver =
                lane.schedule.isOver(lane.number, now) || (requests.isOver() && !lane.isRepeated);
        if (isOver) {
            lane.state = State.OVER;
            lanesLeft--;
            return;
        }
        ClientConnection connection = lane.connection;
        if (connection == null) {
            connect(lane, now);
        } else if (lane.schedule.dueNanos(lane.number) > now) {
            sleepUntil(lane, lane.schedule.dueNanos(lane.number));
        } else {
            send(lane, connection, now);
        }
    }

    private void connect(Lane lane, long now) {
        try {
            lane.state = State.CONNECTING;
            lane.connection = ClientConnection.begin(share.selector(), address, lane);
        } catch (IOException e) {
            failed(lane, now);
        }
    }

    private void send(Lane lane, ClientConnection connection, long now) {
        if (!lane.isRepeated) {
            requests.next(lane.asked);
            sent++;
        }
        lane.body.begin(lane.asked, looksAtAll || sent % SAMPLE == 1);
        output.clear();
        requests.encode(lane.asked, output);
        lane.state = State.BUSY;
        lane.sentNanos = now;
        connection.send(output.flip());
    }

    private void ready(SelectionKey key) {
        Lane lane = (Lane) key.attachment();
        ClientConnection connection = lane.connection;
        if (connection == null) {
            return;
        }
        try {
            ClientConnection.Outcome outcome = connection.ready(input, lane.body);
            long now = nanosFromStart.getAsLong();
            switch (outcome) {
                case ANSWERED -> answered(lane, connection, now);
                case CONNECTED -> {
                    lane.state = State.WAITING;
                    goOn(lane, now);
                }
                case ENDED -> failed(lane, now);
                case NOTHING -> {}
            }
        } catch (ProtocolException e) {
            tally.noAnswer(String.valueOf(e.getMessage()));
            failed(lane, nanosFromStart.getAsLong());
        }
    }

    private void answered(Lane lane, ClientConnection connection, long now) {
        if (lane.state != State.BUSY) {
            tally.noAnswer("an answer came that nobody had asked for");
            failed(lane, now);
            return;
        }
        int status = connection.answer().status();
        long latency = lane.schedule.latencyNanos(lane.number, lane.sentNanos, now);
        tally.answered(status, latency, now - lane.sentNanos, now);
        if (status == 200 && !lane.body.isRight()) {
            tally.strangeBody();
        }
        answered++;
        if (!hasAnswer) {
            hasAnswer = true;
        }
        lane.answered();
        if (!connection.canGoOn()) {
            lane.closeConnection();
        }
        goOn(lane, now);
    }

    /** One that fails while nothing is due is opened again like any other. */
    private void failed(Lane lane, long now) {
        lane.closeConnection();
        if (lane.state != State.OVER) {
            tally.failed(now);
            sleepUntil(lane, now + lane.failed());
        }
    }

    /** What is not answered yet never will be, as far as this load is concerned. */
    private void giveUp(long now) {
        for (Lane lane : share.lanes()) {
            boolean isStuck =
                    switch (lane.state) {
                        case BUSY -> now - lane.sentNanos >= Tally.PATIENCE_NANOS;
                        case CONNECTING -> true;
                        case WAITING, OVER -> false;
                    };
            if (isStuck) {
                tally.failed(now);
            }
        }
    }

    /** Has it end soon, from another thread. */
    void stop() {
        stopped = true;
    }

    /** Whether anything was answered, also while nothing counted. */
    boolean hasAnswer() {
        return hasAnswer;
    }

    Tally tally() {
        return tally;
    }

    /** Whether in a load in order each key of this thread was answered; known at the end. */
    boolean reachedLastKey() {
        return inOrder && sent >= requests.keyCount() && answered == sent;
    }
}

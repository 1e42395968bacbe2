package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.ClientConnection;
import dev.quorate.loadtest.load.Load;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection with its schedule: what it is at. For one thread. */
final class ScheduledConnection {

    enum State {
        /** For its next request to be due, or to connect again. */
        WAITING,
        CONNECTING,
        /** A request is under way. */
        BUSY,
        /** It sends no more. */
        OVER
    }

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MAX_DOUBLINGS = 3;

    final Schedule schedule;
    final Asked asked;
    final BodyCheck body;

    /** Null while there is none. */
    @Nullable ClientConnection connection;

    State state = State.WAITING;

    /** When it is looked at again, while it waits. */
    long wakeTick;

    /** Of the request that is under way, or comes next. */
    long number;

    /** Whether that request was sent before, and its connection failed. */
    boolean isRepeated;

    long sentNanos;
    private int failures;

    /** One of all connections of a load, by its number. */
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

    /** Its connection is gone; returns for how long none is opened: the longer, the oftener. */
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

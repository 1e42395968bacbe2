package dev.quorate.loadtest.openloop;

import dev.quorate.loadtest.http.ClientConnection;
import dev.quorate.loadtest.load.Load;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The state of a connection with a schedule. For one thread. */
final class ScheduledConnection {

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

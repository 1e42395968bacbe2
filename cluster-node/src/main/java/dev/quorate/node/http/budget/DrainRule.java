package dev.quorate.node.http.budget;

import java.time.Duration;
import java.util.List;

/**
 * Decides when a listener that is to close stops accepting connections, and when it closes. Pure:
 * the time and the connections are parameters.
 *
 * <p>HTTP/1.1 has no message by which a server announces that it closes an idle connection. A
 * request that is sent at that moment fails, and its client cannot know whether it was executed. So
 * a recently used connection stays open until its next answer, which announces that it is the last,
 * or until it has been quiet so long that a client in a loop would have sent a request.
 *
 * <p>Connections are accepted meanwhile, so that probes are answered. The port does not wait for
 * these late connections before it closes: a client that always opens new ones would prevent that.
 *
 * <p>Used by one thread.
 */
public final class DrainRule {

    /** How often to call {@link #next}. */
    public static final Duration TICK = Duration.ofMillis(50);

    /** How long a connection must have been quiet. */
    static final Duration QUIET = Duration.ofSeconds(1);

    /** How long an already quiet one stays open: its client may be sending a request. */
    static final Duration IDLE = Duration.ofMillis(200);

    public enum Use {
        /** A request arrives, or is being answered. */
        ANSWERING,
        /** It waits for a request. */
        OPEN,
        /** Its last answer is sent. */
        ENDED
    }

    /**
     * A connection now.
     *
     * @param isLate whether it was accepted after the drain began
     * @param activeAtNanos when it was last answered, or opened; if that was before the drain
     *     began, the actual time may be up to {@link HttpDeadlines#SWEEP} later
     */
    public record Connection(boolean isLate, Use use, long activeAtNanos) {}

    public enum Step {
        WAIT,
        /** Close the port. Returned once. */
        STOP_ACCEPTING,
        CLOSE
    }

    private final long begunAtNanos;
    private boolean hasStoppedAccepting;

    public DrainRule(long nowNanos) {
        begunAtNanos = nowNanos;
    }

    public Step next(long nowNanos, List<Connection> connections) {
        for (Connection connection : connections) {
            boolean isAwaited = hasStoppedAccepting || !connection.isLate();
            if (isAwaited && !isQuiet(nowNanos, connection)) {
                return Step.WAIT;
            }
        }
        if (hasStoppedAccepting) {
            return Step.CLOSE;
        }
        hasStoppedAccepting = true;
        return Step.STOP_ACCEPTING;
    }

    private boolean isQuiet(long nowNanos, Connection connection) {
        return switch (connection.use()) {
            case ANSWERING -> false;
            case OPEN -> {
                boolean isFromBefore = connection.activeAtNanos() - begunAtNanos < 0;
                long since =
                        connection.activeAtNanos()
                                + (isFromBefore ? HttpDeadlines.SWEEP.toNanos() : 0);
                yield nowNanos - since >= QUIET.toNanos()
                        && nowNanos - begunAtNanos >= IDLE.toNanos();
            }
            case ENDED -> true;
        };
    }
}

package dev.quorate.client;

import java.net.URI;

/** The address of a node, and what is known of it. Guarded by its {@link Endpoints}. */
final class Endpoint {

    private static final long FIRST_PAUSE_NANOS = 500_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 15_000_000_000L;

    private final URI uri;
    private long avoidedUntilNanos;
    private boolean isAvoided;
    private long pauseNanos;

    Endpoint(URI uri) {
        this.uri = uri;
    }

    URI uri() {
        return uri;
    }

    /** Whether others should be asked first. */
    boolean isAvoided(long nowNanos) {
        return isAvoided && nowNanos - avoidedUntilNanos < 0;
    }

    void note(Attempt attempt, long nowNanos) {
        if (attempt instanceof Attempt.Answered answered) {
            pauseNanos = 0;
            isAvoided = answered.isNothingAttempted();
            avoidedUntilNanos =
                    nowNanos + Math.max(1, answered.retryAfterSeconds()) * 1_000_000_000L;
        } else if (!(attempt instanceof Attempt.TooLarge)) {
            pauseNanos = Math.min(Math.max(FIRST_PAUSE_NANOS, pauseNanos * 2), LONGEST_PAUSE_NANOS);
            isAvoided = true;
            avoidedUntilNanos = nowNanos + pauseNanos;
        }
    }

    @Override
    public String toString() {
        return uri.toString();
    }
}

package dev.quorate.loadtest.load;

/**
 * A stretch of time, in nanoseconds since the epoch.
 *
 * @param toNanos its end, at which it is over; not before its beginning
 */
public record Span(long fromNanos, long toNanos) {

    public Span {
        if (toNanos < fromNanos) {
            throw new IllegalArgumentException("it ends " + (fromNanos - toNanos) + " ns too soon");
        }
    }

    /** For how long both last; 0 if they have no time in common. */
    public long overlapNanos(Span other) {
        return Math.max(0, Math.min(toNanos, other.toNanos) - Math.max(fromNanos, other.fromNanos));
    }

    /** The shortest span that contains both. */
    public Span with(Span other) {
        return new Span(Math.min(fromNanos, other.fromNanos), Math.max(toNanos, other.toNanos));
    }

    public long nanos() {
        return toNanos - fromNanos;
    }
}

package dev.quorate.testkit.history;

/**
 * When something happened.
 *
 * @param order the place among all events of a history, which alone is checked; equal places count
 *     as "at the same time", that is as neither before the other
 * @param nanos the time in nanoseconds since whatever the history counts from; for people
 */
public record Moment(long order, long nanos) {

    /** The end of an operation that was never answered. */
    public static final Moment NEVER = new Moment(Long.MAX_VALUE, Long.MAX_VALUE);

    /** Whether this was strictly earlier. */
    public boolean isBefore(Moment other) {
        return order < other.order;
    }
}

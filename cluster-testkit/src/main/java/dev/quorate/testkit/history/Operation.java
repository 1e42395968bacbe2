package dev.quorate.testkit.history;

/**
 * One operation of a client, and its answer.
 *
 * @param client who asked; any number
 * @param key in text, or whatever stands for the bytes
 * @param ack how many replicas had to agree, 1 to {@code from}
 * @param from how many were asked
 * @param began before the request left the client
 * @param ended after its answer was there; {@link Moment#NEVER} if there was none
 */
public record Operation(
        int client,
        String key,
        Action action,
        int ack,
        int from,
        Moment began,
        Moment ended,
        Answer answer) {

    /**
     * @throws IllegalArgumentException if the answer is none to this action, if it ended before it
     *     began, if it is known and never ended, or unless 1 ≤ ack ≤ from
     */
    public Operation {
        if (ack < 1 || ack > from) {
            throw new IllegalArgumentException(
                    "'ack' must be 1 to 'from', but they are " + ack + "/" + from + ".");
        }
        if (ended.isBefore(began)) {
            throw new IllegalArgumentException("It ended before it began: " + began + ", " + ended);
        }
        if (ended.equals(Moment.NEVER) && !(answer instanceof Answer.Indeterminate)) {
            throw new IllegalArgumentException("What has an answer has ended.");
        }
        if (!fits(action, answer)) {
            throw new IllegalArgumentException(
                    "'" + answer + "' is not an answer to " + action + ".");
        }
    }

    private static boolean fits(Action action, Answer answer) {
        return switch (answer) {
            case Answer.Stored(_) -> action instanceof Action.Put;
            case Answer.Deleted(_) -> action instanceof Action.Delete;
            case Answer.Value(_, _), Answer.Absent() -> action instanceof Action.Get;
            case Answer.Unmet(_) -> !action.condition().equals(HistoryCondition.NONE);
            case Answer.Indeterminate(_), Answer.Refused(_) -> true;
        };
    }

    /** The same request with an answer. */
    Operation answered(Moment end, Answer received) {
        return new Operation(client, key, action, ack, from, began, end, received);
    }

    /** What counts in place of this one, at the same time. */
    Operation as(Action other, Answer received) {
        return new Operation(client, key, other, ack, from, began, ended, received);
    }

    /** Whether its answer was there before the other one was asked. */
    public boolean isBefore(Operation other) {
        return ended.isBefore(other.began);
    }

    /** Whether it is an acknowledged write. */
    public boolean isAcknowledged() {
        return answer instanceof Answer.Stored || answer instanceof Answer.Deleted;
    }

    /** One line, such as {@code 3 1.000000 ms - 4 1.200000 ms client 7 "a" GET 2/3: absent}. */
    @Override
    public String toString() {
        String end =
                ended.equals(Moment.NEVER)
                        ? "never"
                        : ended.order() + " " + HistoryText.millis(ended);
        String times = began.order() + " " + HistoryText.millis(began) + " - " + end;
        String request = HistoryText.quoted(key) + "  " + action + " " + ack + "/" + from;
        return times + "  client " + client + "  " + request + ": " + answer;
    }

    /**
     * When something happened.
     *
     * @param order the place among all events of a history, which alone is checked; equal places
     *     count as "at the same time", that is as neither before the other
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
}

package dev.quorate.testkit.history;

/**
 * An operation of a client with its answer.
 *
 * @param client the number of the client; any number
 * @param ack the number of replicas that had to agree, 1 to {@code from}
 * @param began before the client sent the request
 * @param ended after the client received the answer; {@link Moment#NEVER} if it did not
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
     * @throws IllegalArgumentException if the answer does not fit the action, the end precedes the
     *     beginning, a known answer has no end, or unless 1 ≤ ack ≤ from
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
            throw new IllegalArgumentException("An operation with an answer has an end.");
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

    Operation answered(Moment end, Answer received) {
        return new Operation(client, key, action, ack, from, began, end, received);
    }

    /** Another operation with the same client, key, quorum and times. */
    Operation as(Action other, Answer received) {
        return new Operation(client, key, other, ack, from, began, ended, received);
    }

    public boolean isBefore(Operation other) {
        return ended.isBefore(other.began);
    }

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
     * The time of an event.
     *
     * @param order the place among all events of a history, which the checker uses; of events with
     *     equal places, neither is before the other
     * @param nanos the time in nanoseconds on the clock of the history, for display only
     */
    public record Moment(long order, long nanos) {

        /** The end of an operation that was never answered. */
        public static final Moment NEVER = new Moment(Long.MAX_VALUE, Long.MAX_VALUE);

        public boolean isBefore(Moment other) {
            return order < other.order;
        }
    }
}

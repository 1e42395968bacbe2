package dev.quorate.testkit.history;

import dev.quorate.testkit.history.Operation.Moment;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the operations of clients while they run. Thread-safe. Events are ordered as they are
 * reported, so a client reports a start before it sends the request, and an end after it has
 * received the answer.
 */
public final class Recorder {

    /** An outstanding operation. */
    public final class Call {

        /** So far: without an answer its outcome is unknown. Guarded by the recorder. */
        private Operation operation;

        private Call(Operation operation) {
            this.operation = operation;
        }

        /**
         * Records the answer.
         *
         * @param nanos when, on the clock of the history
         * @throws IllegalStateException if it was reported already
         * @throws IllegalArgumentException if the answer does not fit the operation
         */
        public void end(Answer answer, long nanos) {
            synchronized (Recorder.this) {
                if (!operation.ended().equals(Moment.NEVER)) {
                    throw new IllegalStateException("It has ended already: " + operation);
                }
                operation = operation.answered(new Moment(nextOrder, nanos), answer);
                nextOrder++;
            }
        }
    }

    // Both guarded by this.
    private final List<Call> calls = new ArrayList<>();
    private long nextOrder;

    /**
     * Records the start of a request.
     *
     * @param nanos when, on the clock of the history
     */
    public Call begin(int client, String key, Action action, int ack, int from, long nanos) {
        synchronized (this) {
            Moment began = new Moment(nextOrder, nanos);
            Answer none = new Answer.Indeterminate("no answer");
            Call call =
                    new Call(
                            new Operation(
                                    client, key, action, ack, from, began, Moment.NEVER, none));
            nextOrder++;
            calls.add(call);
            return call;
        }
    }

    /** All operations so far; outstanding ones count as never answered. */
    public History history() {
        synchronized (this) {
            return new History(calls.stream().map(call -> call.operation).toList());
        }
    }
}

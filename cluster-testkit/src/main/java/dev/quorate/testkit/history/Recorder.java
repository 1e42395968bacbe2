package dev.quorate.testkit.history;

import dev.quorate.testkit.history.Operation.Moment;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the operations of clients. Thread-safe. Events have the order in which they are recorded:
 * a client records the start before it sends a request, and the end after it received the answer.
 */
public final class Recorder {

    public final class Call {

        /** Has an unknown outcome until the answer is recorded. Guarded by the recorder. */
        private Operation operation;

        private Call(Operation operation) {
            this.operation = operation;
        }

        /**
         * Records the answer.
         *
         * @param nanos the time on the clock of the history
         * @throws IllegalStateException if an answer was already recorded
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
     * @param nanos the time on the clock of the history
     */
    public synchronized Call begin(
            int client, String key, Action action, int ack, int from, long nanos) {
        Moment began = new Moment(nextOrder, nanos);
        Answer none = new Answer.Indeterminate("no answer");
        Call call =
                new Call(new Operation(client, key, action, ack, from, began, Moment.NEVER, none));
        nextOrder++;
        calls.add(call);
        return call;
    }

    /** All operations so far. Outstanding ones have no answer. */
    public synchronized History history() {
        return new History(calls.stream().map(call -> call.operation).toList());
    }
}

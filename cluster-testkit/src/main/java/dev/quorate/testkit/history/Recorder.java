package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records the operations of clients while they run. Thread-safe. Events are ordered as they are
 * reported, so a client reports a start before it sends the request, and an end after it has
 * received the answer.
 */
public final class Recorder {

    /** An outstanding operation. */
    public final class Call {

        private final int client;
        private final String key;
        private final Action action;
        private final int ack;
        private final int from;
        private final Moment began;

        // Guarded by the recorder.
        private @Nullable Operation done;

        private Call(int client, String key, Action action, int ack, int from, Moment began) {
            this.client = client;
            this.key = key;
            this.action = action;
            this.ack = ack;
            this.from = from;
            this.began = began;
        }

        /**
         * Records the answer.
         *
         * @param nanos when, on the clock of the history
         * @throws IllegalStateException if it was reported already
         * @throws IllegalArgumentException if it is no answer to what was asked
         */
        public void end(Answer answer, long nanos) {
            synchronized (Recorder.this) {
                if (done != null) {
                    throw new IllegalStateException("It has ended already: " + done);
                }
                done = operation(new Moment(nextOrder, nanos), answer);
                nextOrder++;
            }
        }

        private Operation operation(Moment ended, Answer answer) {
            return new Operation(client, key, action, ack, from, began, ended, answer);
        }

        /** The operation so far: without an answer its outcome is unknown. */
        private Operation soFar() {
            return Objects.requireNonNullElseGet(
                    done, () -> operation(Moment.NEVER, new Answer.Indeterminate("no answer")));
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
            Call call = new Call(client, key, action, ack, from, new Moment(nextOrder, nanos));
            nextOrder++;
            calls.add(call);
            return call;
        }
    }

    /** All operations so far; outstanding ones count as never answered. */
    public History history() {
        synchronized (this) {
            return new History(calls.stream().map(Call::soFar).toList());
        }
    }
}

package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes down what clients do, while they do it. For any number of threads: events get their places
 * in the order in which they are reported, so a client reports a beginning before its request
 * leaves, and an end after the answer is there.
 */
public final class Recorder {

    /** An operation that is under way. */
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
         * The answer is there.
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

        /** As it stands: without an answer, nobody knows. */
        private Operation soFar() {
            return Objects.requireNonNullElseGet(
                    done, () -> operation(Moment.NEVER, new Answer.Indeterminate("no answer")));
        }
    }

    // Both guarded by this.
    private final List<Call> calls = new ArrayList<>();
    private long nextOrder;

    /**
     * A client is about to send a request.
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

    /** All so far; what is under way counts as never answered. */
    public History history() {
        synchronized (this) {
            return new History(calls.stream().map(Call::soFar).toList());
        }
    }
}

package dev.quorate.router.background;

import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.storage.Entry;
import java.time.Duration;
import java.util.List;

/**
 * The next step of a {@link Job}.
 *
 * @param <X> the exchanges of the job
 */
public sealed interface Step<X> {

    /** Asks another member. {@link Job#answered} receives the answer. */
    record Ask<X>(X exchange, Replica whom, ReplicaRequest request) implements Step<X> {}

    /** Writes entries to this node, unchanged. {@link Job#wrote} receives the result. */
    record Write<X>(X exchange, List<Entry> entries) implements Step<X> {
        public Write {
            entries = List.copyOf(entries);
        }
    }

    /** Does nothing until an answer or another event. */
    record Await<X>() implements Step<X> {}

    /** Executes no step for this duration; answers are still received. */
    record Pause<X>(Duration duration) implements Step<X> {}

    /** Ends the job. Outstanding answers are ignored. */
    record End<X>() implements Step<X> {}
}

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

    /** Asks another member. The answer comes as {@link Job#answered}. */
    record Ask<X>(X exchange, Replica whom, ReplicaRequest request) implements Step<X> {}

    /** Writes entries to this node, unchanged. The end comes as {@link Job#wrote}. */
    record Write<X>(X exchange, List<Entry> entries) implements Step<X> {
        public Write {
            entries = List.copyOf(entries);
        }
    }

    /** Does nothing until an answer or another event. */
    record Await<X>() implements Step<X> {}

    /** Takes no new step for so long; answers are still taken. */
    record Pause<X>(Duration duration) implements Step<X> {}

    /** Ends the job. Outstanding answers are ignored. */
    record End<X>() implements Step<X> {}
}

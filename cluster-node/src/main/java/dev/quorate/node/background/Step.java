package dev.quorate.node.background;

import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.storage.Entry;
import java.time.Duration;
import java.util.List;

/**
 * What a {@link Job} does next.
 *
 * @param <X> the exchanges of the job
 */
public sealed interface Step<X> {

    /** Asks another member. The answer comes as {@link Job#answered}. */
    record Ask<X>(X exchange, Replica whom, ReplicaRequest request) implements Step<X> {}

    /** Writes entries to this node, as they are. Their end comes as {@link Job#wrote}. */
    record Write<X>(X exchange, List<Entry> entries) implements Step<X> {
        public Write {
            entries = List.copyOf(entries);
        }
    }

    /** Nothing, until an answer or another event comes. */
    record Await<X>() implements Step<X> {}

    /** Nothing new for so long; answers are still taken. */
    record Pause<X>(Duration duration) implements Step<X> {}

    /** The job is over. What is still under way is of no use. */
    record End<X>() implements Step<X> {}
}

package dev.quorate.node.console;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Takes a sample of the node every {@link #PERIOD}, and stores those of the last hour. */
final class NodeSampler {

    static final Duration PERIOD = Duration.ofSeconds(5);

    private final List<String> peers;
    private final Supplier<NodeReading> node;
    private final RateHistory history;

    /** Guarded by this. */
    private NodeReading before;

    /**
     * @param peers the names of the other members
     * @param node reads the node
     */
    NodeSampler(List<String> peers, Supplier<NodeReading> node) {
        this.peers = List.copyOf(peers);
        this.node = node;
        this.history = new RateHistory(Sample.names(peers));
        this.before = node.get();
    }

    RateHistory history() {
        return history;
    }

    /**
     * Takes a sample.
     *
     * @param millis the time, in milliseconds since 1970
     */
    synchronized float[] sample(long millis) {
        NodeReading now = node.get();
        float[] values = Sample.between(before, now, peers);
        before = now;
        history.add(millis, values);
        return values;
    }
}

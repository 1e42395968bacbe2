package dev.quorate.node.console;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The samples of the last hour. Thread-safe. */
final class RateHistory {

    static final Duration PERIOD = Duration.ofSeconds(5);

    /** An hour of {@link #PERIOD}. */
    static final int SAMPLES = 720;

    private record Taken(long millis, float[] values) {}

    private final List<String> names;

    /** Guarded by this. The oldest first. */
    private final ArrayDeque<Taken> samples = new ArrayDeque<>(SAMPLES + 1);

    /**
     * @param names the names of the series, in the order of their values
     */
    RateHistory(List<String> names) {
        this.names = List.copyOf(names);
    }

    /**
     * Adds a sample.
     *
     * @param millis when it was taken, in milliseconds since 1970
     * @param values one for each series; NaN for a missing one; not changed any more
     */
    synchronized void add(long millis, float[] values) {
        if (values.length != names.size()) {
            throw new IllegalArgumentException(values.length + " values");
        }
        samples.add(new Taken(millis, values));
        if (samples.size() > SAMPLES) {
            samples.removeFirst();
        }
    }

    /** The moments of the samples, the oldest first. */
    synchronized long[] moments() {
        return samples.stream().mapToLong(Taken::millis).toArray();
    }

    /** The values of each series, the oldest first. */
    synchronized Map<String, float[]> series() {
        Map<String, float[]> series = new LinkedHashMap<>();
        for (String name : names) {
            float[] ordered = new float[samples.size()];
            int at = 0;
            for (Taken each : samples) {
                ordered[at++] = each.values()[series.size()];
            }
            series.put(name, ordered);
        }
        return series;
    }
}

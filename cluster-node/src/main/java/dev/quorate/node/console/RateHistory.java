package dev.quorate.node.console;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The last samples of one period. Thread-safe. */
final class RateHistory {

    /** An hour of samples every 5 s, or a day of samples every 2 minutes. */
    static final int SAMPLES = 720;

    private record Taken(long millis, float[] values) {}

    private final Duration period;

    /** Guarded by this, as is the next field. Names are only added, at the end. */
    private List<String> names;

    /** The oldest first. */
    private final ArrayDeque<Taken> samples = new ArrayDeque<>(SAMPLES + 1);

    /**
     * @param names the names of the series, in the order of their values
     * @param period the time between two samples
     */
    RateHistory(List<String> names, Duration period) {
        this.names = List.copyOf(names);
        this.period = period;
    }

    /** Adds the names of further series, which have no values yet. */
    synchronized void extend(List<String> longer) {
        if (!longer.subList(0, names.size()).equals(names)) {
            throw new IllegalArgumentException("other names than " + names);
        }
        names = List.copyOf(longer);
    }

    Duration period() {
        return period;
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
                ordered[at++] =
                        each.values().length > series.size()
                                ? each.values()[series.size()]
                                : Float.NaN;
            }
            series.put(name, ordered);
        }
        return series;
    }
}

package dev.quorate.node.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The samples of the last hour, in arrays of fixed length: 4 bytes for each series and sample.
 * Thread-safe.
 */
final class RateHistory {

    /** An hour of {@link NodeSampler#PERIOD}. */
    static final int SAMPLES = 720;

    private final List<String> names;

    /** Guarded by this, as are the next fields. Ring buffers, one for each series. */
    private final float[][] columns;

    private final long[] moments = new long[SAMPLES];
    private int next;
    private int size;

    /**
     * @param names the names of the series, in the order of their values
     */
    RateHistory(List<String> names) {
        this.names = List.copyOf(names);
        this.columns = new float[names.size()][SAMPLES];
    }

    /**
     * Adds a sample.
     *
     * @param millis when it was taken, in milliseconds since 1970
     * @param values one for each series; NaN for a missing one
     */
    synchronized void add(long millis, float[] values) {
        if (values.length != columns.length) {
            throw new IllegalArgumentException(values.length + " values");
        }
        moments[next] = millis;
        for (int i = 0; i < values.length; i++) {
            columns[i][next] = values[i];
        }
        next = (next + 1) % SAMPLES;
        size = Math.min(size + 1, SAMPLES);
    }

    /** The moments of the samples, the oldest first. */
    synchronized long[] moments() {
        return IntStream.range(0, size).mapToLong(i -> moments[at(i)]).toArray();
    }

    /** The values of each series, the oldest first. */
    synchronized Map<String, float[]> series() {
        Map<String, float[]> series = new LinkedHashMap<>();
        for (int column = 0; column < columns.length; column++) {
            float[] ordered = new float[size];
            for (int i = 0; i < size; i++) {
                ordered[i] = columns[column][at(i)];
            }
            series.put(names.get(column), ordered);
        }
        return series;
    }

    private int at(int age) {
        return Math.floorMod(next - size + age, SAMPLES);
    }
}

package dev.quorate.loadtest.load;

import java.util.List;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * How long the answers took: which share of them came within how many milliseconds.
 *
 * @param points by rising share, with values that do not fall; none if nothing came
 * @param maxMillis of the slowest answer
 * @param count of all answers
 */
public record Spectrum(List<Point> points, double maxMillis, long count) {

    /**
     * A share of the answers, and the milliseconds within which they came.
     *
     * @param share of all answers, 0 to 1
     */
    public record Point(double valueMillis, double share) {}

    private static final double MICROS_PER_MILLI = 1_000;

    /** As many as wrk2 prints: between a share and the middle of the rest. */
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    /** Shares that people ask for, and that may lie between two ticks. */
    private static final List<Double> EXACT_SHARES =
            List.of(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999);

    /** Two shares are the same if they differ by less. */
    private static final double SAME_SHARE = 1e-7;

    public Spectrum {
        points = List.copyOf(points);
    }

    /** The spectrum of a histogram of microseconds. */
    public static Spectrum of(Histogram micros) {
        if (micros.getTotalCount() == 0) {
            return new Spectrum(List.of(), 0, 0);
        }
        TreeMap<Double, Point> points = new TreeMap<>();
        for (HistogramIterationValue value : micros.percentiles(TICKS_PER_HALF_DISTANCE)) {
            add(points, value.getPercentileLevelIteratedTo() / 100, value.getValueIteratedTo());
        }
        for (double share : EXACT_SHARES) {
            add(points, share, micros.getValueAtPercentile(100 * share));
        }
        return new Spectrum(
                List.copyOf(points.values()),
                micros.getMaxValue() / MICROS_PER_MILLI,
                micros.getTotalCount());
    }

    private static void add(TreeMap<Double, Point> points, double share, long micros) {
        points.putIfAbsent(share, new Point(micros / MICROS_PER_MILLI, share));
    }

    /**
     * The milliseconds that this share of the answers did not exceed; where there is no point for
     * it, those of the next. 0 if nothing came.
     */
    public double millis(double share) {
        for (Point point : points) {
            if (point.share() >= share - SAME_SHARE) {
                return point.valueMillis();
            }
        }
        return points.isEmpty() ? 0 : points.getLast().valueMillis();
    }
}

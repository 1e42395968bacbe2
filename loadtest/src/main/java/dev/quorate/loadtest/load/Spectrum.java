package dev.quorate.loadtest.load;

import java.util.List;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The latency distribution of answers.
 *
 * @param points by ascending share and latency; empty without answers
 * @param maxMillis the latency of the slowest answer
 */
public record Spectrum(List<Point> points, double maxMillis, long count) {

    /** A share of the answers, 0 to 1, and their maximum latency. */
    public record Point(double valueMillis, double share) {}

    private static final double MICROS_PER_MILLI = 1_000;

    /** The same as wrk2: points between a share and the middle of the rest. */
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    /** Common percentiles, which may be between two ticks. */
    private static final List<Double> EXACT_SHARES =
            List.of(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999);

    /** Two shares are equal if they differ by less than this. */
    private static final double SAME_SHARE = 1e-7;

    /** The distribution of a histogram in microseconds. */
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

    /** The distribution in milliseconds, in the text form of HdrHistogram ({@code .hgrm}). */
    public String table() {
        StringBuilder text =
                new StringBuilder("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
        for (Point point : points) {
            double rest = 1 - point.share();
            text.append("%12.3f ".formatted(point.valueMillis()))
                    .append("%2.12f ".formatted(point.share()))
                    .append("%10d".formatted(Math.round(point.share() * count)))
                    .append(rest > 0 ? " %14.2f%n".formatted(1 / rest) : "\n");
        }
        return text.append("#[Max = %.3f, Total count = %d]%n".formatted(maxMillis, count))
                .toString();
    }

    private static void add(TreeMap<Double, Point> points, double share, long micros) {
        points.putIfAbsent(share, new Point(micros / MICROS_PER_MILLI, share));
    }

    /**
     * The maximum latency of this share of the answers, in ms; that of the next point if there is
     * none for the share, and 0 without answers.
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

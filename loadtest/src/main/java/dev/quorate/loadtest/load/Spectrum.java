package dev.quorate.loadtest.load;

import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * How long the answers took: which share of them came within how many milliseconds.
 *
 * @param points by rising share, with values and counts that do not fall; none if nothing came
 * @param deviationMillis the standard deviation
 * @param maxMillis of the slowest answer
 * @param count of all answers
 */
public record Spectrum(
        List<Point> points,
        double meanMillis,
        double deviationMillis,
        double maxMillis,
        long count) {

    /**
     * So many answers came within so many milliseconds.
     *
     * @param share of all answers, 0 to 1
     * @param totalCount the same share as a number; a little more where several took as long
     */
    public record Point(double valueMillis, double share, long totalCount) {}

    /** Of nothing. */
    public static final Spectrum EMPTY = new Spectrum(List.of(), 0, 0, 0, 0);

    private static final double MICROS_PER_MILLI = 1_000;

    /** As many as wrk2 prints: between a share and the middle of the rest. */
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    /** Shares that people ask for, and that may lie between two ticks. */
    private static final List<Double> EXACT_SHARES =
            List.of(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999);

    /** Two shares are the same if they differ by less: text has six digits. */
    private static final double SAME_SHARE = 1e-7;

    public Spectrum {
        points = List.copyOf(points);
    }

    /** The spectrum of a histogram of microseconds. */
    public static Spectrum of(Histogram micros) {
        if (micros.getTotalCount() == 0) {
            return EMPTY;
        }
        TreeMap<Double, Point> points = new TreeMap<>();
        for (HistogramIterationValue value : micros.percentiles(TICKS_PER_HALF_DISTANCE)) {
            add(
                    points,
                    value.getPercentileLevelIteratedTo() / 100,
                    value.getValueIteratedTo(),
                    value.getTotalCountToThisValue());
        }
        for (double share : EXACT_SHARES) {
            long value = micros.getValueAtPercentile(100 * share);
            add(points, share, value, micros.getCountBetweenValues(0, value));
        }
        return new Spectrum(
                List.copyOf(points.values()),
                micros.getMean() / MICROS_PER_MILLI,
                micros.getStdDeviation() / MICROS_PER_MILLI,
                micros.getMaxValue() / MICROS_PER_MILLI,
                micros.getTotalCount());
    }

    private static void add(TreeMap<Double, Point> points, double share, long micros, long count) {
        points.putIfAbsent(share, new Point(micros / MICROS_PER_MILLI, share, count));
    }

    /**
     * Reads what {@link #hgrm} writes, or what wrk2 prints with {@code --latency}; whatever is
     * before and behind it is left out.
     *
     * @throws ParseException if there is no whole spectrum
     */
    public static Spectrum parse(String text) throws ParseException {
        return SpectrumText.read(text);
    }

    /** The text that HdrHistogram's plotter takes. */
    public String hgrm() {
        return SpectrumText.write(this);
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

    /**
     * The same with a point for that share, unless there is one. Its value lies between those of
     * its neighbours, since it may have been rounded.
     */
    public Spectrum with(double share, double valueMillis) {
        int at = 0;
        while (at < points.size() && points.get(at).share() < share - SAME_SHARE) {
            at++;
        }
        boolean isLast = at == points.size();
        if (!isLast && points.get(at).share() <= share + SAME_SHARE) {
            return this;
        }
        double value = isLast ? valueMillis : Math.min(valueMillis, points.get(at).valueMillis());
        long counted = (long) Math.ceil(share * count);
        if (at > 0) {
            value = Math.max(value, points.get(at - 1).valueMillis());
            counted = Math.max(counted, points.get(at - 1).totalCount());
        }
        List<Point> more = new ArrayList<>(points);
        more.add(at, new Point(value, share, counted));
        return new Spectrum(more, meanMillis, deviationMillis, Math.max(maxMillis, value), count);
    }
}

package dev.quorate.loadtest.report;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One figure of several runs.
 *
 * @param median of an even number of runs, the mean of the two in the middle
 * @param least together with {@code most} the range, which is the figure's noise
 * @param runs how many
 */
public record Spread(double median, double least, double most, int runs) {

    /** Medians that are not further apart than that share of the first are the same. */
    private static final double SAME = 0.05;

    /**
     * The figure of some runs.
     *
     * @param runs at least one
     */
    public static Spread of(List<Run> runs, ToDoubleFunction<Run> figure) {
        double[] values = runs.stream().mapToDouble(figure).sorted().toArray();
        if (values.length == 0) {
            throw new IllegalArgumentException("no runs have no figure");
        }
        int middle = values.length / 2;
        double median =
                values.length % 2 == 1
                        ? values[middle]
                        : Arrays.stream(values, middle - 1, middle + 1).average().orElseThrow();
        return new Spread(median, values[0], values[values.length - 1], values.length);
    }

    /** Whether the noise of either is known: one run has none. */
    public boolean isComparableTo(Spread other) {
        return runs > 1 && other.runs > 1;
    }

    /**
     * Whether another one differs by more than noise: the ranges do not overlap, and the medians
     * are apart by more than 5 % of this one. Never, if the noise of either is not known.
     */
    public boolean differsFrom(Spread other) {
        boolean apart = other.least > most || other.most < least;
        return isComparableTo(other) && apart && Math.abs(other.median - median) > SAME * median;
    }
}

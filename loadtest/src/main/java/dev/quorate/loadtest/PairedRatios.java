package dev.quorate.loadtest;

import java.util.List;
import java.util.Locale;

/**
 * Ratios of paired measurements: the median and its 95 % confidence interval.
 *
 * <p>The interval is the one of the sign test (two order statistics, chosen by the binomial
 * distribution with p = ½), so it assumes nothing about how the ratios are distributed.
 *
 * @param ratios new over old, one for each start, in any order
 */
record PairedRatios(List<Double> ratios) {

    /** With fewer ratios no two order statistics enclose the median with 95 %. */
    static final int MIN = 6;

    private static final double TAIL = 0.025;
    private static final double NOT_SLOWER_MEDIAN = 0.98;
    private static final double NOT_SLOWER_LOW = 0.95;

    /** Sorts the ratios. */
    public PairedRatios {
        if (ratios.size() < MIN) {
            throw new IllegalArgumentException(ratios.size() + " ratios");
        }
        ratios = ratios.stream().sorted().toList();
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    public double median() {
        return median(ratios);
    }

    /** The lower end of the interval. */
    public double low() {
        return ratios.get(cut());
    }

    /** The upper end of the interval. */
    public double high() {
        return ratios.get(ratios.size() - 1 - cut());
    }

    /**
     * Whether the new build counts as not slower: the median is at least 0.98, or the interval
     * contains 1 and begins at 0.95 or later.
     */
    public boolean isNotSlower() {
        return median() >= NOT_SLOWER_MEDIAN
                || (low() >= NOT_SLOWER_LOW && low() <= 1 && high() >= 1);
    }

    /** The figures as a line of text. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "median %.3f, 95 %% interval %.3f to %.3f, %d starts: %s",
                median(),
                low(),
                high(),
                ratios.size(),
                isNotSlower() ? "not slower" : "slower");
    }

    /** Number of ratios to leave out at either end. */
    private int cut() {
        int count = ratios.size();
        double probability = Math.pow(0.5, count);
        double below = probability;
        int cut = -1;
        for (int i = 0; below <= TAIL; i++) {
            cut = i;
            probability *= (double) (count - i) / (i + 1);
            below += probability;
        }
        return cut;
    }
}

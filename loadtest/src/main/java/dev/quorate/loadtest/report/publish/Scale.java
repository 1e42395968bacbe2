package dev.quorate.loadtest.report.publish;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The scale of an axis: maps values to places, and chooses labels. */
enum Scale {
    /** Linear, starting at zero. */
    LINEAR,
    /** Logarithmic, with labels at powers of ten. */
    LOG,
    /** Shares from 0 to 1, with equal distances between 90 %, 99 % and 99.9 %. */
    PERCENTILE;

    record Tick(double place, String label) {}

    private static final double LEAST = 1e-3;
    private static final double MOST_NINES = 5;
    private static final int MAX_STEPS = 5;

    /** The place of a value, without a unit. */
    double place(double value) {
        return switch (this) {
            case LINEAR -> value;
            case LOG -> Math.log10(Math.max(value, LEAST));
            case PERCENTILE ->
                    value >= 1 ? MOST_NINES : Math.min(MOST_NINES, -Math.log10(1 - value));
        };
    }

    /** At least two ascending labels that enclose the places from {@code least} to {@code most}. */
    List<Tick> ticks(double least, double most) {
        List<Tick> ticks = new ArrayList<>();
        switch (this) {
            case LINEAR -> {
                double step = step(most > 0 ? most / MAX_STEPS : 1);
                for (int i = 0; i == 0 || ticks.getLast().place() < most; i++) {
                    ticks.add(new Tick(i * step, text(i * step)));
                }
                if (ticks.size() == 1) {
                    ticks.add(new Tick(step, text(step)));
                }
            }
            case LOG -> {
                int from = (int) Math.floor(least);
                int to = Math.max(from + 1, (int) Math.ceil(most));
                for (int power = from; power <= to; power++) {
                    ticks.add(new Tick(power, text(Math.pow(10, power))));
                }
            }
            case PERCENTILE -> {
                ticks.add(new Tick(0, "0 %"));
                ticks.add(new Tick(1, "90 %"));
                for (int nines = 2; ticks.getLast().place() < most; nines++) {
                    String rest = nines == 2 ? "" : "." + "9".repeat(nines - 2);
                    ticks.add(new Tick(nines, "99" + rest + " %"));
                }
            }
        }
        return ticks;
    }

    /** The smallest step of 1, 2 or 5 times a power of ten that is not less than a value. */
    private static double step(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (int factor : new int[] {1, 2, 5}) {
            if (factor * power >= value) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    private static String text(double value) {
        return value >= 1_000
                ? String.format(Locale.ROOT, "%,.0f", value)
                : BigDecimal.valueOf(Math.round(value * 1_000), 3)
                        .stripTrailingZeros()
                        .toPlainString();
    }
}

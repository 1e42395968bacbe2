package dev.quorate.loadtest.report.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** From zero to a round number, in round steps. */
final class LinearAxis implements Axis {

    private static final double[] ROUND = {1, 2, 5, 10};
    private static final double LEAST = 1e-6;
    private static final double MOST = 1e12;
    private static final double ROUNDING = 1e-9;

    private final double from;
    private final double to;
    private final double step;
    private final int steps;

    /**
     * Makes an axis.
     *
     * @param most the greatest value that there is
     * @param maxSteps how many labels there is room for, without that of zero
     * @param from the coordinate of zero
     * @param to the coordinate of the end
     */
    LinearAxis(double most, int maxSteps, double from, double to) {
        this.from = from;
        this.to = to;
        double end = most > 0 ? Math.clamp(most, LEAST, MOST) : 1;
        this.step = step(end, maxSteps);
        this.steps = (int) Math.max(1, Math.ceil(end / step - 1e-9));
    }

    private static double step(double end, int maxSteps) {
        double power = Math.pow(10, Math.floor(Math.log10(end / maxSteps)));
        for (double round : ROUND) {
            if (end / (round * power) <= maxSteps) {
                return round * power;
            }
        }
        return 10 * power;
    }

    @Override
    public double position(double value) {
        return Axis.between(from, to, value / (step * steps));
    }

    @Override
    public List<Tick> ticks() {
        List<Tick> ticks = new ArrayList<>();
        int digits = (int) Math.max(0, -Math.floor(Math.log10(step) + ROUNDING));
        for (int i = 0; i <= steps; i++) {
            double value = step * i;
            ticks.add(new Tick(value, String.format(Locale.ROOT, "%,." + digits + "f", value)));
        }
        return ticks;
    }
}

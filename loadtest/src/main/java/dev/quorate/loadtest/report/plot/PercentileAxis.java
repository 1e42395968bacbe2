package dev.quorate.loadtest.report.plot;

import java.util.ArrayList;
import java.util.List;

/**
 * The axis of HdrHistogram's drawings: 0 %, 90 %, 99 %, 99.9 % and so on stand at the same distance
 * from each other. It ends where one answer of all is, so that the longest stands at its end.
 */
final class PercentileAxis implements Axis {

    private static final int MAX_NINES = 9;

    private final double from;
    private final double to;
    private final double nines;

    /**
     * Makes an axis.
     *
     * @param answers how many there are
     * @param from the coordinate of 0 %
     * @param to the coordinate of the end
     */
    PercentileAxis(long answers, double from, double to) {
        this.from = from;
        this.to = to;
        this.nines = Math.clamp(Math.log10((double) Math.max(1, answers)), 1, MAX_NINES);
    }

    /**
     * The coordinate of a percentile.
     *
     * @param share from 0 to 1; 1 stands at the end
     */
    @Override
    public double position(double share) {
        return share >= 1
                ? to
                : Axis.between(from, to, -Math.log10(1 - Math.max(0, share)) / nines);
    }

    @Override
    public List<Tick> ticks() {
        List<Tick> ticks = new ArrayList<>(List.of(new Tick(0, "0%")));
        for (int count = 1; count <= nines; count++) {
            String label =
                    switch (count) {
                        case 1 -> "90%";
                        case 2 -> "99%";
                        default -> "99." + "9".repeat(count - 2) + "%";
                    };
            ticks.add(new Tick(1 - Math.pow(10, -count), label));
        }
        return ticks;
    }
}

package dev.quorate.loadtest.report.plot;

import java.math.BigDecimal;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A logarithmic axis, from one of 1, 2 and 5 times a power of ten to another. Zero and what is
 * below it stand at the lower end.
 */
final class LogAxis implements Axis {

    /** 1, 2 or 5 times a power of ten. */
    private record Round(double value, boolean powerOfTen) {}

    private static final int MIN_POWER = -6;
    private static final int MAX_POWER = 9;

    /** All that an axis can begin or end with, in order. */
    private static final List<Round> ROUNDS = rounds();

    /** Labels need so much room; where there is less, only powers of ten have some. */
    private static final double LABEL_HEIGHT = 17;

    private static final double ROUNDING = 1e-9;

    private final double from;
    private final double to;
    private final double low;
    private final double high;

    /**
     * Makes an axis.
     *
     * @param values those that are drawn; what is not positive and finite is ignored
     * @param from the coordinate of the lower end
     * @param to the coordinate of the upper end
     */
    LogAxis(Iterable<Double> values, double from, double to) {
        this.from = from;
        this.to = to;
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (double value : values) {
            if (Double.isFinite(value) && value > 0) {
                least = Math.min(least, value);
                most = Math.max(most, value);
            }
        }
        if (most == 0) {
            least = 1;
            most = 1;
        }
        // Of one value, or none, the axis is a decade; also of one that is above all round numbers.
        double below = Math.min(below(least), ROUNDS.getLast().value() / 10);
        double above = above(most);
        this.low = below;
        this.high = above > below ? above : below * 10;
    }

    private static List<Round> rounds() {
        List<Round> rounds = new ArrayList<>();
        for (int power = MIN_POWER; power <= MAX_POWER; power++) {
            for (int digit : new int[] {1, 2, 5}) {
                double value = BigDecimal.valueOf(digit).scaleByPowerOfTen(power).doubleValue();
                rounds.add(new Round(value, digit == 1));
            }
        }
        return List.copyOf(rounds);
    }

    /** The greatest round number that is not above a value. */
    private static double below(double value) {
        return ROUNDS.reversed().stream()
                .mapToDouble(Round::value)
                .filter(round -> round <= value * (1 + ROUNDING))
                .findFirst()
                .orElse(ROUNDS.getFirst().value());
    }

    /** The least round number that is not below a value. */
    private static double above(double value) {
        return ROUNDS.stream()
                .mapToDouble(Round::value)
                .filter(round -> round >= value * (1 - ROUNDING))
                .findFirst()
                .orElse(ROUNDS.getLast().value());
    }

    @Override
    public double position(double value) {
        return Axis.between(from, to, Math.log(value / low) / Math.log(high / low));
    }

    @Override
    public List<Tick> ticks() {
        List<Round> rounds =
                ROUNDS.stream()
                        .filter(round -> round.value() >= low && round.value() <= high)
                        .toList();
        boolean room = rounds.size() * LABEL_HEIGHT <= Math.abs(to - from) + LABEL_HEIGHT;
        return rounds.stream()
                .map(
                        round ->
                                new Tick(
                                        round.value(),
                                        room || round.powerOfTen() ? label(round) : ""))
                .toList();
    }

    private static String label(Round round) {
        return new DecimalFormat("#,##0.######", DecimalFormatSymbols.getInstance(Locale.ROOT))
                .format(round.value());
    }
}

package dev.quorate.loadtest.report.plot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.report.plot.Axis.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for axes of any values, and then what each of the three looks like. */
class AxisTest {

    private static final double FROM = 300;
    private static final double TO = 20;
    private static final double CLOSE = 1e-6;

    private static final double[] STRANGE = {
        Double.NaN,
        Double.NEGATIVE_INFINITY,
        -Double.MAX_VALUE,
        -1,
        -0.0,
        0,
        Double.MIN_VALUE,
        1e-300,
        1e-9,
        0.5,
        0.999_999_999_999,
        1,
        1 + 1e-12,
        7,
        1e9,
        1e300,
        Double.MAX_VALUE,
        Double.POSITIVE_INFINITY
    };

    static Stream<Named<Supplier<Axis>>> axes() {
        RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed());
        List<Named<Supplier<Axis>>> axes = new ArrayList<>();
        for (double value : STRANGE) {
            axes.add(Named.of("linear to " + value, () -> new LinearAxis(value, 6, FROM, TO)));
            axes.add(Named.of("log of " + value, () -> new LogAxis(List.of(value), FROM, TO)));
            axes.add(
                    Named.of(
                            "percentiles of " + (long) value,
                            () -> new PercentileAxis((long) value, FROM, TO)));
        }
        axes.add(Named.of("log of nothing", () -> new LogAxis(List.of(), FROM, TO)));
        axes.add(
                Named.of(
                        "log of everything",
                        () -> new LogAxis(DoubleStream.of(STRANGE).boxed().toList(), FROM, TO)));
        for (int i = 0; i < 50; i++) {
            double one = Math.pow(10, random.nextDouble(-5, 8));
            double other = Math.pow(10, random.nextDouble(-5, 8));
            axes.add(Named.of("linear to " + one, () -> new LinearAxis(one, 6, FROM, TO)));
            axes.add(
                    Named.of(
                            "log of " + one + " and " + other,
                            () -> new LogAxis(List.of(one, other), FROM, TO)));
        }
        return axes.stream();
    }

    private static long seed() {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("AxisTest: -Dquorate.seed=" + seed);
        return seed;
    }

    @ParameterizedTest
    @MethodSource("axes")
    void everyValueStandsInTheBoxAndNoGreaterOneBefore(Supplier<Axis> supplier) {
        Axis axis = supplier.get();
        double before = FROM;
        for (double value : STRANGE) {
            double position = axis.position(value);
            assertThat(position).as("position of " + value).isBetween(TO, FROM);
            if (!Double.isNaN(value)) {
                assertThat(position).as("position of " + value).isLessThanOrEqualTo(before);
                before = position;
            }
        }
        assertThat(axis.position(Double.NaN)).isEqualTo(FROM);
    }

    @ParameterizedTest
    @MethodSource("axes")
    void linesStandWhereTheirValuesDoAndNotOnOneAnother(Supplier<Axis> supplier) {
        List<Tick> ticks = supplier.get().ticks();
        assertThat(ticks).hasSizeBetween(2, 48);
        assertThat(ticks.stream().filter(tick -> !tick.label().isEmpty()))
                .as("labels")
                .hasSizeBetween(1, 17);
        for (int i = 1; i < ticks.size(); i++) {
            double before = supplier.get().position(ticks.get(i - 1).value());
            assertThat(supplier.get().position(ticks.get(i).value())).isLessThan(before);
        }
    }

    private static List<String> labels(Axis axis) {
        return axis.ticks().stream().map(Tick::label).toList();
    }

    @Test
    void aLinearAxisEndsWithARoundNumber() {
        LinearAxis axis = new LinearAxis(48_123, 6, 0, 100);
        assertThat(labels(axis))
                .containsExactly("0", "10,000", "20,000", "30,000", "40,000", "50,000");
        assertThat(axis.position(25_000)).isCloseTo(50, within());
        assertThat(labels(new LinearAxis(60, 6, 0, 1)))
                .containsExactly("0", "10", "20", "30", "40", "50", "60");
        assertThat(labels(new LinearAxis(0.25, 6, 0, 1)))
                .containsExactly("0.00", "0.05", "0.10", "0.15", "0.20", "0.25");
        assertThat(labels(new LinearAxis(0, 6, 0, 1)))
                .containsExactly("0.0", "0.2", "0.4", "0.6", "0.8", "1.0");
        assertThat(labels(new LinearAxis(0, 4, 0, 1))).containsExactly("0.0", "0.5", "1.0");
    }

    @Test
    void aLogAxisEndsWithRoundNumbers() {
        LogAxis axis = new LogAxis(List.of(0.3, 17.0, 0.0, Double.NaN), 0, 200);
        assertThat(labels(axis)).containsExactly("0.2", "0.5", "1", "2", "5", "10", "20");
        assertThat(axis.position(2)).isCloseTo(100, within());
        assertThat(axis.position(0.2)).isZero();
        assertThat(axis.position(20)).isCloseTo(200, within());
    }

    @Test
    void aLogAxisThatIsTooShortHasLabelsAtPowersOfTen() {
        assertThat(labels(new LogAxis(List.of(0.05, 20_000.0), 0, 289))).doesNotContain("");
        LogAxis axis = new LogAxis(List.of(0.05, 20_000.0), 0, 288);
        assertThat(labels(axis).stream().filter(label -> !label.isEmpty()))
                .containsExactly("0.1", "1", "10", "100", "1,000", "10,000");
        assertThat(axis.ticks()).hasSize(18);
    }

    @Test
    void anAxisWithoutPositiveValuesIsValid() {
        assertThat(labels(new LogAxis(List.of(0.0), 0, 100))).containsExactly("1", "2", "5", "10");
    }

    @Test
    void percentilesStandAsHdrHistogramDrawsThem() {
        PercentileAxis axis = new PercentileAxis(100_000, 0, 500);
        assertThat(labels(axis)).containsExactly("0%", "90%", "99%", "99.9%", "99.99%", "99.999%");
        assertThat(axis.position(0.9)).isCloseTo(100, within());
        assertThat(axis.position(0.99)).isCloseTo(200, within());
        assertThat(axis.position(0.999)).isCloseTo(300, within());
        assertThat(axis.position(1)).isEqualTo(500);
        assertThat(labels(new PercentileAxis(0, 0, 1))).containsExactly("0%", "90%");
    }

    private static org.assertj.core.data.Offset<Double> within() {
        return org.assertj.core.data.Offset.offset(CLOSE);
    }
}

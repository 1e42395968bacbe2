package dev.quorate.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpreadTest {

    private static Spread spread(double... values) {
        List<Run> runs = Arrays.stream(values).mapToObj(value -> Samples.run(value, 1)).toList();
        return RunFigure.ACHIEVED.of(runs);
    }

    @Test
    void hasTheMedianAndTheRange() {
        assertThat(spread(3, 1, 2)).isEqualTo(new Spread(2, 1, 3, 3));
        assertThat(spread(4, 1, 2, 3)).isEqualTo(new Spread(2.5, 1, 4, 4));
        assertThat(spread(7)).isEqualTo(new Spread(7, 7, 7, 1));
        assertThatIllegalArgumentException().isThrownBy(SpreadTest::spread);
    }

    @ParameterizedTest
    @CsvSource({
        // Ranges overlap, or touch.
        "90, 100, 110, 105, 120, 130, false",
        "90, 100, 110, 110, 120, 130, false",
        "90, 100, 110, 111, 120, 130, true",
        "90, 100, 110, 70, 80, 89, true",
        "90, 100, 110, 70, 80, 90, false",
        // They do not, but the medians are close.
        "99, 100, 101, 102, 105, 106, false",
        "99, 100, 101, 102, 105.1, 106, true",
        "99, 100, 101, 94, 95, 96, false",
        "99, 100, 101, 94, 94.9, 96, true",
        "0, 0, 0, 1, 1, 1, true",
        "0, 0, 0, 0, 0, 0, false"
    })
    void differsByMoreThanNoise(
            double a, double b, double c, double d, double e, double f, boolean differs) {
        assertThat(spread(a, b, c).differsFrom(spread(d, e, f))).isEqualTo(differs);
    }

    @Test
    void theNoiseOfOneRunIsNotKnown() {
        assertThat(spread(1, 1).isComparableTo(spread(2, 2))).isTrue();
        assertThat(spread(1, 1).isComparableTo(spread(2))).isFalse();
        assertThat(spread(1).isComparableTo(spread(2, 2))).isFalse();
        assertThat(spread(1).differsFrom(spread(100, 100))).isFalse();
    }

    @Test
    void everyFigureIsItsOwn() {
        Run run = Samples.run(1_000, 2);
        assertThat(Arrays.stream(RunFigure.values()).map(figure -> figure.of(run)))
                .containsExactly(1_000.0, 2.0, 8.0, 16.0, 40.0);
        assertThat(Arrays.stream(RunFigure.values()).filter(RunFigure::moreIsBetter))
                .containsExactly(RunFigure.ACHIEVED);
    }
}

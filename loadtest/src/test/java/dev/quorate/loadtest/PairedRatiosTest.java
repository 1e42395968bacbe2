package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PairedRatiosTest {

    /** 1.01, 1.02 and so on, largest first. */
    private static PairsBench.PairedRatios hundredths(int count) {
        return new PairsBench.PairedRatios(
                IntStream.rangeClosed(1, count)
                        .mapToObj(i -> 1 + (count + 1 - i) / 100.0)
                        .toList());
    }

    @Test
    void theIntervalIsThatOfTheSignTest() {
        // From tables of the binomial distribution: the 6th and the 15th of 20, the 2nd and the 9th
        // of 10.
        PairsBench.PairedRatios twenty = hundredths(20);
        assertThat(List.of(twenty.low(), twenty.high())).containsExactly(1.06, 1.15);
        assertThat(twenty.median()).isEqualTo(1.105);
        PairsBench.PairedRatios ten = hundredths(10);
        assertThat(List.of(ten.low(), ten.high())).containsExactly(1.02, 1.09);
        PairsBench.PairedRatios six = hundredths(6);
        assertThat(List.of(six.low(), six.high())).containsExactly(1.01, 1.06);
        assertThat(hundredths(7).median()).isEqualTo(1.04);
    }

    @Test
    void fewerThanSixPairsHaveNoInterval() {
        assertThatThrownBy(() -> hundredths(5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void notSlowerIsAMedianOf98HundredthsOrATightIntervalAroundOne() {
        assertThat(ratios(0.98, 0.98, 0.98, 0.98, 0.98, 0.98).isNotSlower()).isTrue();
        assertThat(ratios(0.97, 0.97, 0.97, 0.97, 0.97, 0.97).isNotSlower()).isFalse();
        assertThat(ratios(0.95, 0.96, 0.97, 0.97, 0.99, 1.0).isNotSlower()).isTrue();
        assertThat(ratios(0.94, 0.96, 0.97, 0.97, 0.99, 1.0).isNotSlower()).isFalse();
    }

    private static PairsBench.PairedRatios ratios(Double... ratios) {
        return new PairsBench.PairedRatios(List.of(ratios));
    }

    @Test
    void theTextHasTheVerdict() {
        assertThat(hundredths(20).text())
                .isEqualTo("median 1.105, 95 % interval 1.060 to 1.150, 20 starts: not slower");
    }
}

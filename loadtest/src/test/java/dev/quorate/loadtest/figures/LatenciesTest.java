package dev.quorate.loadtest.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatenciesTest {

    private final Latencies latencies = new Latencies();

    @Test
    void percentilesAreAtMostAHundredthTooLong() {
        for (int micros = 1; micros <= 100_000; micros++) {
            latencies.add(micros * 1_000L);
        }
        for (double share : new double[] {0.001, 0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
            assertThat(latencies.millis(share)).isBetween(100 * share, 101 * share);
        }
        assertThat(latencies.maxMillis()).isBetween(100.0, 101.0);
        assertThat(latencies.count()).isEqualTo(100_000);
    }

    @Test
    void anyDurationHasItsPlace() {
        for (int bit = 0; bit < 50; bit++) {
            Latencies one = new Latencies();
            one.add(1L << bit);
            one.add(1L << 50);
            assertThat(one.millis(0.5)).isCloseTo((1L << bit) / 1e6, Percentage.withPercentage(1));
        }
        latencies.add(-1);
        assertThat(latencies.maxMillis()).isCloseTo(0, within(0.0));
        assertThat(new Latencies().millis(0.99)).isZero();
    }
}

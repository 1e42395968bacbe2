package dev.quorate.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Spectrum.Point;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SpectrumTest {

    private static Histogram histogram() {
        Histogram micros = new Histogram(3);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100_000; i++) {
            micros.recordValue((long) (1_000 / (1.0001 - random.nextDouble())));
        }
        return micros;
    }

    @Test
    void aSpectrumMatchesItsHistogram() {
        Histogram micros = histogram();
        Spectrum spectrum = Spectrum.of(micros);
        for (double share : new double[] {0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1}) {
            assertThat(spectrum.millis(share))
                    .as("%s", share)
                    .isEqualTo(micros.getValueAtPercentile(100 * share) / 1_000.0);
        }
        assertThat(spectrum.count()).isEqualTo(100_000);
        assertThat(spectrum.maxMillis()).isEqualTo(spectrum.millis(1));
        assertThat(spectrum.points()).extracting(Point::valueMillis).isSorted();
        assertThat(spectrum.points()).extracting(Point::share).isSorted().endsWith(1.0);
    }

    @Test
    void betweenTwoPointsNobodyIsPromisedLessThanItWas() {
        Histogram micros = histogram();
        Spectrum spectrum = Spectrum.of(micros);
        for (int i = 0; i < 1_000; i++) {
            double share = i / 1_000.0;
            assertThat(spectrum.millis(share))
                    .isGreaterThanOrEqualTo(micros.getValueAtPercentile(100 * share) / 1_000.0);
        }
    }

    @Test
    void anEmptyHistogramHasNoSpectrum() {
        Spectrum empty = Spectrum.of(new Histogram(3));
        assertThat(empty).isEqualTo(new Spectrum(List.of(), 0, 0));
        assertThat(empty.millis(0.99)).isZero();
    }
}

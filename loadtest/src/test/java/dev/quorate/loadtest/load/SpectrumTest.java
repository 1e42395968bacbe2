package dev.quorate.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;

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
        Spectrum spectrum = new Spectrum(micros);
        for (double share : new double[] {0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1}) {
            assertThat(spectrum.millis(share))
                    .as("%s", share)
                    .isEqualTo(micros.getValueAtPercentile(100 * share) / 1_000.0);
        }
        assertThat(spectrum.count()).isEqualTo(100_000);
        assertThat(spectrum.maxMillis()).isEqualTo(spectrum.millis(1));
    }

    @Test
    void itsTableIsThatOfHdrHistogram() {
        Spectrum spectrum = new Spectrum(histogram());
        assertThat(spectrum.table())
                .startsWith("       Value     Percentile TotalCount 1/(1-Percentile)\n\n")
                .contains("%12.3f 0.500000000000 ".formatted(spectrum.millis(0.5)))
                .contains("%12.3f 1.000000000000     100000\n".formatted(spectrum.maxMillis()));
    }

    @Test
    void withoutAnswersItIsZero() {
        Spectrum empty = new Spectrum(new Histogram(3));
        assertThat(empty.count()).isZero();
        assertThat(empty.maxMillis()).isZero();
        assertThat(empty.millis(0.99)).isZero();
    }
}

package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counted durations, and what is read from the counts. */
final class DurationHistogramTest {

    private static final long MILLI = 1_000_000;

    private final DurationHistogram histogram = new DurationHistogram();

    @Test
    void quantilesAreRightToWithinAQuarter() {
        for (int i = 1; i <= 1_000; i++) {
            histogram.record(i * MILLI);
        }
        DurationCounts counts = histogram.counts();
        assertThat(counts.total()).isEqualTo(1_000);
        assertThat(counts.sumNanos()).isEqualTo(500_500 * MILLI);
        for (double part : new double[] {0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
            double exact = part * 1_000 * MILLI;
            assertThat(counts.quantileNanos(part)).isCloseTo(exact, within(exact / 4));
        }
    }

    @Test
    void ofNothingThereIsNoQuantile() {
        assertThat(histogram.counts().quantileNanos(0.5)).isNaN();
        assertThat(DurationCounts.NONE.total()).isZero();
    }

    @Test
    void theShortestAndTheLongestAreCounted() {
        histogram.record(-1);
        histogram.record(0);
        histogram.record(Long.MAX_VALUE);
        DurationCounts counts = histogram.counts();
        assertThat(counts.total()).isEqualTo(3);
        assertThat(counts.quantileNanos(1)).isEqualTo(16e9);
        assertThat(counts.upTo(100_000)).isEqualTo(2);
        assertThat(counts.upTo(Long.MAX_VALUE)).isEqualTo(3);
    }

    /** The bounds of the histograms in the metrics are bounds here, so that sums are exact. */
    @ParameterizedTest
    @ValueSource(
            longs = {
                100_000,
                250_000,
                500_000,
                1_000_000,
                2_500_000,
                5_000_000,
                10_000_000,
                25_000_000,
                50_000_000,
                100_000_000,
                250_000_000,
                500_000_000,
                1_000_000_000,
                2_500_000_000L
            })
    void aBoundPartsWhatIsUpToItFromWhatIsAbove(long bound) {
        histogram.record(bound - 1);
        histogram.record(bound);
        histogram.record(bound + 1);
        assertThat(histogram.counts().upTo(bound)).isEqualTo(2);
    }

    @Test
    void onlyWhatCameSinceAnEarlierReadingIsCounted() {
        histogram.record(MILLI);
        DurationCounts earlier = histogram.counts();
        histogram.record(100 * MILLI);
        DurationCounts since = histogram.counts().since(earlier);
        assertThat(since.total()).isEqualTo(1);
        assertThat(since.sumNanos()).isEqualTo(100 * MILLI);
        assertThat(since.plus(earlier).total()).isEqualTo(2);
        assertThat(earlier.since(histogram.counts()).total()).isZero();
    }

    @Test
    void theHistogramsOfTheMetricsHaveAllThatIsCounted() {
        for (long nanos = 1; nanos < 100_000_000_000L; nanos = nanos * 9 / 8 + 1) {
            histogram.record(nanos);
        }
        DurationCounts counts = histogram.counts();
        assertThat(LongStream.of(counts.inMetrics()).sum()).isEqualTo(counts.total());
        assertThat(counts.inMetrics()[0]).isEqualTo(counts.upTo(100_000)).isPositive();
    }
}

package dev.quorate.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.loadtest.load.Spectrum.Point;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpectrumTest {

    private static final Spectrum SMALL =
            new Spectrum(
                    List.of(new Point(1, 0, 1), new Point(2, 0.5, 5), new Point(4, 1, 10)),
                    2.25,
                    1.5,
                    4,
                    10);

    private static final String SMALL_TEXT =
            """
                   Value     Percentile TotalCount 1/(1-Percentile)

                   1.000 0.000000000000          1           1.00
                   2.000 0.500000000000          5           2.00
                   4.000 1.000000000000         10
            #[Mean    =        2.250, StdDeviation   =        1.500]
            #[Max     =        4.000, Total count    =           10]
            """;

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
        assertThat(spectrum.meanMillis()).isEqualTo(micros.getMean() / 1_000);
        assertThat(spectrum.points()).extracting(Point::valueMillis).isSorted();
        assertThat(spectrum.points()).extracting(Point::share).isSorted().endsWith(1.0);
        assertThat(spectrum.points()).extracting(Point::totalCount).isSorted().endsWith(100_000L);
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
    void writesEveryLineThatHdrHistogramWrites() {
        Histogram micros = histogram();
        ByteArrayOutputStream theirs = new ByteArrayOutputStream();
        micros.outputPercentileDistribution(
                new PrintStream(theirs, true, StandardCharsets.US_ASCII), 5, 1_000.0);
        List<String> lines =
                theirs.toString(StandardCharsets.US_ASCII)
                        .lines()
                        .filter(line -> !line.startsWith("#[Buckets"))
                        .toList();
        assertThat(lines).hasSizeGreaterThan(50);
        assertThat(Spectrum.of(micros).hgrm().lines().toList()).containsSubsequence(lines);
    }

    @Test
    void isReadAsItWasWritten() throws ParseException {
        assertThat(SMALL.hgrm()).isEqualTo(SMALL_TEXT);
        assertThat(Spectrum.parse(SMALL_TEXT)).isEqualTo(SMALL);
        Spectrum large = Spectrum.of(histogram());
        Spectrum read = Spectrum.parse("above\n" + large.hgrm() + "below\n");
        assertThat(read.points()).hasSameSizeAs(large.points());
        assertThat(read.millis(0.99)).isCloseTo(large.millis(0.99), within(0.0005));
        assertThat(read.hgrm()).isEqualTo(large.hgrm());
    }

    @Test
    void anEmptyHistogramHasNoSpectrum() throws ParseException {
        assertThat(Spectrum.of(new Histogram(3))).isEqualTo(Spectrum.EMPTY);
        assertThat(Spectrum.EMPTY.millis(0.99)).isZero();
        assertThat(Spectrum.parse(Spectrum.EMPTY.hgrm())).isEqualTo(Spectrum.EMPTY);
        String ofWrk2 =
                SMALL_TEXT
                        .replaceAll("(?m)^ +[1-4]\\.000.*\n", "")
                        .replace("       2.250", "        -nan")
                        .replace("       1.500", "        -nan")
                        .replace("4.000", "0.000")
                        .replace("          10", "           0");
        assertThat(Spectrum.parse(ofWrk2)).isEqualTo(Spectrum.EMPTY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Percentile T   | Percentage T    | there is no percentile spectrum in it",
                "  2.000 0.500  | 2.000 a half    | line 4, '2.000 a half000000000          5           2.00', is no point",
                "  2.000 0.5    | 5.000 0.5       | line 5, '4.000 1.000000000000         10', does not come after",
                "  2.000 0.5    | 2.000 1.5       | line 4, '2.000 1.500000000000          5           2.00', does not come after",
                "     10\\n#      | 4\\n#            | line 5, '4.000 1.000000000000         4', does not come after",
                "     10\\n#      | 9999999999999999999\\n# | line 5, '4.000 1.000000000000         9999999999999999999', has too large",
                "#[Mean         | #[Average       | line 6, '#[Average    =        2.250, StdDeviation   =        1.500]', does not end",
                "#[Max          | #[Most          | line 7, '#[Most     =        4.000, Total count    =           10]', does not end",
            })
    void whatIsNoSpectrumIsRefused(String written, String instead, String complaint) {
        String text =
                SMALL_TEXT.replace(written.replace("\\n", "\n"), instead.replace("\\n", "\n"));
        assertThat(text).isNotEqualTo(SMALL_TEXT);
        assertThatExceptionOfType(ParseException.class)
                .isThrownBy(() -> Spectrum.parse(text))
                .withMessageStartingWith(complaint);
    }

    @Test
    void halfASpectrumIsNone() {
        List<String> lines = SMALL_TEXT.lines().toList();
        for (int kept = 0; kept < lines.size(); kept++) {
            String half = String.join("\n", lines.subList(0, kept));
            assertThatExceptionOfType(ParseException.class)
                    .as(half)
                    .isThrownBy(() -> Spectrum.parse(half));
        }
    }

    @Test
    void aShareThatWasRoundedStaysBetweenItsNeighbours() {
        assertThat(SMALL.with(0.75, 3).points()).containsSequence(new Point(3, 0.75, 8));
        assertThat(SMALL.with(0.75, 5).millis(0.75)).isEqualTo(4);
        assertThat(SMALL.with(0.75, 1).millis(0.75)).isEqualTo(2);
        assertThat(SMALL.with(0.5, 3)).isSameAs(SMALL);
        assertThat(SMALL.with(0.500_000_001, 3)).isSameAs(SMALL);
    }
}

package dev.quorate.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.LoadResult.Second;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void twoScenariosDoNotShareTheirFiles() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.report(List.of(Samples.get(), Samples.get())))
                .withMessage("two scenarios are named 'get'");
    }

    @Test
    void aScenarioHasEitherRunsOrARefusal() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.scenario("get", "GET", List.of(), List.of()))
                .withMessage("scenario 'get' has to have either runs or a refusal");
        assertThat(Samples.renamed(Samples.get(), "get", "GET", "it broke.").runs()).isEmpty();
    }

    private static Histogram second(long fromMillis, long toMillis, long... micros) {
        Histogram histogram = new Histogram(3);
        for (long each : micros) {
            histogram.recordValue(each);
        }
        histogram.setStartTimeStamp(1_000_000 + fromMillis);
        histogram.setEndTimeStamp(1_000_000 + toMillis);
        return histogram;
    }

    @Test
    void aRestShorterThanHalfASecondDoesNotCount() {
        List<Histogram> histograms =
                List.of(
                        second(0, 1_000, 1_000, 1_000, 1_500),
                        second(1_000, 1_800, 2_000, 2_000, 2_000, 2_000),
                        second(1_800, 2_800),
                        second(2_800, 3_200, 1_000));
        assertThat(Second.of(histograms))
                .containsExactly(
                        new Second(3, 1, 1.5, 1.5), new Second(5, 2, 2, 2), new Second(0, 0, 0, 0));
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        List<LoadResult> runs = List.of(Samples.run(1, 4), Samples.run(9, 1), Samples.run(5, 2));
        assertThat(ScenarioResult.RunFigure.ACHIEVED.median(runs)).isEqualTo(5);
        assertThat(ScenarioResult.RunFigure.P50.median(runs)).isEqualTo(2);
        assertThat(ScenarioResult.RunFigure.ACHIEVED.median(runs.subList(0, 2))).isEqualTo(5);
        assertThat(ScenarioResult.RunFigure.MAX.median(runs.subList(0, 1))).isEqualTo(80);
    }

    @Test
    void circumstancesKeepTheirOrder() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("z", "1");
        values.put("a", "2");
        Report report = new Report("", Instant.EPOCH, values, List.of(), List.of(), List.of());
        values.put("b", "3");
        assertThat(report.circumstances().keySet()).containsExactly("z", "a");
    }
}

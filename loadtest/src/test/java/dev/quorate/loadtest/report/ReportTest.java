package dev.quorate.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportTest {

    @Test
    void twoScenariosDoNotShareTheirFiles() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.report(List.of(Samples.get(), Samples.get())))
                .withMessage("two scenarios are named 'get'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../get", "a/b", "a.b", "Get", "-get", "a b", "a\n"})
    void aScenariosNameLeadsToNoOtherFolder(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.renamed(Samples.get(), name, "GET", null))
                .withMessageContaining("is no name of a scenario");
    }

    @Test
    void aScenarioHasEitherRunsOrARefusal() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.scenario("get", "GET", List.of(), List.of()))
                .withMessage("scenario 'get' has to have either runs or a refusal");
        assertThat(Samples.renamed(Samples.get(), "get", "GET", "it broke.").runs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
    void figuresAreNumbers(double figure) {
        Run run = Samples.run(1, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Run(figure, run.latency(), List.of(), Map.of(), 0))
                .withMessage("achievedPerSecond is no figure: " + figure);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Run(1, run.latency(), List.of(), Map.of(), -1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ScenarioResult.BreakingPoint(figure, 1, List.of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ScenarioResult.BreakingPoint.Step(1, 1, figure, true));
        assertThatIllegalArgumentException().isThrownBy(() -> new Run.Second(0, 1, 1, figure, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ScenarioResult.Published("", 1, figure, ""));
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
    void aRunIsWhatTheLoadGeneratorMeasured() {
        Spectrum latency = Samples.spectrum(1, 2, 3, 4);
        LoadResult result =
                new LoadResult(
                        9,
                        4.5,
                        latency,
                        List.of(
                                second(0, 1_000, 1_000, 1_000, 1_500),
                                second(1_000, 1_800, 2_000, 2_000, 2_000, 2_000),
                                second(1_800, 2_800),
                                second(2_800, 3_200, 1_000)),
                        7,
                        2,
                        Map.of(200, 6L, 504, 2L),
                        1,
                        false);
        Run run = Run.of(result);
        assertThat(run.achievedPerSecond()).isEqualTo(4.5);
        assertThat(run.latency()).isEqualTo(latency);
        assertThat(run.answers()).isEqualTo(Map.of(200, 6L, 504, 2L));
        assertThat(run.errors()).isEqualTo(7);
        assertThat(run.overTime())
                .containsExactly(
                        new Run.Second(0, 3, 1, 1.5, 1.5),
                        new Run.Second(1, 5, 2, 2, 2),
                        new Run.Second(1.8, 0, 0, 0, 0));
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        List<Run> runs = List.of(Samples.run(1, 4), Samples.run(9, 1), Samples.run(5, 2));
        assertThat(Run.RunFigure.ACHIEVED.median(runs)).isEqualTo(5);
        assertThat(Run.RunFigure.P50.median(runs)).isEqualTo(2);
        assertThat(Run.RunFigure.ACHIEVED.median(runs.subList(0, 2))).isEqualTo(5);
        assertThat(Run.RunFigure.MAX.median(runs.subList(0, 1))).isEqualTo(80);
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

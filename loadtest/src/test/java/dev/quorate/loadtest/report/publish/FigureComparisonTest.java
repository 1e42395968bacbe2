package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.Golden.assertGolden;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.report.Circumstances;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Run;
import dev.quorate.loadtest.report.Samples;
import dev.quorate.loadtest.report.ScenarioResult;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FigureComparisonTest {

    private static final List<Run> STEADY = runs(0.5, 0.5, 0.5);

    private static List<Run> runs(double... p50) {
        return Arrays.stream(p50).mapToObj(millis -> Samples.run(10_000, millis)).toList();
    }

    private static Report report(ScenarioResult... scenarios) {
        return Samples.report(List.of(scenarios));
    }

    private static String compare(List<Run> before, List<Run> after) {
        return FigureComparison.write(
                report(Samples.scenario("get", "GET", before, STEADY)),
                report(Samples.scenario("get", "GET", after, STEADY)));
    }

    @Test
    void reportsTheDifferences() throws IOException {
        Report before =
                report(
                        Samples.get(),
                        Samples.renamed(Samples.get(), "gone", "GET that is gone", null),
                        Samples.renamed(Samples.get(), "broken", "GET that broke", null));
        Report after =
                new Report(
                        "Another | report",
                        Instant.parse("2026-11-23T10:00:00Z"),
                        new Circumstances(Map.of("processors", "4")),
                        List.of(
                                Samples.scenario(
                                        "get",
                                        "GET 2/3, three nodes",
                                        List.of(
                                                Samples.run(11_000, 0.5),
                                                Samples.run(11_010, 0.6),
                                                Samples.run(11_020, 0.55)),
                                        runs(0.2, 0.2, 0.3)),
                                Samples.renamed(
                                        Samples.get(), "broken", "GET that broke", "it broke."),
                                Samples.published()),
                        List.of(),
                        List.of("It was interrupted."));
        assertGolden("publish/comparison.md", FigureComparison.write(before, after));
    }

    @Test
    void lessLatencyIsBetterAndLessThroughputIsWorse() {
        assertThat(compare(runs(1, 1.1, 0.9), runs(0.5, 0.6, 0.4)))
                .contains(
                        "| GET | p99 ms | **better** | 4.00 | 2.00 | 0.50 | 3.60 to 4.40; 1.60 to 2.40 |")
                .contains("| GET | Achieved /s |  | 10,000 | 10,000 | 1.00 |");
        assertThat(compare(runs(0.5, 0.6, 0.4), runs(1, 1.1, 0.9)))
                .contains("| GET | p50 ms | **worse** | 0.50 | 1.00 | 2.00 |");
        String slower =
                FigureComparison.write(
                        report(
                                Samples.scenario(
                                        "get",
                                        "GET",
                                        List.of(Samples.run(10_000, 1), Samples.run(9_900, 1)),
                                        STEADY)),
                        report(
                                Samples.scenario(
                                        "get",
                                        "GET",
                                        List.of(Samples.run(5_000, 1), Samples.run(5_100, 1)),
                                        STEADY)));
        assertThat(slower).contains("| GET | Achieved /s | **worse** | 9,950 | 5,050 | 0.51 |");
    }

    @Test
    void whatIsWithinTheNoiseIsNotMarked() {
        assertThat(compare(runs(1, 2, 0.9), runs(1.4, 1.5, 1.6)))
                .doesNotContain("**better**", "**worse**")
                .contains("| GET | p50 ms |  | 1.00 | 1.50 | 1.50 |");
    }

    @Test
    void oneRunHasNoSpread() {
        assertThat(compare(runs(1), runs(5, 6)))
                .contains("| GET | p50 ms | not known: one run | 1.00 | 5.50 | 5.50 |");
    }

    @Test
    void aStaticAnswerThatDiffersPointsToTheMachine() {
        Report before = report(Samples.scenario("get", "GET", runs(1, 1.1), STEADY));
        Report after = report(Samples.scenario("get", "GET", runs(2, 2.1), runs(1, 1.1)));
        assertThat(FigureComparison.write(before, after))
                .contains(
                        "- **GET**: the static answer differs too (p50 ms 0.50 before, 1.05 after;"
                                + " p99 ms 2.00 before, 4.20 after; p99.9 ms 4.00 before, 8.40"
                                + " after). The machine is the likelier cause.");
        assertThat(FigureComparison.write(before, before)).doesNotContain("likelier");
        Report without = report(Samples.scenario("get", "GET", runs(2, 2.1), List.of()));
        assertThat(FigureComparison.write(before, without)).doesNotContain("likelier");
    }

    @Test
    void anotherLoadIsNamed() {
        ScenarioResult other = Samples.published();
        ScenarioResult same = Samples.renamed(other, "get", "GET", null);
        assertThat(FigureComparison.write(report(Samples.get()), report(same)))
                .contains("another load: operation GET before, PUT of a new key after.")
                .contains("another load: replicas 2/3 before, 1/1 after.")
                .contains("another load: nodes 3 before, 1 after.")
                .contains("another load: threads 2 before, 1 after.")
                .contains("another load: connections 64 before, 1 after.")
                .contains("another load: bytes of a value 100 before, 1 after.")
                .contains("was asked for 10,000/s before and all that it answers after");
        assertThat(FigureComparison.write(report(Samples.get()), report(Samples.get())))
                .doesNotContain("To be considered")
                .endsWith("## Circumstances that differ\n\nNone.\n");
    }

    @Test
    void reportsWithoutCommonFiguresAreDescribed() {
        assertThat(FigureComparison.write(report(Samples.get()), report(Samples.published())))
                .contains("No scenario with figures is in both reports.")
                .contains("- GET 2/3, three nodes: only before.")
                .contains("- PUT of new keys: only after.");
    }
}

package dev.quorate.loadtest.report;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.LoadResult.Second;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.report.ScenarioResult.BreakingPoint.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Figures of nobody, few enough to be seen through. */
public final class Samples {

    private Samples() {}

    /** A thousand answers. */
    public static Spectrum spectrum(double p50, double p99, double p999, double max) {
        Histogram micros = new Histogram(5);
        micros.recordValueWithCount(Math.round(1_000 * p50), 500);
        micros.recordValueWithCount(Math.round(1_000 * p99), 490);
        micros.recordValueWithCount(Math.round(1_000 * p999), 9);
        micros.recordValue(Math.round(1_000 * max));
        return new Spectrum(micros);
    }

    /** A run whose latencies are multiples of that one. */
    public static LoadResult run(double perSecond, double p50) {
        List<Second> seconds = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            seconds.add(new Second((long) perSecond + i, p50, (4 + i) * p50, (20 - i) * p50));
        }
        return result(
                perSecond,
                spectrum(p50, 4 * p50, 8 * p50, 20 * p50),
                seconds,
                Map.of(200, 1_000L),
                0);
    }

    private static LoadResult result(
            double perSecond,
            Spectrum latency,
            List<Second> seconds,
            Map<Integer, Long> answers,
            long errors) {
        return new LoadResult(1_000, perSecond, latency, seconds, errors, 0, answers, 0, false);
    }

    public static ScenarioResult.BreakingPoint breakingPoint() {
        return new ScenarioResult.BreakingPoint(
                15_000,
                50,
                List.of(
                        new Step(10_000, 10_000, 4, true),
                        new Step(20_000, 17_000, 900, false),
                        new Step(15_000, 14_990, 12, true),
                        new Step(17_500, 17_000, 30, false)));
    }

    private static Scenario load(
            String name, String title, Load.Operation operation, int valueBytes) {
        return new Scenario(
                name,
                title,
                3,
                operation,
                "2/3",
                Load.Clients.of(64),
                valueBytes,
                Scenario.RateRule.SHARE,
                false);
    }

    public static ScenarioResult scenario(
            String name, String title, List<LoadResult> runs, List<LoadResult> staticRuns) {
        return new ScenarioResult(
                load(name, title, Load.Operation.GET, 100),
                breakingPoint(),
                10_000,
                runs,
                staticRuns,
                null);
    }

    public static ScenarioResult get() {
        return scenario(
                "get",
                "GET 2/3, three nodes",
                List.of(run(10_000, 1), run(9_990, 1.2), run(9_980, 0.9)),
                List.of(run(10_000, 0.5), run(10_000, 0.6), run(9_999, 0.4)));
    }

    public static ScenarioResult refused() {
        return new ScenarioResult(
                load("put", "PUT 2/3 | <b>bold</b>", Load.Operation.PUT, 100),
                null,
                0,
                List.of(),
                List.of(),
                "n2 answered 503 to 12 requests.");
    }

    /** The fourth answer of the run was none. */
    public static ScenarioResult withoutOneAnswer() {
        LoadResult run =
                result(
                        1_234.5,
                        spectrum(0.1, 0.4, 0.8, 2),
                        List.of(),
                        Map.of(504, 1L, 201, 998L),
                        1);
        Scenario scenario =
                new Scenario(
                        "put-new",
                        "PUT of new keys",
                        1,
                        Load.Operation.PUT_NEW,
                        "1/1",
                        Load.Clients.of(1),
                        1,
                        Scenario.RateRule.AS_ANSWERED,
                        false);
        return new ScenarioResult(scenario, null, 0, List.of(run), List.of(), null);
    }

    public static Report report(List<ScenarioResult> scenarios, String... missing) {
        Map<String, String> circumstances = new LinkedHashMap<>();
        circumstances.put("processors", "2");
        circumstances.put("memory", "24 GiB");
        return new Report(
                "Load report",
                Instant.parse("2026-11-22T18:40:00Z"),
                circumstances,
                scenarios,
                List.of(),
                List.of(missing));
    }

    /** The same figures, with other names. */
    public static ScenarioResult renamed(
            ScenarioResult scenario, String name, String title, @Nullable String refusal) {
        return new ScenarioResult(
                load(name, title, scenario.scenario().operation(), 100),
                scenario.breakingPoint(),
                scenario.askedPerSecond(),
                refusal == null ? scenario.runs() : List.of(),
                scenario.staticRuns(),
                refusal);
    }
}

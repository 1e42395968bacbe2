package dev.quorate.loadtest.report.publish;

import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.ScenarioResult.RunFigure;
import dev.quorate.loadtest.report.publish.LinePlot.Axis;
import dev.quorate.loadtest.report.publish.LinePlot.Line;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The plots of a report. Each shows the run with the median 99th percentile. */
final class Plots {

    private static final Axis MILLIS = new Axis("milliseconds", Scale.LOG);
    private static final Axis SECONDS = new Axis("seconds", Scale.LINEAR);

    /** The first share of a line: faster answers would take much of a logarithmic axis. */
    private static final double FIRST_SHARE = 0.1;

    private Plots() {}

    /** The plots (SVG) by name. */
    static Map<String, String> of(Report report) {
        Map<String, String> plots = new LinkedHashMap<>();
        for (ScenarioResult scenario : report.scenarios()) {
            if (!scenario.runs().isEmpty()) {
                plots.put(latency(scenario), drawLatency(scenario));
                if (hasSeconds(scenario)) {
                    plots.put(overTime(scenario), drawOverTime(scenario));
                    plots.put(throughput(scenario), drawThroughput(scenario));
                }
            }
        }
        return plots;
    }

    static String latency(ScenarioResult scenario) {
        return scenario.name() + "-latency";
    }

    static String overTime(ScenarioResult scenario) {
        return scenario.name() + "-time";
    }

    static String throughput(ScenarioResult scenario) {
        return scenario.name() + "-throughput";
    }

    /** Whether the scenario has figures over time. */
    static boolean hasSeconds(ScenarioResult scenario) {
        return !scenario.runs().isEmpty() && !middle(scenario.runs()).overTime().isEmpty();
    }

    private static String drawLatency(ScenarioResult scenario) {
        List<Line> lines = new ArrayList<>(List.of(spectrum("cluster", scenario.runs())));
        if (!scenario.staticRuns().isEmpty()) {
            lines.add(spectrum("static answer", scenario.staticRuns()));
        }
        return LinePlot.draw(
                "Latency by percentile: " + scenario.title(),
                new Axis("share of the answers", Scale.PERCENTILE),
                MILLIS,
                lines);
    }

    private static Line spectrum(String label, List<LoadResult> runs) {
        List<Spectrum.Point> points =
                middle(runs).latency().points().stream()
                        .filter(point -> point.share() >= FIRST_SHARE)
                        .toList();
        return Line.of(label, points, Spectrum.Point::share, Spectrum.Point::valueMillis);
    }

    private static String drawOverTime(ScenarioResult scenario) {
        return LinePlot.draw(
                "Latency over time: " + scenario.title(),
                SECONDS,
                MILLIS,
                List.of(
                        overTime("p99", scenario, LoadResult.Second::p99Millis),
                        overTime("p50", scenario, LoadResult.Second::p50Millis),
                        overTime("max", scenario, LoadResult.Second::maxMillis)));
    }

    private static String drawThroughput(ScenarioResult scenario) {
        return LinePlot.draw(
                "Throughput over time: " + scenario.title(),
                SECONDS,
                new Axis("answers a second", Scale.LINEAR),
                List.of(overTime("answers", scenario, second -> (double) second.answers())));
    }

    private static Line overTime(
            String label, ScenarioResult scenario, ToDoubleFunction<LoadResult.Second> figure) {
        List<LoadResult.Second> seconds = middle(scenario.runs()).overTime();
        return Line.of(label, seconds, LoadResult.Second::atSeconds, figure);
    }

    /** The run with the median 99th percentile. */
    private static LoadResult middle(List<LoadResult> runs) {
        return runs.stream()
                .sorted(Comparator.comparingDouble(RunFigure.P99::of))
                .toList()
                .get((runs.size() - 1) / 2);
    }
}

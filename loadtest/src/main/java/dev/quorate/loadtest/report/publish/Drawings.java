package dev.quorate.loadtest.report.publish;

import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.report.BreakingPoint;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Run;
import dev.quorate.loadtest.report.RunFigure;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.plot.BreakingPointPlot;
import dev.quorate.loadtest.report.plot.OverTimePlot;
import dev.quorate.loadtest.report.plot.SpectrumPlot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which drawings a report has, and what each shows. */
final class Drawings {

    private Drawings() {}

    /** SVG by the name of the file, relative to the report's folder. */
    static Map<String, String> of(Report report) {
        Map<String, String> drawings = new LinkedHashMap<>();
        for (ScenarioResult scenario : report.scenarios()) {
            BreakingPoint breakingPoint = scenario.breakingPoint();
            if (breakingPoint != null) {
                String file = ReportFiles.breakingPoint(scenario);
                String title = "Breaking point: " + scenario.title();
                drawings.put(
                        file, BreakingPointPlot.draw(ReportFiles.id(file), title, breakingPoint));
            }
            if (!scenario.runs().isEmpty()) {
                String file = ReportFiles.spectrum(scenario);
                String title = "Latency by percentile: " + scenario.title();
                drawings.put(
                        file, SpectrumPlot.draw(ReportFiles.id(file), title, series(scenario)));
            }
            if (hasOverTime(scenario)) {
                String file = ReportFiles.overTime(scenario);
                String title = "Over time: " + scenario.title();
                List<Run.Second> seconds = middle(scenario.runs()).overTime();
                drawings.put(file, OverTimePlot.draw(ReportFiles.id(file), title, seconds));
            }
        }
        return drawings;
    }

    private static List<SpectrumPlot.Series> series(ScenarioResult scenario) {
        List<SpectrumPlot.Series> series = new ArrayList<>();
        series.add(new SpectrumPlot.Series(scenario.title(), spectra(scenario.runs())));
        if (!scenario.staticRuns().isEmpty()) {
            series.add(
                    new SpectrumPlot.Series(
                            "static answer, same rate", spectra(scenario.staticRuns())));
        }
        return series;
    }

    /** The run in the middle is the first. */
    private static List<Spectrum> spectra(List<Run> runs) {
        List<Run> ordered = new ArrayList<>(runs);
        Run middle = middle(runs);
        ordered.remove(middle);
        ordered.addFirst(middle);
        return ordered.stream().map(Run::latency).toList();
    }

    static boolean hasOverTime(ScenarioResult scenario) {
        return !scenario.runs().isEmpty() && !middle(scenario.runs()).overTime().isEmpty();
    }

    /** The run in the middle by its 99th percentile. */
    static Run middle(List<Run> runs) {
        return runs.stream()
                .sorted(Comparator.comparingDouble(RunFigure.P99::of))
                .toList()
                .get((runs.size() - 1) / 2);
    }
}

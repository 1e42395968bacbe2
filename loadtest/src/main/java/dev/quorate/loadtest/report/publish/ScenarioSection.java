package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.publish.Markdown.count;
import static dev.quorate.loadtest.report.publish.Markdown.escape;
import static dev.quorate.loadtest.report.publish.Markdown.millis;
import static dev.quorate.loadtest.report.publish.Markdown.plural;
import static dev.quorate.loadtest.report.publish.Markdown.rate;

import dev.quorate.loadtest.report.BreakingPoint;
import dev.quorate.loadtest.report.Run;
import dev.quorate.loadtest.report.RunFigure;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The section of a report on one scenario. */
final class ScenarioSection {

    private static final int FIRST_ERROR = 400;

    private final Markdown text;
    private final ScenarioResult scenario;

    private ScenarioSection(Markdown text, ScenarioResult scenario) {
        this.text = text;
        this.scenario = scenario;
    }

    /** Appends the section. */
    static void write(Markdown text, ScenarioResult scenario) {
        new ScenarioSection(text, scenario).write();
    }

    private void write() {
        text.heading(2, scenario.title());
        text.paragraph(
                escape(scenario.operation())
                        + ", replicas="
                        + escape(scenario.replicas())
                        + (scenario.nodes() == 1
                                ? ", one node: "
                                : ", all through one of " + count(scenario.nodes()) + " nodes: ")
                        + plural(scenario.threads(), "thread")
                        + " and "
                        + plural(scenario.connections(), "connection")
                        + " of the load generator, values of "
                        + plural(scenario.valueBytes(), "byte")
                        + ".");
        BreakingPoint breakingPoint = scenario.breakingPoint();
        if (breakingPoint != null) {
            write(breakingPoint);
        }
        String refusal = scenario.refusal();
        if (refusal != null) {
            text.paragraph("**No figures:** " + escape(refusal));
            return;
        }
        latency();
        if (Drawings.hasOverTime(scenario)) {
            overTime();
        }
        runs();
    }

    private void write(BreakingPoint point) {
        text.heading(3, "Breaking point");
        text.paragraph(
                "**"
                        + rate(point.perSecond())
                        + "/s** is the highest rate that held, of "
                        + point.steps().size()
                        + " that were tried.");
        text.picture(
                "Rates that were tried, and their 99th percentiles",
                ReportFiles.breakingPoint(scenario));
        text.paragraph(
                "Each mark is a rate that was tried. A cross above the horizontal line exceeds the"
                        + " limit of the 99th percentile; one below it achieved less than 99 % of"
                        + " what was asked.");
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("Held", "Asked /s", "Achieved /s", "p99 ms"));
        for (BreakingPoint.Step step : point.steps()) {
            lines.add(
                    List.of(
                            step.held() ? "yes" : "no",
                            rate(step.asked()),
                            rate(step.achieved()),
                            millis(step.p99Millis())));
        }
        text.table(1, lines);
    }

    private void latency() {
        text.heading(3, "Latency");
        text.paragraph(
                plural(scenario.runs().size(), "run")
                        + (scenario.askedPerSecond() == 0
                                ? ", each as fast as the answers came."
                                : " at " + rate(scenario.askedPerSecond()) + "/s."));
        text.picture("Latency by percentile", ReportFiles.spectrum(scenario));
        text.paragraph(
                "At 99 % is what 99 of 100 answers did not exceed, at the right end the longest"
                        + " answer. The thick line is the run in the middle by p99, thin lines are"
                        + " the other runs.");
    }

    private void overTime() {
        text.heading(3, "Over time");
        text.picture("Throughput and latency over time", ReportFiles.overTime(scenario));
        text.paragraph(
                "The run in the middle by p99. A peak of *max* alone is a single answer; where *p99* rises"
                        + " with it, many were late. Where no answer came, there is no latency.");
    }

    private void runs() {
        text.heading(3, "Runs");
        List<List<String>> lines = new ArrayList<>();
        List<String> heading = new ArrayList<>(List.of("Run"));
        for (RunFigure figure : RunFigure.values()) {
            heading.add(figure.label());
        }
        heading.add("Errors");
        lines.add(heading);
        lines.addAll(lines("", scenario.runs()));
        lines.addAll(lines("static ", scenario.staticRuns()));
        text.table(1, lines);
        text.paragraph(answers());
    }

    private static List<List<String>> lines(String name, List<Run> runs) {
        List<List<String>> lines = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            List<String> line = new ArrayList<>(List.of(name + (i + 1)));
            for (RunFigure figure : RunFigure.values()) {
                line.add(text(figure, figure.of(runs.get(i))));
            }
            line.add(count(runs.get(i).errors()));
            lines.add(line);
        }
        if (runs.size() > 1) {
            List<String> line = new ArrayList<>(List.of("**" + name + "median**"));
            for (RunFigure figure : RunFigure.values()) {
                Spread spread = figure.of(runs);
                line.add("**" + text(figure, spread.median()) + "**");
            }
            line.add("");
            lines.add(line);
        }
        return lines;
    }

    private static String text(RunFigure figure, double value) {
        return figure == RunFigure.ACHIEVED ? rate(value) : millis(value);
    }

    private String answers() {
        Map<Integer, Long> answers = new TreeMap<>();
        long errors = 0;
        for (Run run : scenario.runs()) {
            run.answers().forEach((status, count) -> answers.merge(status, count, Long::sum));
            errors += run.errors();
        }
        String counted =
                answers.isEmpty()
                        ? "The load generator did not count answers by status."
                        : "Answers by status, of all runs: "
                                + answers.entrySet().stream()
                                        .map(each -> answer(each.getKey(), each.getValue()))
                                        .collect(Collectors.joining(", "))
                                + ".";
        return counted
                + " Requests without an answer: "
                + (errors == 0 ? "none" : "**" + count(errors) + "**")
                + ".";
    }

    private static String answer(int status, long count) {
        String text = status + ": " + count(count);
        return status < FIRST_ERROR ? text : "**" + text + "**";
    }
}

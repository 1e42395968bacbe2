package dev.quorate.loadtest.report.publish;

import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.RunCheck;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Report.ProfiledRun;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.ScenarioResult.BreakingPoint;
import dev.quorate.loadtest.report.ScenarioResult.RunFigure;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes a report as Markdown: one table of all results, then a section for each scenario. */
final class ReportMarkdown {

    /** Characters that could be markup in a name. */
    private static final Pattern MARKUP = Pattern.compile("[\\\\`*_{}\\[\\]<>#|!&~]");

    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd 'at' HH:mm 'UTC'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private static final String NO_FIGURE = "–";

    /** A table contains this many first seconds, and then one second in this many. */
    private static final int FIRST_SECONDS = 10;

    private final Report report;
    private final Markdown text = new Markdown();

    private ReportMarkdown(Report report) {
        this.report = report;
    }

    static String write(Report report) {
        return new ReportMarkdown(report).write();
    }

    private String write() {
        text.heading(1, report.title());
        if (!report.missing().isEmpty()) {
            text.paragraph("**This report is not complete:**").list(report.missing());
        }
        text.paragraph("Begun on " + MOMENT.format(report.begun()) + ".");
        summary();
        report.scenarios().forEach(this::section);
        text.heading(2, "Circumstances");
        List<String> lines = new ArrayList<>();
        report.circumstances().forEach((name, value) -> lines.add(name + ": " + value));
        text.list(lines);
        return text.end();
    }

    private void summary() {
        List<List<String>> lines = new ArrayList<>();
        List<String> heading =
                new ArrayList<>(List.of("Scenario", "Breaking point /s", "Asked /s"));
        heading.addAll(figures(RunFigure::label));
        heading.addAll(List.of("Static /s", "Static p99 ms"));
        lines.add(heading);
        report.scenarios().forEach(scenario -> lines.add(line(scenario)));
        text.table(lines);
        text.paragraph(
                "Figures are medians of the runs. *Static* is a page that the same node answers"
                        + " without any work, at the same rate: the cost of HTTP, this machine and"
                        + " the load generator. The *breaking point* is the highest sustainable"
                        + " rate: at least 99 % of it is achieved, and the 99th percentile is within"
                        + " the limit. Without a rate, each request follows the previous answer.");
    }

    private static List<String> line(ScenarioResult scenario) {
        BreakingPoint breakingPoint = scenario.breakingPoint();
        List<String> line = new ArrayList<>();
        line.add(scenario.title());
        line.add(breakingPoint == null ? NO_FIGURE : rate(breakingPoint.perSecond()));
        line.add(scenario.askedPerSecond() == 0 ? NO_FIGURE : rate(scenario.askedPerSecond()));
        if (scenario.runs().isEmpty()) {
            line.add("no figures");
            line.addAll(Collections.nCopies(RunFigure.values().length - 1, NO_FIGURE));
        } else {
            line.addAll(figures(figure -> median(figure, scenario.runs())));
        }
        line.add(median(RunFigure.ACHIEVED, scenario.staticRuns()));
        line.add(median(RunFigure.P99, scenario.staticRuns()));
        return line;
    }

    private static List<String> figures(Function<RunFigure, String> cell) {
        return Arrays.stream(RunFigure.values()).map(cell).toList();
    }

    private static String median(RunFigure figure, List<LoadResult> runs) {
        return runs.isEmpty() ? NO_FIGURE : text(figure, figure.median(runs));
    }

    private static String text(RunFigure figure, double value) {
        return figure == RunFigure.ACHIEVED ? rate(value) : millis(value);
    }

    private void section(ScenarioResult scenario) {
        Scenario load = scenario.scenario();
        text.heading(2, scenario.title());
        text.paragraph(
                "%s, replicas=%s, nodes: %d, connections: %d, bytes of a value: %,d."
                        .formatted(
                                load.operation().name().replace('_', ' '),
                                load.replicas(),
                                load.nodes(),
                                load.clients().connections(),
                                load.valueBytes()));
        BreakingPoint breakingPoint = scenario.breakingPoint();
        if (breakingPoint != null) {
            steps(breakingPoint);
        }
        String refusal = scenario.refusal();
        if (refusal != null) {
            text.paragraph("**No figures:** " + escape(refusal));
            return;
        }
        runs(scenario);
        if (scenario.runs().size() == 1) {
            seconds(scenario.runs().getFirst());
        }
        profiles(scenario);
    }

    private void steps(BreakingPoint point) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("Rate", "Asked /s", "Achieved /s", "p99 ms"));
        for (BreakingPoint.Step step : point.steps()) {
            lines.add(
                    List.of(
                            step.held() ? "holds" : "does not hold",
                            rate(step.asked()),
                            rate(step.achieved()),
                            millis(step.p99Millis())));
        }
        text.table(lines);
    }

    private void runs(ScenarioResult scenario) {
        List<List<String>> lines = new ArrayList<>();
        List<String> heading = new ArrayList<>(List.of("Run"));
        heading.addAll(figures(RunFigure::label));
        lines.add(heading);
        add(lines, "", scenario.runs());
        add(lines, "static ", scenario.staticRuns());
        text.table(lines);
        Map<Integer, Long> answers = new TreeMap<>();
        scenario.runs()
                .forEach(run -> run.answers().forEach((k, v) -> answers.merge(k, v, Long::sum)));
        text.paragraph("Answers: " + RunCheck.describe(answers) + ".");
    }

    private static void add(List<List<String>> lines, String name, List<LoadResult> runs) {
        for (LoadResult run : runs) {
            List<String> line = new ArrayList<>(List.of(name + (runs.indexOf(run) + 1)));
            line.addAll(figures(figure -> text(figure, figure.of(run))));
            lines.add(line);
        }
    }

    private void seconds(LoadResult run) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("Second", "Answers /s", "p50 ms", "p99 ms", "Max ms"));
        for (int i = 0; i < run.overTime().size(); i++) {
            if (i < FIRST_SECONDS || (i + 1) % FIRST_SECONDS == 0) {
                LoadResult.Second second = run.overTime().get(i);
                lines.add(
                        List.of(
                                Integer.toString(i + 1),
                                rate((double) second.answers()),
                                millis(second.p50Millis()),
                                millis(second.p99Millis()),
                                millis(second.maxMillis())));
            }
        }
        text.table(lines);
    }

    private void profiles(ScenarioResult scenario) {
        String links =
                report.profiles().stream()
                        .filter(profile -> profile.scenarioName().equals(scenario.name()))
                        .map(ReportMarkdown::link)
                        .collect(Collectors.joining(", "));
        if (!links.isEmpty()) {
            text.paragraph("Flame graphs of separate runs at the same rate: " + links + ".");
        }
    }

    private static String link(ProfiledRun profile) {
        String kind = profile.kind().name().toLowerCase(Locale.ROOT);
        String file = ReportFolder.FLAMES + "/" + profile.html().getFileName();
        return "[%s %s](%s)".formatted(profile.node(), kind, file);
    }

    /** Escapes text as one line without markup. */
    private static String escape(String name) {
        String line = name.strip().replaceAll("\\p{Cc}", " ");
        return MARKUP.matcher(line).replaceAll("\\\\$0");
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%,.1f" : "%,.0f", perSecond);
    }

    /** Formats milliseconds with about three significant digits. */
    private static String millis(double millis) {
        return String.format(
                Locale.ROOT, millis < 10 ? "%.2f" : millis < 100 ? "%.1f" : "%,.0f", millis);
    }

    /** Builds Markdown, and escapes names. */
    private static final class Markdown {

        private final StringBuilder text = new StringBuilder(16_384);

        Markdown heading(int level, String name) {
            return paragraph("#".repeat(level) + " " + escape(name));
        }

        /** Adds Markdown and an empty line. */
        Markdown paragraph(String markdown) {
            text.append(markdown.strip()).append("\n\n");
            return this;
        }

        Markdown list(List<String> items) {
            return paragraph(
                    items.stream()
                            .map(item -> "- " + escape(item))
                            .collect(Collectors.joining("\n")));
        }

        /** Adds a table of headings and rows: the first column is text, the others are numbers. */
        Markdown table(List<List<String>> lines) {
            StringBuilder table = new StringBuilder();
            int columns = lines.getFirst().size();
            for (List<String> line : lines) {
                if (line.size() != columns) {
                    throw new IllegalArgumentException(columns + " cells, and not " + line);
                }
                table.append(
                        line.stream()
                                .map(ReportMarkdown::escape)
                                .collect(Collectors.joining(" | ", "| ", " |\n")));
                if (line.equals(lines.getFirst())) {
                    table.append("|---|").append("---:|".repeat(columns - 1)).append('\n');
                }
            }
            return paragraph(table.toString());
        }

        String end() {
            return text.toString().stripTrailing() + "\n";
        }
    }
}

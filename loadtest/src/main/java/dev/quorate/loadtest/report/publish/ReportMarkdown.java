package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.publish.Markdown.escape;
import static dev.quorate.loadtest.report.publish.Markdown.millis;
import static dev.quorate.loadtest.report.publish.Markdown.plural;
import static dev.quorate.loadtest.report.publish.Markdown.rate;

import dev.quorate.loadtest.report.BreakingPoint;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.RunFigure;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.Spread;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A report as Markdown: on the first screen what was measured and all results, then a section for
 * each scenario, where the time went, the circumstances, and what is missing.
 */
final class ReportMarkdown {

    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd 'at' HH:mm 'UTC'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    /** The number of missing results that are listed at the top. */
    private static final int MISSING_AT_TOP = 3;

    private static final String CIRCUMSTANCES = "Circumstances";
    private static final String MISSING = "What is missing";
    private static final String NO_FIGURE = "–";

    private final Report report;
    private final Markdown text;

    /** Whether it stands beside all files of the report, which it may point to. */
    private final boolean isWhole;

    private ReportMarkdown(Report report, Markdown text, boolean isWhole) {
        this.report = report;
        this.text = text;
        this.isWhole = isWhole;
    }

    /** For the folder of the report. */
    static String write(Report report) {
        return new ReportMarkdown(report, new Markdown(), true).write();
    }

    /**
     * With nothing beside it but drawings.
     *
     * @param folder where they are
     */
    static String extract(Report report, String folder) {
        return new ReportMarkdown(report, new Markdown(folder + "/"), false).write();
    }

    private String write() {
        text.heading(1, report.title());
        missingAtTop();
        text.paragraph(introduction());
        if (!report.scenarios().isEmpty()) {
            summary();
            text.paragraph(explanation());
            PublishedSection.write(text, report);
        }
        for (ScenarioResult scenario : report.scenarios()) {
            ScenarioSection.write(text, scenario);
        }
        if (!report.profiles().isEmpty()) {
            ProfileSection.write(text, report, isWhole);
        }
        circumstances();
        missing();
        return text.end();
    }

    private void missingAtTop() {
        List<String> missing = report.missing();
        if (missing.isEmpty()) {
            return;
        }
        text.paragraph("**This report is not complete:**");
        List<String> items = new ArrayList<>();
        missing.stream().limit(MISSING_AT_TOP).map(Markdown::escape).forEach(items::add);
        if (missing.size() > MISSING_AT_TOP) {
            items.add("[and more](#" + Headings.slug(MISSING) + ")");
        }
        text.list(items);
    }

    private String introduction() {
        long measured = report.scenarios().stream().filter(each -> !each.runs().isEmpty()).count();
        return "Begun on "
                + MOMENT.format(report.begun())
                + ": "
                + plural(measured, "scenario")
                + runs()
                + ". What the figures depend on is under [Circumstances](#"
                + Headings.slug(CIRCUMSTANCES)
                + ").";
    }

    private String explanation() {
        return "Figures are medians of the runs; *Max* is the longest answer of all of them. *Static"
                + " p99* is that of an answer which the same node gives without doing anything, at"
                + " the same rate: what HTTP, this machine and the load generator cost."
                + breakingPoint();
    }

    private String runs() {
        List<Integer> counts =
                report.scenarios().stream()
                        .map(scenario -> scenario.runs().size())
                        .filter(runs -> runs > 0)
                        .distinct()
                        .sorted()
                        .toList();
        return switch (counts.size()) {
            case 0 -> "";
            case 1 -> ", " + plural(counts.getFirst(), "run") + " of each";
            default -> ", " + counts.getFirst() + " to " + counts.getLast() + " runs of each";
        };
    }

    private String breakingPoint() {
        List<String> limits =
                report.scenarios().stream()
                        .map(ScenarioResult::breakingPoint)
                        .filter(Objects::nonNull)
                        .map(BreakingPoint::p99LimitMillis)
                        .distinct()
                        .sorted()
                        .map(Markdown::plain)
                        .toList();
        return limits.isEmpty()
                ? ""
                : " The *breaking point* is the highest rate that holds: at least 99 % of it is"
                        + " achieved, and the 99th percentile is at most "
                        + limits.stream().collect(Collectors.joining(" or "))
                        + " ms.";
    }

    private void summary() {
        List<List<String>> lines = new ArrayList<>();
        List<String> heading =
                new ArrayList<>(List.of("Scenario", "Breaking point /s", "Asked /s"));
        for (RunFigure figure : RunFigure.values()) {
            heading.add(figure.label());
        }
        heading.add("Static p99 ms");
        lines.add(heading);
        report.scenarios().forEach(scenario -> lines.add(line(scenario)));
        text.table(1, lines);
    }

    private static List<String> line(ScenarioResult scenario) {
        BreakingPoint breakingPoint = scenario.breakingPoint();
        List<String> line = new ArrayList<>();
        String title = scenario.title();
        line.add("[" + escape(title) + "](#" + Headings.slug(title) + ")");
        line.add(breakingPoint == null ? NO_FIGURE : rate(breakingPoint.perSecond()));
        line.add(scenario.askedPerSecond() == 0 ? NO_FIGURE : rate(scenario.askedPerSecond()));
        if (scenario.runs().isEmpty()) {
            line.add("no figures");
            line.addAll(Collections.nCopies(RunFigure.values().length, NO_FIGURE));
            return line;
        }
        for (RunFigure figure : RunFigure.values()) {
            Spread spread = figure.of(scenario.runs());
            line.add(
                    switch (figure) {
                        case ACHIEVED -> rate(spread.median());
                        case P50, P99, P999 -> millis(spread.median());
                        case MAX -> millis(spread.most());
                    });
        }
        line.add(
                scenario.staticRuns().isEmpty()
                        ? NO_FIGURE
                        : millis(RunFigure.P99.of(scenario.staticRuns()).median()));
        return line;
    }

    private void circumstances() {
        text.heading(2, CIRCUMSTANCES);
        if (!report.circumstances().values().isEmpty()) {
            List<List<String>> lines = new ArrayList<>(List.of(List.of("What", "Value")));
            report.circumstances()
                    .values()
                    .forEach((name, value) -> lines.add(List.of(escape(name), escape(value))));
            text.table(2, lines);
        }
        if (!isWhole) {
            return;
        }
        text.paragraph(
                "`report.json` has all figures of this report. `raw/` has the latencies of each run,"
                        + " for the tools of HdrHistogram: `.hgrm` by percentile, `.hlog` second by"
                        + " second.");
    }

    private void missing() {
        text.heading(2, MISSING);
        if (report.missing().isEmpty()) {
            text.paragraph("Nothing: all that was to be measured is here.");
        } else {
            text.list(report.missing().stream().map(Markdown::escape).toList());
        }
    }
}

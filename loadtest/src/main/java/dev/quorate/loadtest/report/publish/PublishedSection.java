package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.publish.Markdown.escape;
import static dev.quorate.loadtest.report.publish.Markdown.millis;
import static dev.quorate.loadtest.report.publish.Markdown.rate;

import dev.quorate.loadtest.report.Published;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Run;
import dev.quorate.loadtest.report.RunFigure;
import dev.quorate.loadtest.report.ScenarioResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A report's figures beside those that others have published of the same loads. */
final class PublishedSection {

    private static final String NO_FIGURE = "–";

    private PublishedSection() {}

    /** Writes the section, if there is anything to compare. */
    static void write(Markdown text, Report report) {
        List<List<String>> lines = new ArrayList<>();
        List<String> theirs = new ArrayList<>();
        for (ScenarioResult scenario : report.scenarios()) {
            Published published = scenario.published();
            if (published != null) {
                lines.add(line(scenario, published));
                theirs.add(escape(scenario.title() + ": " + published.what()));
            }
        }
        if (lines.isEmpty()) {
            return;
        }
        lines.addFirst(
                List.of(
                        "Scenario",
                        "Theirs /s",
                        "Here /s",
                        "Theirs p99 ms",
                        "Here p99 ms",
                        "Static p99 ms"));
        text.heading(2, "Beside published reports");
        text.table(1, lines);
        text.paragraph(
                "**The machines differ**, and so may what an acknowledgement means: only a large"
                        + " difference says anything. Theirs are "
                        + escape(
                                report.scenarios().stream()
                                        .map(ScenarioResult::published)
                                        .filter(Objects::nonNull)
                                        .findFirst()
                                        .map(Published::source)
                                        .orElse(""))
                        + ":");
        text.list(theirs);
    }

    private static List<String> line(ScenarioResult scenario, Published published) {
        return List.of(
                escape(scenario.title()),
                rate(published.perSecond()),
                median(RunFigure.ACHIEVED, scenario.runs()),
                published.p99Millis() == 0 ? NO_FIGURE : millis(published.p99Millis()),
                median(RunFigure.P99, scenario.runs()),
                median(RunFigure.P99, scenario.staticRuns()));
    }

    private static String median(RunFigure figure, List<Run> runs) {
        if (runs.isEmpty()) {
            return NO_FIGURE;
        }
        double median = figure.of(runs).median();
        return figure == RunFigure.ACHIEVED ? rate(median) : millis(median);
    }
}

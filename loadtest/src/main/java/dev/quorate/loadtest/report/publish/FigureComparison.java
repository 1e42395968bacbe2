package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.publish.Markdown.escape;
import static dev.quorate.loadtest.report.publish.Markdown.millis;
import static dev.quorate.loadtest.report.publish.Markdown.rate;

import dev.quorate.loadtest.report.BreakingPoint;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.RunFigure;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Two reports side by side, as Markdown: what differs by more than noise, and what else differs
 * that may be the reason.
 */
public final class FigureComparison {

    /** The figures that are compared; the longest answer alone is too noisy. */
    private static final List<RunFigure> FIGURES =
            List.of(RunFigure.P50, RunFigure.P99, RunFigure.P999, RunFigure.ACHIEVED);

    private static final String NO_FIGURE = "–";

    /** A parameter of a scenario. */
    private record Parameter(String name, Function<ScenarioResult, Object> value) {}

    private static final List<Parameter> PARAMETERS =
            List.of(
                    new Parameter("operation", ScenarioResult::operation),
                    new Parameter("replicas", ScenarioResult::replicas),
                    new Parameter("nodes", ScenarioResult::nodes),
                    new Parameter("threads", ScenarioResult::threads),
                    new Parameter("connections", ScenarioResult::connections),
                    new Parameter("bytes of a value", ScenarioResult::valueBytes));

    private final Report before;
    private final Report after;
    private final Map<String, ScenarioResult> scenariosBefore;
    private final Map<String, ScenarioResult> scenariosAfter;
    private final Markdown text = new Markdown();

    private FigureComparison(Report before, Report after) {
        this.before = before;
        this.after = after;
        this.scenariosBefore = byName(before);
        this.scenariosAfter = byName(after);
    }

    private static Map<String, ScenarioResult> byName(Report report) {
        Map<String, ScenarioResult> scenarios = new LinkedHashMap<>();
        report.scenarios().forEach(scenario -> scenarios.put(scenario.name(), scenario));
        return scenarios;
    }

    /**
     * Compares scenarios that have the same name.
     *
     * @return Markdown
     */
    public static String write(Report before, Report after) {
        return new FigureComparison(before, after).write();
    }

    private String write() {
        text.heading(1, before.title() + " and " + after.title());
        text.paragraph(
                "*Before* was begun at "
                        + before.begun()
                        + ", *after* at "
                        + after.begun()
                        + ". Figures are medians of the runs. One is called better or worse where the"
                        + " ranges of the runs do not overlap and the medians are more than 5 %"
                        + " apart. A breaking point is looked for once, so that its noise is not"
                        + " known.");
        incomplete("before", before);
        incomplete("after", after);
        figures();
        remarks();
        circumstances();
        return text.end();
    }

    private void incomplete(String which, Report report) {
        if (!report.missing().isEmpty()) {
            text.paragraph(
                    "**The report *"
                            + which
                            + "* is not complete:** "
                            + String.join(
                                    " ", report.missing().stream().map(Markdown::escape).toList()));
        }
    }

    private void figures() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("Scenario", "Figure", "Differs", "Before", "After", "Ratio", "Ranges"));
        for (ScenarioResult first : before.scenarios()) {
            ScenarioResult second = scenariosAfter.get(first.name());
            if (second != null) {
                lines.addAll(lines(first, second));
            }
        }
        if (lines.size() == 1) {
            text.paragraph("No scenario with figures is in both reports.");
        } else {
            text.table(3, lines);
        }
    }

    private static List<List<String>> lines(ScenarioResult first, ScenarioResult second) {
        List<List<String>> lines = new ArrayList<>();
        String title = escape(first.title());
        if (!first.runs().isEmpty() && !second.runs().isEmpty()) {
            for (RunFigure figure : FIGURES) {
                Spread one = figure.of(first.runs());
                Spread other = figure.of(second.runs());
                lines.add(
                        List.of(
                                title,
                                figure.label(),
                                verdict(figure, one, other),
                                text(figure, one.median()),
                                text(figure, other.median()),
                                ratio(one.median(), other.median()),
                                range(figure, one) + "; " + range(figure, other)));
            }
        }
        BreakingPoint one = first.breakingPoint();
        BreakingPoint other = second.breakingPoint();
        if (one != null && other != null) {
            lines.add(
                    List.of(
                            title,
                            "Breaking point /s",
                            "not known",
                            rate(one.perSecond()),
                            rate(other.perSecond()),
                            ratio(one.perSecond(), other.perSecond()),
                            ""));
        }
        return lines;
    }

    private static String verdict(RunFigure figure, Spread one, Spread other) {
        if (!one.isComparableTo(other)) {
            return "not known: one run";
        }
        if (!one.differsFrom(other)) {
            return "";
        }
        boolean better = figure.moreIsBetter() == (other.median() > one.median());
        return better ? "**better**" : "**worse**";
    }

    private static String text(RunFigure figure, double value) {
        return figure == RunFigure.ACHIEVED ? rate(value) : millis(value);
    }

    private static String range(RunFigure figure, Spread spread) {
        return text(figure, spread.least()) + " to " + text(figure, spread.most());
    }

    private static String ratio(double before, double after) {
        return before == 0 ? NO_FIGURE : String.format(Locale.ROOT, "%.2f", after / before);
    }

    /** Differences in the circumstances, which may explain a difference of figures. */
    private void remarks() {
        List<String> remarks = new ArrayList<>();
        for (ScenarioResult first : before.scenarios()) {
            ScenarioResult second = scenariosAfter.get(first.name());
            if (second == null) {
                remarks.add(escape(first.title()) + ": only before.");
            } else {
                remarks.addAll(remarks(first, second));
            }
        }
        for (ScenarioResult second : after.scenarios()) {
            if (!scenariosBefore.containsKey(second.name())) {
                remarks.add(escape(second.title()) + ": only after.");
            }
        }
        if (!remarks.isEmpty()) {
            text.heading(2, "To be considered").list(remarks);
        }
    }

    private static List<String> remarks(ScenarioResult first, ScenarioResult second) {
        List<String> remarks = new ArrayList<>();
        String title = "**" + escape(first.title()) + "**";
        String refusedBefore = first.refusal();
        if (refusedBefore != null) {
            remarks.add(title + " has no figures before: " + escape(refusedBefore));
        }
        String refusedAfter = second.refusal();
        if (refusedAfter != null) {
            remarks.add(title + " has no figures after: " + escape(refusedAfter));
        }
        for (Parameter parameter : PARAMETERS) {
            Object one = parameter.value().apply(first);
            Object other = parameter.value().apply(second);
            if (!one.equals(other)) {
                remarks.add(
                        title
                                + " is another load: "
                                + parameter.name()
                                + " "
                                + escape(one.toString())
                                + " before, "
                                + escape(other.toString())
                                + " after.");
            }
        }
        if (!first.runs().isEmpty() && !second.runs().isEmpty()) {
            rates(first, second, title, remarks);
            staticAnswer(first, second, title, remarks);
        }
        return remarks;
    }

    private static void rates(
            ScenarioResult first, ScenarioResult second, String title, List<String> remarks) {
        double one = first.askedPerSecond();
        double other = second.askedPerSecond();
        if (new Spread(one, one, one, 2).differsFrom(new Spread(other, other, other, 2))) {
            remarks.add(
                    title
                            + " was asked for "
                            + asked(one)
                            + " before and "
                            + asked(other)
                            + " after: its latencies are those of different rates.");
        }
    }

    private static String asked(double perSecond) {
        return perSecond == 0 ? "all that it answers" : rate(perSecond) + "/s";
    }

    private static void staticAnswer(
            ScenarioResult first, ScenarioResult second, String title, List<String> remarks) {
        if (first.staticRuns().isEmpty() || second.staticRuns().isEmpty()) {
            return;
        }
        List<String> differences = new ArrayList<>();
        for (RunFigure figure : FIGURES) {
            Spread one = figure.of(first.staticRuns());
            Spread other = figure.of(second.staticRuns());
            if (one.differsFrom(other)) {
                differences.add(
                        figure.label()
                                + " "
                                + text(figure, one.median())
                                + " before, "
                                + text(figure, other.median())
                                + " after");
            }
        }
        if (!differences.isEmpty()) {
            remarks.add(
                    title
                            + ": the static answer differs too ("
                            + String.join("; ", differences)
                            + "). The machine is the likelier cause.");
        }
    }

    private void circumstances() {
        Map<String, String> one = before.circumstances().values();
        Map<String, String> other = after.circumstances().values();
        Set<String> names = new LinkedHashSet<>(one.keySet());
        names.addAll(other.keySet());
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("What", "Before", "After"));
        for (String name : names) {
            if (!Objects.equals(one.get(name), other.get(name))) {
                lines.add(
                        List.of(
                                escape(name),
                                escape(one.getOrDefault(name, NO_FIGURE)),
                                escape(other.getOrDefault(name, NO_FIGURE))));
            }
        }
        text.heading(2, "Circumstances that differ");
        if (lines.size() == 1) {
            text.paragraph("None.");
        } else {
            text.table(3, lines);
        }
    }
}

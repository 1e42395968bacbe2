package dev.quorate.loadtest.conditional;

import dev.quorate.loadtest.conditional.Tally.Turn;
import dev.quorate.loadtest.figures.JsonRows;
import dev.quorate.loadtest.figures.Row;
import dev.quorate.loadtest.figures.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * What came of a plan.
 *
 * @param figures those of the first case are what the others are compared to
 * @param refusals sentences about the cases without figures
 */
public record ConditionalResult(List<Figures> figures, List<String> refusals) {

    public ConditionalResult {
        figures = List.copyOf(figures);
        refusals = List.copyOf(refusals);
    }

    /** Those of one case, one for each turn. */
    record Figures(String name, List<Turn> turns) {

        Figures {
            turns = List.copyOf(turns);
        }

        private Turn median() {
            return turns.stream()
                    .sorted(Comparator.comparingDouble(Turn::perSecond))
                    .toList()
                    .get(turns.size() / 2);
        }

        /** The longest that a client waited in any turn. */
        private double maxMillis() {
            return turns.stream().mapToDouble(Turn::maxMillis).max().orElse(0);
        }

        /** The median of the ratios of each turn. */
        private double ratioTo(Figures first) {
            List<Double> ratios =
                    IntStream.range(0, turns.size())
                            .mapToObj(
                                    turn ->
                                            turns.get(turn).perSecond()
                                                    / first.turns.get(turn).perSecond())
                            .sorted()
                            .toList();
            return ratios.get(ratios.size() / 2);
        }
    }

    /** A line for each case. */
    public String text() {
        StringBuilder text = new StringBuilder();
        if (!figures.isEmpty()) {
            text.append(table());
        }
        refusals.forEach(refusal -> text.append(refusal).append('\n'));
        return text.toString();
    }

    private String table() {
        List<List<String>> lines = new ArrayList<>();
        Figures first = figures.getFirst();
        lines.add(
                List.of(
                        "",
                        "writes/s",
                        "of the first",
                        "attempts",
                        "p50 ms",
                        "p99 ms",
                        "longest ms"));
        for (Figures each : figures) {
            Turn median = each.median();
            lines.add(
                    List.of(
                            each.name(),
                            text("%,.0f", median.perSecond()),
                            each.equals(first) ? "" : text("%.2f", each.ratioTo(first)),
                            text("%.2f", median.attempts()),
                            text("%.2f", median.p50Millis()),
                            text("%.2f", median.p99Millis()),
                            text("%.0f", each.maxMillis())));
        }
        return TextTable.write(lines);
    }

    /** The throughput, attempts and waits of each case. */
    public String json() {
        List<Row> rows = new ArrayList<>();
        for (Figures each : figures) {
            Figures first = figures.getFirst();
            Turn median = each.median();
            boolean isFirst = each.equals(first);
            rows.add(
                    new Row(
                            each.name(),
                            median.perSecond(),
                            "writes/s",
                            isFirst ? null : first.name(),
                            isFirst ? null : each.ratioTo(first)));
            rows.add(row(each, ", attempts", median.attempts(), "requests"));
            rows.add(row(each, ", p50", median.p50Millis(), "ms"));
            rows.add(row(each, ", p99", median.p99Millis(), "ms"));
            rows.add(row(each, ", longest", each.maxMillis(), "ms"));
        }
        return JsonRows.write(rows);
    }

    private static Row row(Figures each, String suffix, double value, String unit) {
        return new Row(each.name() + suffix, value, unit, null, null);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}

package dev.quorate.loadtest.beside;

import dev.quorate.loadtest.figures.JsonRows;
import dev.quorate.loadtest.figures.Row;
import dev.quorate.loadtest.figures.TextTable;
import dev.quorate.loadtest.load.LoadResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * What came of a plan.
 *
 * @param refusals sentences about the cases without figures
 */
public record BesideResult(
        OtherStore other, int rate, List<Figures> figures, List<String> refusals) {

    public BesideResult {
        figures = List.copyOf(figures);
        refusals = List.copyOf(refusals);
    }

    /**
     * Those of one case.
     *
     * @param ours one for each turn
     * @param theirs of the same turns
     */
    public record Figures(String name, List<LoadResult> ours, List<LoadResult> theirs) {

        public Figures {
            ours = List.copyOf(ours);
            theirs = List.copyOf(theirs);
        }

        /** Our throughput over theirs of each turn, in rising order. */
        private List<Double> ratios() {
            return IntStream.range(0, ours.size())
                    .mapToObj(
                            turn ->
                                    ours.get(turn).requestsPerSecond()
                                            / theirs.get(turn).requestsPerSecond())
                    .sorted()
                    .toList();
        }
    }

    private static LoadResult median(List<LoadResult> turns) {
        return turns.stream()
                .sorted(Comparator.comparingDouble(LoadResult::requestsPerSecond))
                .toList()
                .get(turns.size() / 2);
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
        String name = other.kind().label();
        List<List<String>> lines = new ArrayList<>();
        lines.add(
                List.of(
                        "",
                        "Quorate/s",
                        "p50 ms",
                        "p99 ms",
                        name + "/s",
                        "p50 ms",
                        "p99 ms",
                        "Quorate of " + name,
                        "all turns"));
        for (Figures each : figures) {
            List<String> line = new ArrayList<>(List.of(each.name()));
            for (List<LoadResult> turns : List.of(each.ours(), each.theirs())) {
                LoadResult median = median(turns);
                line.add(text("%,.0f", median.requestsPerSecond()));
                line.add(text("%.2f", median.latency().millis(0.5)));
                line.add(text("%.2f", median.latency().millis(0.99)));
            }
            List<Double> ratios = each.ratios();
            line.add(rate > 0 ? "" : text("%.2f", ratios.get(ratios.size() / 2)));
            line.add(
                    rate > 0
                            ? ""
                            : text("%.2f", ratios.getFirst())
                                    + " - "
                                    + text("%.2f", ratios.getLast()));
            lines.add(line);
        }
        return TextTable.write(lines);
    }

    /** The throughput and latencies of each store. */
    public String json() {
        List<Row> rows = new ArrayList<>();
        for (Figures each : figures) {
            String theirName = each.name() + ", " + other.kind().label();
            LoadResult theirs = median(each.theirs());
            LoadResult ours = median(each.ours());
            List<Double> ratios = each.ratios();
            rows.add(
                    new Row(
                            each.name(),
                            ours.requestsPerSecond(),
                            "requests/s",
                            rate > 0 ? null : theirName,
                            rate > 0 ? null : ratios.get(ratios.size() / 2)));
            rows.add(new Row(theirName, theirs.requestsPerSecond(), "requests/s", null, null));
            for (double share : new double[] {0.5, 0.99}) {
                String suffix = ", p" + Math.round(100 * share);
                rows.add(row(each.name() + suffix, ours, share));
                rows.add(row(theirName + suffix, theirs, share));
            }
        }
        return JsonRows.write(rows);
    }

    private static Row row(String name, LoadResult result, double share) {
        return new Row(name, result.latency().millis(share), "ms", null, null);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}

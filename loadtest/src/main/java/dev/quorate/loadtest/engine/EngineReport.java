package dev.quorate.loadtest.engine;

import dev.quorate.loadtest.engine.EngineBenchmark.Comparison;
import dev.quorate.loadtest.figures.JsonRows;
import dev.quorate.loadtest.figures.Row;
import dev.quorate.loadtest.figures.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the engine benchmark prints. */
public final class EngineReport {

    private static final String NOTHING = "-";

    private final String beside;
    private final List<Comparison> comparisons;

    /**
     * @param beside what ours was compared to
     */
    EngineReport(String beside, List<Comparison> comparisons) {
        this.beside = beside;
        this.comparisons = List.copyOf(comparisons);
    }

    /** As a table for people. */
    public String table() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("", "Quorate", beside, "", "ratio", "all runs of both"));
        for (Comparison one : comparisons) {
            lines.add(
                    List.of(
                            one.name(),
                            number(one.median()),
                            one.hasReference() ? number(one.referenceMedian()) : NOTHING,
                            one.unit(),
                            one.hasReference()
                                    ? String.format(Locale.ROOT, "%.2f", one.ratio())
                                    : NOTHING,
                            range(one.ours())
                                    + (one.hasReference() ? ", " + range(one.reference()) : "")));
        }
        return TextTable.write(lines);
    }

    private static String number(double value) {
        String format = value < 1 ? "%.3f" : value < 100 ? "%.1f" : "%,.0f";
        return String.format(Locale.ROOT, format, value);
    }

    private static String range(List<Double> values) {
        return number(values.getFirst()) + " - " + number(values.getLast());
    }

    /** Two rows for each comparison: ours, and the reference's. */
    public String json() {
        List<Row> rows = new ArrayList<>();
        for (Comparison one : comparisons) {
            if (!one.hasReference()) {
                rows.add(new Row(one.name(), one.median(), one.unit(), null, null));
                continue;
            }
            String reference = beside + ", " + one.name();
            rows.add(new Row(one.name(), one.median(), one.unit(), reference, one.ratio()));
            rows.add(new Row(reference, one.referenceMedian(), one.unit(), null, null));
        }
        return JsonRows.write(rows);
    }
}

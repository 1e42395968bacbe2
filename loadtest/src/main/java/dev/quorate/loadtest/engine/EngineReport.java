package dev.quorate.loadtest.engine;

import dev.quorate.loadtest.engine.EngineBenchmark.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The output of the engine benchmark. */
public record EngineReport(List<Comparison> comparisons) {

    private static final String NOTHING = "-";

    public String table() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("", "Quorate", "RocksDB", "", "ratio", "all runs of both"));
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
        return aligned(lines);
    }

    private static String number(double value) {
        String format = value < 1 ? "%.3f" : value < 100 ? "%.1f" : "%,.0f";
        return String.format(Locale.ROOT, format, value);
    }

    private static String range(List<Double> values) {
        return number(values.getFirst()) + " - " + number(values.getLast());
    }

    /** A table for a terminal: the first column is left-aligned, the others right-aligned. */
    static String aligned(List<List<String>> lines) {
        int columns = lines.getFirst().size();
        for (List<String> line : lines) {
            if (line.size() != columns) {
                throw new IllegalArgumentException(columns + " cells, and not " + line.size());
            }
        }
        StringBuilder table = new StringBuilder();
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                String cell = line.get(column);
                String blanks = " ".repeat(width(lines, column) - cell.length());
                text.append(column == 0 ? cell + blanks : "  " + blanks + cell);
            }
            table.append(text.toString().stripTrailing()).append('\n');
        }
        return table.toString();
    }

    private static int width(List<List<String>> lines, int column) {
        return lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(0);
    }
}

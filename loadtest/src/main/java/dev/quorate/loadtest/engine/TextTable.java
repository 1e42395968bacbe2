package dev.quorate.loadtest.engine;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table for a terminal: the first column to the left, the others to the right. */
final class TextTable {

    private static final String GAP = "  ";

    private TextTable() {}

    /**
     * Writes a table.
     *
     * @param lines the headings and then the rows, all with the same number of cells
     */
    static String write(List<List<String>> lines) {
        int columns = lines.getFirst().size();
        for (List<String> line : lines) {
            if (line.size() != columns) {
                throw new IllegalArgumentException(columns + " cells, and not " + line.size());
            }
        }
        int[] widths =
                IntStream.range(0, columns)
                        .map(
                                column ->
                                        lines.stream()
                                                .mapToInt(line -> line.get(column).length())
                                                .max()
                                                .orElse(0))
                        .toArray();
        return lines.stream()
                .map(line -> writeLine(line, widths))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String writeLine(List<String> line, int[] widths) {
        StringBuilder text = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String cell = line.get(column);
            String blanks = " ".repeat(widths[column] - cell.length());
            text.append(column == 0 ? cell + blanks : GAP + blanks + cell);
        }
        return text.toString().stripTrailing();
    }
}

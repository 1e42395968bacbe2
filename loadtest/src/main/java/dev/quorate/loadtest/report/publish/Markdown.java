package dev.quorate.loadtest.report.publish;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Markdown, in which names and numbers are only text. */
final class Markdown {

    /** Names of things come from anywhere: in them these characters would be markup. */
    private static final String MARKUP = "\\`*_{}[]<>#|!&~";

    private final StringBuilder text = new StringBuilder(16_384);

    /** A heading of the first level, or one below it. */
    Markdown heading(int level, String name) {
        return paragraph("#".repeat(level) + " " + escape(name));
    }

    /** Lines that are Markdown, and an empty one. */
    Markdown paragraph(String markdown) {
        text.append(markdown.strip()).append("\n\n");
        return this;
    }

    /** A list of sentences. */
    Markdown list(List<String> items) {
        return paragraph(
                items.stream().map(item -> "- " + escape(item)).collect(Collectors.joining("\n")));
    }

    /**
     * A table: the first column is text, the others are numbers.
     *
     * @param lines the headings and then the rows
     */
    Markdown table(List<List<String>> lines) {
        StringBuilder table = new StringBuilder();
        int columns = lines.getFirst().size();
        for (List<String> line : lines) {
            if (line.size() != columns) {
                throw new IllegalArgumentException(columns + " cells, and not " + line);
            }
            table.append(
                    line.stream()
                            .map(Markdown::escape)
                            .collect(Collectors.joining(" | ", "| ", " |\n")));
            if (line.equals(lines.getFirst())) {
                table.append("|---|").append("---:|".repeat(columns - 1)).append('\n');
            }
        }
        return paragraph(table.toString());
    }

    /** All of it. */
    String end() {
        return text.toString().stripTrailing() + "\n";
    }

    /** Text in which nothing is markup, on one line. */
    static String escape(String name) {
        StringBuilder escaped = new StringBuilder();
        name.strip()
                .codePoints()
                .forEach(
                        c -> {
                            if (MARKUP.indexOf(c) >= 0) {
                                escaped.append('\\');
                            }
                            escaped.appendCodePoint(Character.isISOControl(c) ? ' ' : c);
                        });
        return escaped.toString();
    }

    /** Requests a second. */
    static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%,.1f" : "%,.0f", perSecond);
    }

    /** Milliseconds with about three significant digits. */
    static String millis(double millis) {
        return String.format(
                Locale.ROOT, millis < 10 ? "%.2f" : millis < 100 ? "%.1f" : "%,.0f", millis);
    }
}

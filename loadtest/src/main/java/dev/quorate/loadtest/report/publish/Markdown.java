package dev.quorate.loadtest.report.publish;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Builds Markdown, and escapes names and numbers. */
final class Markdown {

    /** Characters that could be markup in a name. */
    private static final String MARKUP = "\\`*_{}[]<>#|!&~";

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
                items.stream().map(item -> "- " + escape(item)).collect(Collectors.joining("\n")));
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
                            .map(Markdown::escape)
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

    /** Escapes text as one line without markup. */
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

    static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%,.1f" : "%,.0f", perSecond);
    }

    /** Formats milliseconds with about three significant digits. */
    static String millis(double millis) {
        return String.format(
                Locale.ROOT, millis < 10 ? "%.2f" : millis < 100 ? "%.1f" : "%,.0f", millis);
    }
}

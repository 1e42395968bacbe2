package dev.quorate.loadtest.report.publish;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Markdown, in which names and numbers are only text. */
final class Markdown {

    /** Names of things come from anywhere: in them these characters would be markup. */
    private static final String MARKUP = "\\`*_{}[]<>#|!&~";

    /** What at the beginning of a line would make it an item of a list, or a heading. */
    private static final Pattern LIST_ITEM = Pattern.compile("^(\\d*)([-+=.)])");

    private static final double TINY = 0.01;

    private final StringBuilder text = new StringBuilder(16_384);

    /** What the names of pictures begin with. */
    private final String pictures;

    Markdown() {
        this("");
    }

    Markdown(String pictures) {
        this.pictures = pictures;
    }

    /** A heading of the first level, or one below it. */
    Markdown heading(int level, String name) {
        return paragraph("#".repeat(level) + " " + escape(name));
    }

    /** Lines that are Markdown, and an empty one. */
    Markdown paragraph(String markdown) {
        text.append(markdown.strip()).append("\n\n");
        return this;
    }

    /** A list of lines that are Markdown. */
    Markdown list(List<String> items) {
        return paragraph(items.stream().map(item -> "- " + item).collect(Collectors.joining("\n")));
    }

    /** A picture. */
    Markdown picture(String description, String file) {
        return paragraph("![" + escape(description) + "](" + pictures + file + ")");
    }

    /**
     * A table.
     *
     * @param left how many columns stand at the left; the others are numbers and stand at the right
     * @param lines the headings and then the rows: cells that are Markdown
     */
    Markdown table(int left, List<List<String>> lines) {
        StringBuilder table = new StringBuilder();
        int columns = lines.getFirst().size();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).size() != columns) {
                throw new IllegalArgumentException(columns + " cells, and not " + lines.get(i));
            }
            table.append("| ").append(String.join(" | ", lines.get(i))).append(" |\n");
            if (i == 0) {
                table.append('|').append("---|".repeat(left));
                table.append("---:|".repeat(columns - left)).append('\n');
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
        return LIST_ITEM.matcher(escaped).replaceFirst("$1\\\\$2");
    }

    /** Requests a second. */
    static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 100 ? "%,.1f" : "%,.0f", perSecond);
    }

    /** Milliseconds with three digits that count, or two after the point. */
    static String millis(double millis) {
        if (millis > 0 && millis < TINY) {
            return String.format(Locale.ROOT, "%.3f", millis);
        }
        return String.format(
                Locale.ROOT, millis < 10 ? "%.2f" : millis < 100 ? "%.1f" : "%,.0f", millis);
    }

    /** A number with as many digits as it has, up to three after the point. */
    static String plain(double number) {
        return new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT))
                .format(number);
    }

    /** A whole number. */
    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** A part of a whole; nothing, if it is none. */
    static String percent(double part, double whole) {
        return part == 0 ? "" : String.format(Locale.ROOT, "%.1f", 100 * part / whole);
    }

    /** A number of things, of which there may be one. */
    static String plural(long count, String one) {
        return count(count) + " " + (count == 1 ? one : one + "s");
    }
}

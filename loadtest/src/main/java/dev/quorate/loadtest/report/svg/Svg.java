package dev.quorate.loadtest.report.svg;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A drawing that is written from back to front. It has a view box and no width of its own, a title
 * and a description for screen readers, and no script.
 *
 * <p>Each rule of its style begins with the drawing's id, and its ids begin with it: several
 * drawings can be put into one page.
 */
public final class Svg {

    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,199}");
    private static final char REPLACEMENT = '\uFFFD';

    /** Where a text ends or begins at its point. */
    public enum Anchor {
        START,
        MIDDLE,
        END
    }

    private final StringBuilder text = new StringBuilder(8_192);

    /**
     * Begins a drawing.
     *
     * @param id lower-case letters, digits and hyphens, and first a letter
     * @param style CSS in which each selector begins with {@code #id}, which stands for the id
     * @throws IllegalArgumentException if the id is none
     */
    public Svg(String id, int width, int height, String title, String description, String style) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("no id of a drawing: " + id);
        }
        text.append("<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"")
                .append(id)
                .append("\" viewBox=\"0 0 ")
                .append(width)
                .append(' ')
                .append(height)
                .append("\" role=\"img\" aria-labelledby=\"")
                .append(id)
                .append("-title ")
                .append(id)
                .append("-desc\">\n<title id=\"")
                .append(id)
                .append("-title\">")
                .append(escape(title))
                .append("</title>\n<desc id=\"")
                .append(id)
                .append("-desc\">")
                .append(escape(description))
                .append("</desc>\n<style>\n")
                .append(style.strip().replace("#id", "#" + id))
                .append("\n</style>\n");
    }

    /** Makes a file name, or any other text, a part of an id. */
    public static String id(String name) {
        String id = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        return Character.isLetter(id.isEmpty() ? '-' : id.charAt(0)) ? id : "d" + id;
    }

    /** A straight line. */
    public Svg line(String kind, double x1, double y1, double x2, double y2) {
        return path(kind, new double[] {x1, x2}, new double[] {y1, y2});
    }

    /**
     * A line through points.
     *
     * @throws IllegalArgumentException if a coordinate is no finite number
     */
    public Svg path(String kind, double[] xs, double[] ys) {
        begin("path", kind);
        text.append(" d=\"");
        for (int i = 0; i < xs.length; i++) {
            text.append(i == 0 ? 'M' : 'L').append(number(xs[i])).append(' ').append(number(ys[i]));
        }
        text.append("\"/>\n");
        return this;
    }

    /** A rectangle. */
    public Svg rectangle(String kind, double x, double y, double width, double height) {
        begin("rect", kind).attribute("x", x).attribute("y", y);
        attribute("width", width).attribute("height", height);
        text.append("/>\n");
        return this;
    }

    /** A circle. */
    public Svg circle(String kind, double x, double y, double radius) {
        begin("circle", kind).attribute("cx", x).attribute("cy", y).attribute("r", radius);
        text.append("/>\n");
        return this;
    }

    /**
     * Text on a base line.
     *
     * @param kind may be empty
     */
    public Svg text(String kind, double x, double y, Anchor anchor, String content) {
        begin("text", kind).attribute("x", x).attribute("y", y);
        if (anchor != Anchor.START) {
            attribute("text-anchor", anchor == Anchor.END ? "end" : "middle");
        }
        text.append('>').append(escape(content)).append("</text>\n");
        return this;
    }

    /** What is drawn until the end of the group has this title, which a mouse shows. */
    public Svg beginGroup(String title) {
        text.append("<g><title>").append(escape(title)).append("</title>");
        return this;
    }

    /** Ends a group. */
    public Svg endGroup() {
        text.append("</g>\n");
        return this;
    }

    /** The whole drawing. */
    public String end() {
        return text + "</svg>\n";
    }

    private Svg begin(String element, String kind) {
        text.append('<').append(element);
        return kind.isEmpty() ? this : attribute("class", kind);
    }

    private Svg attribute(String name, double value) {
        return attribute(name, number(value));
    }

    private Svg attribute(String name, String value) {
        text.append(' ').append(name).append("=\"").append(escape(value)).append('"');
        return this;
    }

    /** With one digit after the point, or none if that is zero. */
    private static String number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("no coordinate: " + value);
        }
        long tenths = Math.round(value * 10);
        return tenths % 10 == 0
                ? Long.toString(tenths / 10)
                : String.format(Locale.ROOT, "%.1f", tenths / 10.0);
    }

    /**
     * Text of XML or HTML. A character that XML does not permit, such as a control character,
     * becomes U+FFFD.
     */
    public static String escape(String content) {
        StringBuilder escaped = new StringBuilder(content.length());
        content.codePoints()
                .forEach(
                        c -> {
                            switch (c) {
                                case '&' -> escaped.append("&amp;");
                                case '<' -> escaped.append("&lt;");
                                case '>' -> escaped.append("&gt;");
                                case '"' -> escaped.append("&quot;");
                                case '\'' -> escaped.append("&#39;");
                                default -> escaped.appendCodePoint(isText(c) ? c : REPLACEMENT);
                            }
                        });
        return escaped.toString();
    }

    private static boolean isText(int c) {
        return (c >= ' ' && c < Character.MIN_SURROGATE)
                || (c > Character.MAX_SURROGATE && c < 0xFFFE)
                || c >= Character.MIN_SUPPLEMENTARY_CODE_POINT;
    }
}

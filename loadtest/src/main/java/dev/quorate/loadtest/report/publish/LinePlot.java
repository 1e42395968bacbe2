package dev.quorate.loadtest.report.publish;

import dev.quorate.loadtest.report.publish.Scale.Tick;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Draws lines as SVG. The page that contains the plot defines its styles. */
final class LinePlot {

    /** A point of a line, in the units of the axes. */
    record Point(double x, double y) {}

    /** A line with its name in the legend. */
    record Line(String label, List<Point> points) {

        /** A line through one point for each element. */
        static <T> Line of(
                String label, List<T> elements, ToDoubleFunction<T> x, ToDoubleFunction<T> y) {
            return new Line(
                    label,
                    elements.stream()
                            .map(each -> new Point(x.applyAsDouble(each), y.applyAsDouble(each)))
                            .toList());
        }
    }

    record Axis(String label, Scale scale) {}

    private static final int WIDTH = 480;
    private static final int HEIGHT = 300;
    private static final int LEFT = 64;
    private static final int RIGHT = WIDTH - 32;
    private static final int TOP = 40;
    private static final int BOTTOM = HEIGHT - 46;
    private static final int LEGEND_STEP = 105;

    private final Axis x;
    private final Axis y;
    private final List<Tick> columns;
    private final List<Tick> rows;
    private final StringBuilder svg = new StringBuilder(4_096);

    private LinePlot(Axis x, Axis y, List<Line> lines) {
        this.x = x;
        this.y = y;
        List<Point> all = lines.stream().flatMap(line -> line.points().stream()).toList();
        this.columns = ticks(x.scale(), all, Point::x);
        this.rows = ticks(y.scale(), all, Point::y);
    }

    private static List<Tick> ticks(
            Scale scale, List<Point> points, ToDoubleFunction<Point> coordinate) {
        double[] places =
                points.stream()
                        .mapToDouble(point -> scale.place(coordinate.applyAsDouble(point)))
                        .sorted()
                        .toArray();
        return places.length == 0
                ? scale.ticks(0, 1)
                : scale.ticks(places[0], places[places.length - 1]);
    }

    /**
     * @param title alternative text
     * @param lines at most four; the first is the most visible
     */
    static String draw(String title, Axis x, Axis y, List<Line> lines) {
        return new LinePlot(x, y, lines).draw(title, lines);
    }

    private String draw(String title, List<Line> lines) {
        add(
                "<svg class=\"plot\" viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\">"
                        .formatted(WIDTH, HEIGHT, escape(title)));
        for (Tick tick : columns) {
            double at = across(tick.place());
            add("<path class=\"grid\" d=\"M%s %s V%s\"/>".formatted(number(at), TOP, BOTTOM));
            text(at, BOTTOM + 17, "middle", tick.label());
        }
        for (Tick tick : rows) {
            double at = down(tick.place());
            add("<path class=\"grid\" d=\"M%s %s H%s\"/>".formatted(LEFT, number(at), RIGHT));
            text(LEFT - 6, at + 4, "end", tick.label());
        }
        text((LEFT + RIGHT) / 2.0, HEIGHT - 8, "middle", x.label());
        text(4, 14, "start", y.label());
        for (int i = lines.size() - 1; i >= 0; i--) {
            line(lines.get(i), i);
        }
        return svg.append("</svg>").toString();
    }

    private void line(Line line, int index) {
        String points =
                line.points().stream()
                        .map(
                                point ->
                                        number(across(x.scale().place(point.x())))
                                                + ","
                                                + number(down(y.scale().place(point.y()))))
                        .collect(Collectors.joining(" "));
        add("<polyline class=\"line%s\" points=\"%s\"/>".formatted(index, points));
        int legend = LEFT + index * LEGEND_STEP;
        add("<path class=\"line%s\" d=\"M%s 28 h18\"/>".formatted(index, legend));
        text(legend + 24, 32, "start", line.label());
    }

    private double across(double place) {
        return LEFT + (RIGHT - LEFT) * part(columns, place);
    }

    private double down(double place) {
        return BOTTOM - (BOTTOM - TOP) * part(rows, place);
    }

    /** The position of a place between the first and the last tick, from 0 to 1. */
    private static double part(List<Tick> ticks, double place) {
        double from = ticks.getFirst().place();
        return Math.clamp((place - from) / (ticks.getLast().place() - from), 0, 1);
    }

    private void text(double atX, double atY, String anchor, String text) {
        add(
                "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>"
                        .formatted(number(atX), number(atY), anchor, escape(text)));
    }

    private void add(String element) {
        svg.append(element).append('\n');
    }

    /** A coordinate, rounded to tenths. */
    private static String number(double coordinate) {
        return Double.toString(Math.round(10 * coordinate) / 10.0);
    }

    /** Escapes text for HTML. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}

package dev.quorate.loadtest.report.plot;

import dev.quorate.loadtest.report.svg.Svg;
import dev.quorate.loadtest.report.svg.Svg.Anchor;
import java.util.List;

/**
 * What every drawing of figures has: its width, its style, boxes with lines and labels at their
 * sides, and a legend. It is narrow and its letters are large, so that it can be read on a phone.
 */
final class Frame {

    static final int WIDTH = 400;
    static final double LEFT = 66;
    static final double RIGHT = WIDTH - 18.0;

    /** From one line of a legend to the next. */
    static final double LINE_HEIGHT = 19;

    private static final double LABEL_GAP = 8;
    private static final double COLUMN_GAP = 6;
    private static final double LETTER_WIDTH = 8.6;
    private static final int MAX_LEGEND = 44;

    /**
     * The colours are of those that Okabe and Ito chose for all kinds of sight, and each kind of
     * line has dashes of its own besides.
     */
    static final String STYLE =
            """
            #id{font:14px system-ui,sans-serif}
            #id path{fill:none}
            #id .back{fill:#fff}
            #id text{fill:#222}
            #id .grid{stroke:#ddd}
            #id .box{stroke:#888;fill:none}
            #id .a{stroke:#0060a0;stroke-width:2.2}
            #id .b{stroke:#b84a00;stroke-width:2.2;stroke-dasharray:7 3}
            #id .c{stroke:#555;stroke-width:2.2;stroke-dasharray:2 3}
            #id .thin{stroke-width:1;opacity:.5}
            #id .dot{fill:#0060a0}
            #id .cross{stroke:#b84a00;stroke-width:2.2}
            #id .limit{stroke:#555;stroke-width:1.5;stroke-dasharray:2 3}
            @media(prefers-color-scheme:dark){
            #id .back{fill:#16181c}
            #id text{fill:#ddd}
            #id .grid{stroke:#3a3d44}
            #id .box{stroke:#8a8d94}
            #id .a{stroke:#62b8f0}
            #id .b{stroke:#f0a030}
            #id .c{stroke:#b8b8b8}
            #id .dot{fill:#62b8f0}
            #id .cross{stroke:#f0a030}
            #id .limit{stroke:#b8b8b8}
            }
            """;

    private final Svg svg;
    private final double top;
    private final double bottom;

    /**
     * Begins a drawing.
     *
     * @param title and description: for those who do not see it
     */
    static Svg begin(String id, int height, String title, String description) {
        Svg svg = new Svg(id, WIDTH, height, title, description, STYLE);
        return svg.rectangle("back", 0, 0, WIDTH, height);
    }

    /** A box between two heights. */
    Frame(Svg svg, double top, double bottom) {
        this.svg = svg;
        this.top = top;
        this.bottom = bottom;
    }

    /** What the box shows stands above it, at its left. */
    Frame caption(String text) {
        svg.text("", 4, top - 12, Anchor.START, text);
        return this;
    }

    /** Lines from left to right, with labels at their left. */
    Frame rows(Axis axis) {
        for (Axis.Tick tick : axis.ticks()) {
            double y = axis.position(tick.value());
            svg.line("grid", LEFT, y, RIGHT, y);
            if (!tick.label().isEmpty()) {
                svg.text("", LEFT - LABEL_GAP, y + 4.5, Anchor.END, tick.label());
            }
        }
        return this;
    }

    /** Lines from top to bottom. */
    Frame columns(Axis axis) {
        for (Axis.Tick tick : axis.ticks()) {
            double x = axis.position(tick.value());
            svg.line("grid", x, top, x, bottom);
        }
        return this;
    }

    /** Labels of the lines from top to bottom, below; those for which there is room. */
    Frame columnLabels(Axis axis, String caption) {
        double free = 0;
        for (Axis.Tick tick : axis.ticks()) {
            double width = tick.label().length() * LETTER_WIDTH;
            double middle = Math.min(axis.position(tick.value()), WIDTH - 2.0 - width / 2);
            if (middle - width / 2 >= free) {
                svg.text("", middle, bottom + 19, Anchor.MIDDLE, tick.label());
                free = middle + width / 2 + COLUMN_GAP;
            }
        }
        svg.text("", (LEFT + RIGHT) / 2, bottom + 38, Anchor.MIDDLE, caption);
        return this;
    }

    /** The box's sides, over the lines. */
    void box() {
        svg.rectangle("box", LEFT, top, RIGHT - LEFT, bottom - top);
    }

    /**
     * A line of a legend.
     *
     * @param kind of the line that it explains
     * @param x where it begins
     * @param row counted from 0 at the top
     */
    static void legend(Svg svg, String kind, double x, int row, String label) {
        double y = (row + 1) * LINE_HEIGHT;
        svg.line(kind, x, y - 4.5, x + 28, y - 4.5);
        svg.text("", x + 34, y, Anchor.START, shortened(label));
    }

    static String shortened(String label) {
        return label.length() <= MAX_LEGEND ? label : label.substring(0, MAX_LEGEND - 1) + "…";
    }

    /** A line through points; of one point, a short one; nothing, if there are none. */
    static void path(Svg svg, String kind, List<double[]> points) {
        if (points.size() == 1) {
            double[] point = points.getFirst();
            svg.line(kind, point[0] - 1, point[1], point[0] + 1, point[1]);
        } else if (!points.isEmpty()) {
            svg.path(
                    kind,
                    points.stream().mapToDouble(point -> point[0]).toArray(),
                    points.stream().mapToDouble(point -> point[1]).toArray());
        }
    }
}

package dev.quorate.loadtest.report.plot;

import dev.quorate.loadtest.report.BreakingPoint;
import dev.quorate.loadtest.report.BreakingPoint.Step;
import dev.quorate.loadtest.report.svg.Svg;
import dev.quorate.loadtest.report.svg.Svg.Anchor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The rates that were tried, each with its 99th percentile, and whether it held. */
public final class BreakingPointPlot {

    private static final double TOP = 54;
    private static final double BOTTOM = 244;
    private static final int HEIGHT = 292;
    private static final double RADIUS = 4.5;
    private static final int STEPS = 5;

    /** So that the limit does not lie on the side of the box. */
    private static final double HEADROOM = 1.05;

    private BreakingPointPlot() {}

    /** Draws. */
    public static String draw(String id, String title, BreakingPoint point) {
        Svg svg = Frame.begin(id, HEIGHT, title, description(point));
        double most = point.steps().stream().mapToDouble(Step::asked).max().orElse(0);
        Axis asked =
                new LinearAxis(Math.max(most, point.perSecond()), STEPS, Frame.LEFT, Frame.RIGHT);
        List<Double> values = new ArrayList<>(List.of(HEADROOM * point.p99LimitMillis()));
        point.steps().forEach(step -> values.add(step.p99Millis()));
        Axis millis = new LogAxis(values, BOTTOM, TOP);

        Frame frame = new Frame(svg, TOP, BOTTOM).caption("p99, ms");
        frame.rows(millis).columns(asked).columnLabels(asked, "requests asked for in a second");
        double limit = millis.position(point.p99LimitMillis());
        svg.line("limit", Frame.LEFT, limit, Frame.RIGHT, limit);
        double breaking = asked.position(point.perSecond());
        svg.line("limit", breaking, TOP, breaking, BOTTOM);
        point.steps().forEach(step -> draw(svg, step, asked, millis));
        frame.box();

        mark(svg, true, 72, 14);
        svg.text("", 82, 19, Anchor.START, "held");
        mark(svg, false, 140, 14);
        svg.text("", 151, 19, Anchor.START, "did not");
        Frame.legend(svg, "limit", 222, 0, "limit and result");
        return svg.end();
    }

    private static void draw(Svg svg, Step step, Axis asked, Axis millis) {
        svg.beginGroup(
                String.format(
                        Locale.ROOT,
                        "%,.0f/s asked, %,.0f/s achieved, p99 %.2f ms: %s",
                        step.asked(),
                        step.achieved(),
                        step.p99Millis(),
                        step.held() ? "held" : "did not hold"));
        mark(svg, step.held(), asked.position(step.asked()), millis.position(step.p99Millis()));
        svg.endGroup();
    }

    /** A dot for what held, and a cross for what did not. */
    private static void mark(Svg svg, boolean held, double x, double y) {
        if (held) {
            svg.circle("dot", x, y, RADIUS);
        } else {
            svg.line("cross", x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS);
            svg.line("cross", x - RADIUS, y + RADIUS, x + RADIUS, y - RADIUS);
        }
    }

    private static String description(BreakingPoint point) {
        long held = point.steps().stream().filter(Step::held).count();
        return String.format(
                Locale.ROOT,
                "%d rates were tried and %d held. The highest that held is %,.0f/s. The limit of"
                        + " the 99th percentile is %.2f ms.",
                point.steps().size(),
                held,
                point.perSecond(),
                point.p99LimitMillis());
    }
}

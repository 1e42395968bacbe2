package dev.quorate.loadtest.report.plot;

import dev.quorate.loadtest.report.Run.Second;
import dev.quorate.loadtest.report.svg.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Throughput and latency over time: a box above for one, and one below for the other. */
public final class OverTimePlot {

    private static final double TOP = 32;
    private static final double MIDDLE = 122;
    private static final double LOWER_TOP = 178;
    private static final double BOTTOM = 348;
    private static final int HEIGHT = 396;
    private static final int LEGEND_ROW = 7;

    /** So that the line does not run along the side of the box. */
    private static final double HEADROOM = 1.05;

    private static final int TIME_STEPS = 6;
    private static final int THROUGHPUT_STEPS = 4;

    /** So many points are drawn at most; of a longer run, each stands for several seconds. */
    static final int MAX_POINTS = 180;

    private OverTimePlot() {}

    /**
     * Draws.
     *
     * @param seconds in their order
     */
    public static String draw(String id, String title, List<Second> seconds) {
        int merged = Math.ceilDiv(Math.max(1, seconds.size()), MAX_POINTS);
        List<Second> points = merge(seconds, merged);
        Svg svg = Frame.begin(id, HEIGHT, title, description(points, merged));
        double end = seconds.isEmpty() ? 1 : seconds.getLast().atSeconds();
        Axis time = new LinearAxis(end, TIME_STEPS, Frame.LEFT, Frame.RIGHT);
        double most = points.stream().mapToDouble(Second::answers).max().orElse(0);
        Axis throughput = new LinearAxis(HEADROOM * most, THROUGHPUT_STEPS, MIDDLE, TOP);
        Axis millis = new LogAxis(millis(points), BOTTOM, LOWER_TOP);

        Frame upper = new Frame(svg, TOP, MIDDLE).caption("answers in a second");
        upper.rows(throughput).columns(time);
        line(svg, "a", points, time, throughput, Second::answers);
        upper.box();
        Frame.legend(svg, "a", 72, LEGEND_ROW, "p50");
        Frame.legend(svg, "b", 180, LEGEND_ROW, "p99");
        Frame.legend(svg, "c", 288, LEGEND_ROW, "max");
        Frame lower = new Frame(svg, LOWER_TOP, BOTTOM).caption("ms");
        lower.rows(millis).columns(time).columnLabels(time, "seconds");
        latency(svg, "c", points, time, millis, Second::maxMillis);
        latency(svg, "b", points, time, millis, Second::p99Millis);
        latency(svg, "a", points, time, millis, Second::p50Millis);
        lower.box();
        return svg.end();
    }

    private static void line(
            Svg svg,
            String kind,
            List<Second> points,
            Axis time,
            Axis axis,
            ToDoubleFunction<Second> figure) {
        List<double[]> line = new ArrayList<>();
        for (Second point : points) {
            line.add(
                    new double[] {
                        time.position(point.atSeconds()), axis.position(figure.applyAsDouble(point))
                    });
        }
        Frame.path(svg, kind, line);
    }

    /** A second without an answer has no latency: there the line is broken. */
    private static void latency(
            Svg svg,
            String kind,
            List<Second> points,
            Axis time,
            Axis millis,
            ToDoubleFunction<Second> figure) {
        int from = 0;
        for (int i = 0; i <= points.size(); i++) {
            if (i == points.size() || points.get(i).answers() == 0) {
                line(svg, kind, points.subList(from, i), time, millis, figure);
                from = i + 1;
            }
        }
    }

    private static List<Double> millis(List<Second> points) {
        return points.stream()
                .flatMap(each -> Stream.of(each.p50Millis(), each.p99Millis(), each.maxMillis()))
                .toList();
    }

    /** Several seconds as one: the mean of the answers, and the worst of each latency. */
    static List<Second> merge(List<Second> seconds, int count) {
        List<Second> merged = new ArrayList<>();
        for (int from = 0; from < seconds.size(); from += count) {
            List<Second> part = seconds.subList(from, Math.min(seconds.size(), from + count));
            merged.add(
                    new Second(
                            part.getFirst().atSeconds(),
                            part.stream().mapToLong(Second::answers).sum() / part.size(),
                            most(part, Second::p50Millis),
                            most(part, Second::p99Millis),
                            most(part, Second::maxMillis)));
        }
        return merged;
    }

    private static double most(List<Second> seconds, ToDoubleFunction<Second> figure) {
        return seconds.stream().mapToDouble(figure).max().orElse(0);
    }

    private static String description(List<Second> points, int merged) {
        if (points.isEmpty()) {
            return "There are no figures over time.";
        }
        String each = merged == 1 ? "each second" : "each " + merged + " seconds";
        return String.format(
                Locale.ROOT,
                "For %s: %,d to %,d answers in a second; p50 at most %.2f ms, p99 at most %.2f ms,"
                        + " the longest answer %.2f ms.",
                each,
                points.stream().mapToLong(Second::answers).min().orElse(0),
                points.stream().mapToLong(Second::answers).max().orElse(0),
                most(points, Second::p50Millis),
                most(points, Second::p99Millis),
                most(points, Second::maxMillis));
    }
}

package dev.quorate.loadtest.report.plot;

import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.report.svg.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Latency by percentile: which share of all answers came within how many milliseconds. Both axes
 * are logarithmic: the one of percentiles as HdrHistogram draws it, so that the few longest answers
 * have as much room as all others.
 */
public final class SpectrumPlot {

    /**
     * Runs of the same load.
     *
     * @param runs the first is drawn as a thick line, the others as thin ones
     */
    public record Series(String label, List<Spectrum> runs) {

        public Series {
            runs = List.copyOf(runs);
        }
    }

    private static final double BOX_HEIGHT = 210;
    private static final int BELOW = 48;

    /** Of a, b and c; a fourth series has the style of the first. */
    private static final String[] KINDS = {"a", "b", "c"};

    /** Points that are nearer than that to the last one are left out. */
    private static final double NEAR = 0.7;

    /** Lines begin here. */
    private static final double FIRST_SHARE = 0.1;

    private SpectrumPlot() {}

    /** Draws. */
    public static String draw(String id, String title, List<Series> series) {
        double top = series.size() * Frame.LINE_HEIGHT + 40;
        double bottom = top + BOX_HEIGHT;
        Svg svg = Frame.begin(id, (int) bottom + BELOW, title, description(series));
        Axis percentiles = new PercentileAxis(mostAnswers(series), Frame.LEFT, Frame.RIGHT);
        Axis millis = new LogAxis(values(series), bottom, top);
        Frame frame = new Frame(svg, top, bottom).caption("milliseconds");
        frame.rows(millis).columns(percentiles).columnLabels(percentiles, "share of the answers");
        for (int i = series.size() - 1; i >= 0; i--) {
            String kind = KINDS[i % KINDS.length];
            List<Spectrum> runs = series.get(i).runs();
            for (int run = runs.size() - 1; run >= 0; run--) {
                String thin = run == 0 ? "" : " thin";
                Frame.path(svg, kind + thin, points(runs.get(run), percentiles, millis));
            }
        }
        frame.box();
        for (int i = 0; i < series.size(); i++) {
            String kind = KINDS[i % KINDS.length];
            Frame.legend(svg, kind, 4, i, series.get(i).label());
        }
        return svg.end();
    }

    private static long mostAnswers(List<Series> series) {
        return series.stream()
                .flatMap(each -> each.runs().stream())
                .mapToLong(Spectrum::count)
                .max()
                .orElse(1);
    }

    private static List<Double> values(List<Series> series) {
        return series.stream()
                .flatMap(each -> each.runs().stream())
                .flatMap(run -> drawn(run).stream())
                .map(Spectrum.Point::valueMillis)
                .toList();
    }

    private static List<double[]> points(Spectrum run, Axis percentiles, Axis millis) {
        List<double[]> points = new ArrayList<>();
        List<Spectrum.Point> all = drawn(run);
        for (int i = 0; i < all.size(); i++) {
            double x = percentiles.position(all.get(i).share());
            double y = millis.position(all.get(i).valueMillis());
            boolean ends = i == 0 || i == all.size() - 1;
            if (ends || distance(points.getLast(), x, y) >= NEAR) {
                points.add(new double[] {x, y});
            }
        }
        return points;
    }

    /** Without the fastest requests, which would take much of a logarithmic axis. */
    private static List<Spectrum.Point> drawn(Spectrum run) {
        return run.points().stream().filter(point -> point.share() >= FIRST_SHARE).toList();
    }

    private static double distance(double[] point, double x, double y) {
        return Math.hypot(point[0] - x, point[1] - y);
    }

    private static String description(List<Series> series) {
        return series.stream()
                .filter(each -> !each.runs().isEmpty())
                .map(SpectrumPlot::description)
                .collect(Collectors.joining(" "));
    }

    private static String description(Series series) {
        Spectrum run = series.runs().getFirst();
        return String.format(
                Locale.ROOT,
                "%s: half of the answers within %.2f ms, 99 %% within %.2f ms, 99.9 %% within"
                        + " %.2f ms, all within %.2f ms.",
                series.label(),
                run.millis(0.5),
                run.millis(0.99),
                run.millis(0.999),
                run.maxMillis());
    }
}

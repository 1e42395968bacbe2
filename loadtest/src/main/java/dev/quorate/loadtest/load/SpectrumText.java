package dev.quorate.loadtest.load;

import dev.quorate.loadtest.load.Spectrum.Point;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text that HdrHistogram writes of a histogram, and wrk2 prints: a line for each point, and
 * figures of all behind them.
 *
 * <pre>
 *        Value     Percentile TotalCount 1/(1-Percentile)
 *
 *        0.120 0.000000000000          1           1.00
 *       46.719 1.000000000000       3955
 * #[Mean    =        2.230, StdDeviation   =        4.130]
 * #[Max     =       46.719, Total count    =         3955]
 * </pre>
 *
 * <p>The third line of figures, which describes the histogram and no answers, is not written, and
 * not needed.
 */
final class SpectrumText {

    private static final String LAST_COLUMN = "1/(1-Percentile)";
    private static final String NUMBER = " *(\\d+(?:\\.\\d+)?)";

    /** C prints the mean of nothing so. */
    private static final String FIGURE = " *(\\d+(?:\\.\\d+)?|-?nan)";

    private static final Pattern HEADER =
            Pattern.compile(
                    " *Value +Percentile +TotalCount +" + Pattern.quote(LAST_COLUMN) + " *");
    private static final Pattern POINT =
            Pattern.compile(NUMBER + " +" + NUMBER + " +(\\d+)(?: +[\\d.a-zA-Z]+)? *");
    private static final Pattern MEAN =
            Pattern.compile("#\\[Mean *=" + FIGURE + ", *StdDeviation *=" + FIGURE + "\\] *");
    private static final Pattern MAX =
            Pattern.compile("#\\[Max *=" + NUMBER + ", *Total count *= *(\\d+)\\] *");

    private static final int MAX_DIGITS = 18;

    private final List<String> lines;
    private int at;

    private SpectrumText(String text) {
        lines = text.lines().toList();
    }

    static String write(Spectrum spectrum) {
        Formatter text = new Formatter(Locale.ROOT);
        text.format("%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", LAST_COLUMN);
        for (Point point : spectrum.points()) {
            text.format(
                    "%12.3f %2.12f %10d", point.valueMillis(), point.share(), point.totalCount());
            if (point.share() < 1) {
                text.format(" %14.2f", 1 / (1 - point.share()));
            }
            text.format("\n");
        }
        text.format(
                "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
                spectrum.meanMillis(), spectrum.deviationMillis());
        text.format(
                "#[Max     = %12.3f, Total count    = %12d]\n",
                spectrum.maxMillis(), spectrum.count());
        return text.toString();
    }

    /** See {@link Spectrum#parse}. */
    static Spectrum read(String text) throws ParseException {
        return new SpectrumText(text).read();
    }

    private Spectrum read() throws ParseException {
        while (at < lines.size() && !HEADER.matcher(lines.get(at)).matches()) {
            at++;
        }
        if (at == lines.size()) {
            throw new ParseException("there is no percentile spectrum in it", 0);
        }
        at++;
        List<Point> points = points();
        Matcher mean = next(MEAN);
        Matcher max = next(MAX);
        // The slowest answer is at least as slow as the last point, whose value may be rounded up.
        double slowest = points.isEmpty() ? 0 : points.getLast().valueMillis();
        return new Spectrum(
                points,
                figure(mean.group(1)),
                figure(mean.group(2)),
                Math.max(slowest, Double.parseDouble(max.group(1))),
                count(max.group(2)));
    }

    private static double figure(String text) {
        return text.endsWith("nan") ? 0 : Double.parseDouble(text);
    }

    private List<Point> points() throws ParseException {
        List<Point> points = new ArrayList<>();
        for (; at < lines.size() && !lines.get(at).startsWith("#"); at++) {
            Matcher line = POINT.matcher(lines.get(at));
            if (line.matches()) {
                Point point =
                        new Point(
                                Double.parseDouble(line.group(1)),
                                Double.parseDouble(line.group(2)),
                                count(line.group(3)));
                requireAfter(points, point);
                points.add(point);
            } else if (!lines.get(at).isBlank()) {
                throw complaint("is no point of a percentile spectrum");
            }
        }
        return points;
    }

    private void requireAfter(List<Point> points, Point point) throws ParseException {
        Point before = points.isEmpty() ? new Point(0, 0, 0) : points.getLast();
        if (point.share() > 1
                || point.share() < before.share()
                || point.valueMillis() < before.valueMillis()
                || point.totalCount() < before.totalCount()) {
            throw complaint("does not come after the line before it");
        }
    }

    private long count(String digits) throws ParseException {
        if (digits.length() > MAX_DIGITS) {
            throw complaint("has too large a number");
        }
        return Long.parseLong(digits);
    }

    private Matcher next(Pattern pattern) throws ParseException {
        if (at == lines.size()) {
            throw new ParseException("the percentile spectrum is cut off", at);
        }
        Matcher matcher = pattern.matcher(lines.get(at));
        if (!matcher.matches()) {
            throw complaint("does not end a percentile spectrum");
        }
        at++;
        return matcher;
    }

    private ParseException complaint(String what) {
        int number = Math.min(at, lines.size() - 1);
        String line = lines.get(number).strip();
        return new ParseException("line " + (number + 1) + ", '" + line + "', " + what, number);
    }
}

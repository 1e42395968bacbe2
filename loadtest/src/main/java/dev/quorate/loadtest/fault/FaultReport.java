package dev.quorate.loadtest.fault;

import dev.quorate.loadtest.fault.FaultMeasurement.Pair;
import dev.quorate.loadtest.figures.JsonRows;
import dev.quorate.loadtest.figures.Row;
import dev.quorate.loadtest.figures.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What is printed of faults. */
public final class FaultReport {

    private static final double BYTES_PER_MIB = 1 << 20;
    private static final String HEALTHY = ", healthy";
    private static final String P99 = ", p99";

    private final FaultResult result;

    public FaultReport(FaultResult result) {
        this.result = result;
    }

    /**
     * A line for each fault and operation. Figures and ratios are medians of the pairs, each for
     * itself, so that no ratio is the quotient of two figures; errors are of all pairs, and sizes
     * the most of any.
     */
    public String table() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(
                List.of(
                        "",
                        "healthy/s",
                        "p99 ms",
                        "fault/s",
                        "ratio",
                        "p99 ms",
                        "ratio",
                        "errors",
                        "back/s",
                        "ratio",
                        "p99 ratio",
                        "settled ms",
                        "waiting for it",
                        "MiB",
                        "hints MiB",
                        "RSS MiB",
                        "all ratios"));
        result.measurements().forEach(each -> lines.add(line(each)));
        return TextTable.write(lines) + remarks();
    }

    private static List<String> line(FaultMeasurement each) {
        return List.of(
                each.name(),
                text("%,.0f", each.median(pair -> pair.healthy().goodPerSecond())),
                text("%.1f", each.median(pair -> pair.healthy().p99Millis())),
                text("%,.0f", each.median(pair -> pair.failing().goodPerSecond())),
                text("%.2f", each.median(FaultMeasurement::throughputRatio)),
                text("%.1f", each.median(pair -> pair.failing().p99Millis())),
                text("%.1f", each.median(FaultMeasurement::p99Ratio)),
                "" + each.errors(),
                text("%,.0f", each.median(pair -> pair.back().goodPerSecond())),
                text("%.2f", each.median(FaultMeasurement::backRatio)),
                text("%.1f", each.median(FaultMeasurement::backP99Ratio)),
                each.settled() ? text("%.0f", each.most(Pair::settledMillis)) : "never",
                text("%,.0f", each.most(pair -> FaultMeasurement.peaks(pair).operations())),
                text("%.1f", mebibytes(each, Peaks::operationBytes)),
                text("%.1f", mebibytes(each, Peaks::hintBytes)),
                text("%.0f", mebibytes(each, Peaks::residentBytes)),
                text("%.2f", each.least(FaultMeasurement::throughputRatio))
                        + " - "
                        + text("%.2f", each.most(FaultMeasurement::throughputRatio)));
    }

    private static double mebibytes(FaultMeasurement each, ToDoubleFunction<Peaks> bytes) {
        return each.most(pair -> bytes.applyAsDouble(FaultMeasurement.peaks(pair))) / BYTES_PER_MIB;
    }

    private String remarks() {
        StringBuilder remarks = new StringBuilder();
        for (FaultResult.Refusal refusal : result.refusals()) {
            remarks.append("%n%s: no figure: %s".formatted(refusal.name(), refusal.reason()));
        }
        return remarks.isEmpty() ? "" : remarks + System.lineSeparator();
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** The same figures; what has a ratio names the healthy one that it is compared to. */
    public String json() {
        List<Row> rows = new ArrayList<>();
        for (FaultMeasurement each : result.measurements()) {
            String name = each.name();
            String healthy = name + HEALTHY;
            rows.add(
                    plain(
                            healthy,
                            each.median(pair -> pair.healthy().goodPerSecond()),
                            "requests/s"));
            rows.add(plain(healthy + P99, each.median(pair -> pair.healthy().p99Millis()), "ms"));
            rows.add(
                    new Row(
                            name,
                            each.median(pair -> pair.failing().goodPerSecond()),
                            "requests/s",
                            healthy,
                            each.median(FaultMeasurement::throughputRatio)));
            rows.add(
                    new Row(
                            name + P99,
                            each.median(pair -> pair.failing().p99Millis()),
                            "ms",
                            healthy + P99,
                            each.median(FaultMeasurement::p99Ratio)));
            rows.add(
                    new Row(
                            name + ", back",
                            each.median(pair -> pair.back().goodPerSecond()),
                            "requests/s",
                            healthy,
                            each.median(FaultMeasurement::backRatio)));
            rows.add(
                    new Row(
                            name + ", back" + P99,
                            each.median(pair -> pair.back().p99Millis()),
                            "ms",
                            healthy + P99,
                            each.median(FaultMeasurement::backP99Ratio)));
            rows.add(plain(name + ", errors", (double) each.errors(), "answers"));
            rows.add(
                    plain(
                            name + ", waiting for it",
                            each.most(pair -> FaultMeasurement.peaks(pair).operations()),
                            "operations"));
            rows.add(
                    plain(
                            name + ", bytes waiting for it",
                            mebibytes(each, Peaks::operationBytes),
                            "MiB"));
            rows.add(plain(name + ", hints", mebibytes(each, Peaks::hintBytes), "MiB"));
            rows.add(plain(name + ", RSS", mebibytes(each, Peaks::residentBytes), "MiB"));
            if (each.settled()) {
                rows.add(plain(name + ", settled", each.most(Pair::settledMillis), "ms"));
            }
        }
        return JsonRows.write(rows);
    }

    private static Row plain(String name, double value, String unit) {
        return new Row(name, value, unit, null, null);
    }
}

package dev.quorate.loadtest;

import dev.quorate.loadtest.bench.BenchResult;
import dev.quorate.loadtest.bench.Measurement;
import dev.quorate.loadtest.figures.JsonRows;
import dev.quorate.loadtest.figures.Row;
import dev.quorate.loadtest.figures.TextTable;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Spectrum;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What the benchmark prints. */
final class BenchReport {

    /** A latency that is compared to the same one of the static answer. */
    private record Latency(String suffix, ToDoubleFunction<Spectrum> millis) {}

    private static final List<Latency> LATENCIES =
            List.of(
                    new Latency(", p50", latency -> latency.millis(0.5)),
                    new Latency(", p99", latency -> latency.millis(0.99)),
                    new Latency(", p99.9", latency -> latency.millis(0.999)),
                    new Latency(", max", Spectrum::maxMillis));

    private final BenchResult result;
    private final Map<String, Measurement> byName = new HashMap<>();

    BenchReport(BenchResult result) {
        this.result = result;
        result.measurements().forEach(each -> byName.put(each.name(), each));
    }

    private Measurement reference(Measurement measurement) {
        Measurement reference = byName.get(measurement.reference());
        if (reference == null) {
            throw new IllegalArgumentException(
                    "nothing was measured as " + measurement.reference());
        }
        return reference;
    }

    private double ratio(Measurement measurement) {
        return measurement.ratioBeside() > 0
                ? measurement.ratioBeside()
                : measurement.median().requestsPerSecond()
                        / reference(measurement).median().requestsPerSecond();
    }

    /**
     * A line for each case. What stands behind a figure as "of static" is its ratio to the same
     * figure of the static answer: of a throughput, to what was measured beside it, where that was
     * done. A throughput that was asked for has none.
     */
    String table() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(
                List.of(
                        "",
                        "requests/s",
                        "of static",
                        "p50 ms",
                        "p99 ms",
                        "of static",
                        "p99.9 ms",
                        "max ms",
                        "all runs"));
        for (Measurement measurement : result.measurements()) {
            Spectrum latency = measurement.median().latency();
            double referenceP99 = reference(measurement).median().latency().millis(0.99);
            lines.add(
                    List.of(
                            measurement.name(),
                            text("%,.0f", measurement.median().requestsPerSecond()),
                            measurement.rate() > 0 ? "" : text("%.2f", ratio(measurement)),
                            text("%.2f", latency.millis(0.5)),
                            text("%.2f", latency.millis(0.99)),
                            referenceP99 == 0
                                    ? ""
                                    : text("%.1f", latency.millis(0.99) / referenceP99),
                            text("%.1f", latency.millis(0.999)),
                            text("%.1f", latency.maxMillis()),
                            range(measurement)));
        }
        return TextTable.write(lines) + remarks();
    }

    /** What distinguishes the runs: their throughput, or where that was given, their p99. */
    private static String range(Measurement measurement) {
        LoadResult first = measurement.runs().getFirst();
        LoadResult last = measurement.runs().getLast();
        return measurement.rate() > 0
                ? text("%.2f", first.latency().millis(0.99))
                        + " - "
                        + text("%.2f ms", last.latency().millis(0.99))
                : text("%,.0f", first.requestsPerSecond())
                        + " - "
                        + text("%,.0f", last.requestsPerSecond());
    }

    private String remarks() {
        StringBuilder remarks = new StringBuilder();
        for (Measurement measurement : result.measurements()) {
            if (measurement.fellBehind()) {
                remarks.append(
                        String.format(
                                Locale.ROOT,
                                "%n%s: %,d requests/s were to be sent, and %,.0f came: its"
                                        + " latencies are those of a queue.",
                                measurement.name(),
                                measurement.rate(),
                                measurement.median().requestsPerSecond()));
            }
        }
        for (Measurement measurement : result.measurements()) {
            Long refusals = measurement.refusals();
            if (refusals != null) {
                remarks.append(
                        String.format(
                                Locale.ROOT,
                                "%n%s: %,d requests were served, and %,d refused (503), which count"
                                        + " among the requests/s.",
                                measurement.name(),
                                measurement.served(),
                                refusals));
            }
        }
        for (BenchResult.Refusal refusal : result.refusals()) {
            remarks.append("%n%s: no figure: %s".formatted(refusal.name(), refusal.reason()));
        }
        return remarks.isEmpty() ? "" : remarks + System.lineSeparator();
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** Five rows for each case: its throughput, and the latencies of the same run. */
    String json() {
        List<Row> rows = new ArrayList<>();
        for (Measurement measurement : result.measurements()) {
            rows.add(throughput(measurement));
            for (Latency latency : LATENCIES) {
                rows.add(latency(measurement, latency));
            }
        }
        return JsonRows.write(rows);
    }

    private Row throughput(Measurement measurement) {
        double value = measurement.median().requestsPerSecond();
        return measurement.isReference() || measurement.rate() > 0
                ? new Row(measurement.name(), value, "requests/s", null, null)
                : new Row(
                        measurement.name(),
                        value,
                        "requests/s",
                        measurement.reference(),
                        ratio(measurement));
    }

    private Row latency(Measurement measurement, Latency latency) {
        String name = measurement.name() + latency.suffix();
        double millis = latency.millis().applyAsDouble(measurement.median().latency());
        double referenceMillis =
                latency.millis().applyAsDouble(reference(measurement).median().latency());
        // A latency of zero, below what the load generator resolves, compares to nothing.
        return measurement.isReference() || referenceMillis == 0
                ? new Row(name, millis, "ms", null, null)
                : new Row(
                        name,
                        millis,
                        "ms",
                        measurement.reference() + latency.suffix(),
                        millis / referenceMillis);
    }
}

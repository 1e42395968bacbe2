package dev.quorate.loadtest;

import dev.quorate.loadtest.bench.Measurement;
import dev.quorate.loadtest.report.JsonRows;
import dev.quorate.loadtest.report.Row;
import dev.quorate.loadtest.report.TextTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the benchmark prints. */
final class BenchReport {

    private final List<Measurement> measurements;
    private final Map<String, Measurement> byName = new HashMap<>();

    BenchReport(List<Measurement> measurements) {
        this.measurements = List.copyOf(measurements);
        measurements.forEach(measurement -> byName.put(measurement.name(), measurement));
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
        return measurement.median().requestsPerSecond()
                / reference(measurement).median().requestsPerSecond();
    }

    String table() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("", "requests/s", "of static", "p50 ms", "p99 ms", "all runs"));
        for (Measurement measurement : measurements) {
            lines.add(
                    List.of(
                            measurement.name(),
                            text("%,.0f", measurement.median().requestsPerSecond()),
                            text("%.2f", ratio(measurement)),
                            text("%.2f", measurement.median().p50Millis()),
                            text("%.2f", measurement.median().p99Millis()),
                            text("%,.0f", measurement.slowest())
                                    + " - "
                                    + text("%,.0f", measurement.fastest())));
        }
        return TextTable.write(lines);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** Three rows for each case: its throughput, and the latencies of the same run. */
    String json() {
        List<Row> rows = new ArrayList<>();
        for (Measurement measurement : measurements) {
            rows.add(throughput(measurement));
            rows.add(
                    latency(
                            measurement,
                            ", p50",
                            measurement.median().p50Millis(),
                            reference(measurement).median().p50Millis()));
            rows.add(
                    latency(
                            measurement,
                            ", p99",
                            measurement.median().p99Millis(),
                            reference(measurement).median().p99Millis()));
        }
        return JsonRows.write(rows);
    }

    private Row throughput(Measurement measurement) {
        double value = measurement.median().requestsPerSecond();
        return isReference(measurement)
                ? new Row(measurement.name(), value, "requests/s", null, null)
                : new Row(
                        measurement.name(),
                        value,
                        "requests/s",
                        measurement.reference(),
                        ratio(measurement));
    }

    private static Row latency(
            Measurement measurement, String suffix, double millis, double referenceMillis) {
        String name = measurement.name() + suffix;
        // A latency of zero, below what the load generator resolves, compares to nothing.
        return isReference(measurement) || referenceMillis == 0
                ? new Row(name, millis, "ms", null, null)
                : new Row(
                        name,
                        millis,
                        "ms",
                        measurement.reference() + suffix,
                        millis / referenceMillis);
    }

    private static boolean isReference(Measurement measurement) {
        return measurement.name().equals(measurement.reference());
    }
}

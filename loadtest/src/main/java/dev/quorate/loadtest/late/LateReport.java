package dev.quorate.loadtest.late;

import dev.quorate.loadtest.figures.JsonRows;
import dev.quorate.loadtest.figures.Row;
import dev.quorate.loadtest.figures.TextTable;
import dev.quorate.loadtest.load.Spectrum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is printed of late requests. */
public final class LateReport {

    private static final double NANOS_PER_MILLI = 1e6;

    private final LateResult result;

    public LateReport(LateResult result) {
        this.result = result;
    }

    /** Latencies, and below them the causes, with the rule by which they are given. */
    public String text() {
        StringBuilder text = new StringBuilder();
        if (!result.figures().isEmpty()) {
            text.append(latencies()).append('\n').append(causes()).append('\n').append(rule());
        }
        for (LateResult.Figures each : result.figures()) {
            remarks(each).forEach(remark -> text.append(remark).append('\n'));
        }
        result.refusals().forEach(refusal -> text.append(refusal).append('\n'));
        return text.toString();
    }

    private String latencies() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("", "requests/s", "p50 ms", "p99 ms", "p99.9 ms", "max ms", "late"));
        for (LateResult.Figures each : result.figures()) {
            Spectrum latency = each.result().latency();
            lines.add(
                    List.of(
                            each.name(),
                            text("%,.0f", each.result().requestsPerSecond()),
                            text("%.2f", latency.millis(0.5)),
                            text("%.2f", latency.millis(0.99)),
                            text("%.1f", latency.millis(0.999)),
                            text("%.1f", latency.maxMillis()),
                            text("%,d", late(each))));
        }
        return TextTable.write(lines);
    }

    private static long late(LateResult.Figures figures) {
        return figures.uncounted()
                + figures.causes().rows().stream().mapToLong(LateCauses.Row::requests).sum();
    }

    private String causes() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("late requests, by cause", "moments", "requests", "longest ms", "where"));
        for (LateResult.Figures each : result.figures()) {
            for (LateCauses.Row row : each.causes().rows()) {
                lines.add(
                        List.of(
                                each.name() + ": " + row.cause().label(),
                                text("%,d", row.moments()),
                                text("%,d", row.requests()),
                                text("%.1f", row.longestNanos() / NANOS_PER_MILLI),
                                places(row.places())));
            }
        }
        return TextTable.write(lines);
    }

    private static String places(Map<String, Integer> places) {
        return new TreeMap<>(places)
                .entrySet().stream()
                        .map(place -> place.getKey() + " " + place.getValue())
                        .collect(Collectors.joining(", "));
    }

    private String rule() {
        double millis = result.figures().getFirst().causes().limit().toNanos() / NANOS_PER_MILLI;
        return String.format(
                Locale.ROOT,
                "Late is what was answered more than %.1f ms after it was due; late requests that"
                        + " waited at the same time are one moment. Its cause went on in that time,"
                        + " for at least a quarter of what the longest request took: of several,"
                        + " the first of %s. An fsync of less than %.1f ms is not slow, nor are"
                        + " compilations a burst that follow each other for less.%n",
                millis,
                Arrays.stream(Cause.values())
                        .filter(cause -> cause != Cause.UNKNOWN)
                        .map(Cause::label)
                        .collect(Collectors.joining(", ")),
                millis / 2);
    }

    private static List<String> remarks(LateResult.Figures each) {
        List<String> remarks = new ArrayList<>();
        if (each.fellBehind()) {
            remarks.add(
                    String.format(
                            Locale.ROOT,
                            "%s: %,d requests/s were to be sent, and %,.0f came: its latencies are"
                                    + " those of a queue.",
                            each.name(),
                            each.rate(),
                            each.result().requestsPerSecond()));
        }
        if (each.uncounted() > 0) {
            remarks.add(
                    String.format(
                            Locale.ROOT,
                            "%s: %,d late requests more are in no moment, since there were too many.",
                            each.name(),
                            each.uncounted()));
        }
        if (each.unavailable() > 0) {
            remarks.add(
                    String.format(
                            Locale.ROOT,
                            "%s: %,d requests were refused (503).",
                            each.name(),
                            each.unavailable()));
        }
        each.loaded().ifPresent(loaded -> remarks.add(remark(each.name(), loaded)));
        return remarks;
    }

    private static String remark(String name, LateResult.Loaded loaded) {
        return String.format(
                Locale.ROOT,
                "%s: %,.0f of %,d MiB were stored; meanwhile the node that was asked flushed %,.0f"
                        + " MiB, and its compactions wrote %,.0f.",
                name,
                loaded.mebibytes(),
                loaded.wanted(),
                loaded.flushed(),
                loaded.compacted());
    }

    /** The latencies of each case, and its late requests by cause. */
    public String json() {
        List<Row> rows = new ArrayList<>();
        for (LateResult.Figures each : result.figures()) {
            Spectrum latency = each.result().latency();
            rows.add(row(each.name(), each.result().requestsPerSecond(), "requests/s"));
            rows.add(row(each.name() + ", p50", latency.millis(0.5), "ms"));
            rows.add(row(each.name() + ", p99", latency.millis(0.99), "ms"));
            rows.add(row(each.name() + ", p99.9", latency.millis(0.999), "ms"));
            rows.add(row(each.name() + ", max", latency.maxMillis(), "ms"));
            for (LateCauses.Row cause : each.causes().rows()) {
                String name = each.name() + ", late, " + cause.cause().label();
                rows.add(row(name, cause.requests(), "requests"));
                rows.add(row(name + ", moments", cause.moments(), "moments"));
                rows.add(row(name + ", longest", cause.longestNanos() / NANOS_PER_MILLI, "ms"));
            }
        }
        return JsonRows.write(rows);
    }

    private static Row row(String name, double value, String unit) {
        return new Row(name, value, unit, null, null);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private static String text(String format, long value) {
        return String.format(Locale.ROOT, format, value);
    }
}

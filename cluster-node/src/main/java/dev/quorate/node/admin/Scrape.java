package dev.quorate.node.admin;

import dev.quorate.router.runtime.DurationBuckets;
import dev.quorate.router.runtime.DurationCounts;
import dev.quorate.storage.Figures;
import dev.quorate.storage.Figures.Figure;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Collects the metrics of one scrape. Names are given without {@code quorate_}. */
final class Scrape {

    private static final String PREFIX = "quorate_";

    private final List<MetricSnapshot.Builder<?>> metrics = new ArrayList<>();
    private final Map<String, Metric<Number>> numbers = new HashMap<>();

    MetricSnapshots build() {
        MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        metrics.forEach(metric -> snapshots.metricSnapshot(metric.build()));
        return snapshots.build();
    }

    static HistogramDataPointSnapshot point(Labels labels, DurationCounts counts) {
        return HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(
                        ClassicHistogramBuckets.of(
                                DurationBuckets.metricsSeconds(), counts.inMetrics()))
                .sum(counts.sumNanos() / 1e9)
                .build();
    }

    void add(MetricSnapshot.Builder<?> metric) {
        metrics.add(metric);
    }

    /** A number that goes up and down. */
    void gauge(String name, String help, Number value) {
        gauges(name, help).with(value);
    }

    /** A number that only grows; {@code _total} is appended to its name. */
    void counter(String name, String help, Number value) {
        counters(name, help).with(value);
    }

    /** Facts, as labels of a metric that is always 1; {@code _info} is appended to its name. */
    void info(String name, String help, String... labels) {
        add(
                InfoSnapshot.builder()
                        .name(PREFIX + name)
                        .help(help)
                        .dataPoint(
                                InfoDataPointSnapshot.builder().labels(Labels.of(labels)).build()));
    }

    Metric<DurationCounts> histograms(String name, String help) {
        var builder = HistogramSnapshot.builder().name(PREFIX + name).help(help);
        add(builder);
        return new Metric<>((counts, labels) -> builder.dataPoint(point(labels, counts)));
    }

    /** The gauge of this name, with the values that it has so far. */
    Metric<Number> gauges(String name, String help) {
        return numbers.computeIfAbsent(name, any -> newGauge(name, help));
    }

    private Metric<Number> newGauge(String name, String help) {
        var builder = GaugeSnapshot.builder().name(PREFIX + name).help(help);
        add(builder);
        return new Metric<>(
                (value, labels) ->
                        builder.dataPoint(
                                GaugeDataPointSnapshot.builder()
                                        .labels(labels)
                                        .value(value.doubleValue())
                                        .build()));
    }

    /** The counter of this name, with the values that it has so far. */
    Metric<Number> counters(String name, String help) {
        return numbers.computeIfAbsent(name, any -> newCounter(name, help));
    }

    private Metric<Number> newCounter(String name, String help) {
        var builder = CounterSnapshot.builder().name(PREFIX + name).help(help);
        add(builder);
        return new Metric<>(
                (value, labels) ->
                        builder.dataPoint(
                                CounterDataPointSnapshot.builder()
                                        .labels(labels)
                                        .value(value.doubleValue())
                                        .build()));
    }

    void add(Figures figures) {
        for (Figure each : figures.all()) {
            double value = each.value().getAsDouble();
            if (!Double.isNaN(value)) {
                var metric =
                        each.isCounter()
                                ? counters(each.name(), each.help())
                                : gauges(each.name(), each.help());
                metric.with(value, each.labels().toArray(String[]::new));
            }
        }
    }

    /** One metric, perhaps with several labelled values. */
    record Metric<T>(BiConsumer<T, Labels> points) {

        Metric<T> with(T value, String... labels) {
            points.accept(value, Labels.of(labels));
            return this;
        }

        /** Adds a value for each element; the label's value is its key. */
        <E> Metric<T> each(Map<String, E> elements, String label, Function<E, T> value) {
            elements.forEach((name, element) -> with(value.apply(element), label, name));
            return this;
        }
    }
}

package dev.quorate.node.admin;

import dev.quorate.node.runtime.DurationBuckets;
import dev.quorate.node.runtime.DurationCounts;
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

/** Collects the metrics of one scrape. Names are given without {@code quorate_}. */
final class Figures {

    private static final String PREFIX = "quorate_";
    private static final double NANOS_PER_SECOND = 1e9;

    private final MetricSnapshots.Builder snapshots = MetricSnapshots.builder();

    MetricSnapshots build() {
        return snapshots.build();
    }

    /** Durations as a histogram. */
    static HistogramDataPointSnapshot point(Labels labels, DurationCounts counts) {
        return HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(
                        ClassicHistogramBuckets.of(
                                DurationBuckets.metricsSeconds(), counts.inMetrics()))
                .sum(counts.sumNanos() / NANOS_PER_SECOND)
                .build();
    }

    void add(MetricSnapshot snapshot) {
        snapshots.metricSnapshot(snapshot);
    }

    /** A number that goes up and down. */
    void gauge(String name, String help, Number value) {
        gauges(name, help).with(value).add();
    }

    /** A number that only grows; {@code _total} is appended to its name. */
    void counter(String name, String help, Number value) {
        counters(name, help).with(value).add();
    }

    /** Facts, as labels of a metric that is always 1; {@code _info} is appended to its name. */
    void info(String name, String help, String... labels) {
        add(
                InfoSnapshot.builder()
                        .name(PREFIX + name)
                        .help(help)
                        .dataPoint(
                                InfoDataPointSnapshot.builder().labels(Labels.of(labels)).build())
                        .build());
    }

    Histograms histograms(String name, String help) {
        return new Histograms(name, help);
    }

    Gauges gauges(String name, String help) {
        return new Gauges(name, help);
    }

    Counters counters(String name, String help) {
        return new Counters(name, help);
    }

    /** One metric with several labelled values. */
    final class Gauges {

        private final GaugeSnapshot.Builder builder;

        private Gauges(String name, String help) {
            builder = GaugeSnapshot.builder().name(PREFIX + name).help(help);
        }

        Gauges with(Number value, String... labels) {
            builder.dataPoint(
                    GaugeDataPointSnapshot.builder()
                            .labels(Labels.of(labels))
                            .value(value.doubleValue())
                            .build());
            return this;
        }

        void add() {
            Figures.this.add(builder.build());
        }
    }

    /** One metric with several labelled values. */
    final class Counters {

        private final CounterSnapshot.Builder builder;

        private Counters(String name, String help) {
            builder = CounterSnapshot.builder().name(PREFIX + name).help(help);
        }

        Counters with(Number value, String... labels) {
            builder.dataPoint(
                    CounterDataPointSnapshot.builder()
                            .labels(Labels.of(labels))
                            .value(value.doubleValue())
                            .build());
            return this;
        }

        void add() {
            Figures.this.add(builder.build());
        }
    }

    /** Durations, perhaps with several labels. */
    final class Histograms {

        private final HistogramSnapshot.Builder builder;

        private Histograms(String name, String help) {
            builder = HistogramSnapshot.builder().name(PREFIX + name).help(help);
        }

        Histograms with(DurationCounts counts, String... labels) {
            builder.dataPoint(point(Labels.of(labels), counts));
            return this;
        }

        void add() {
            Figures.this.add(builder.build());
        }
    }
}

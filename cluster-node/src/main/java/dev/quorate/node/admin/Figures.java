package dev.quorate.node.admin;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;

/** Collects the metrics of one scrape. Names are given without {@code quorate_}. */
final class Figures {

    private static final String PREFIX = "quorate_";

    private final MetricSnapshots.Builder snapshots = MetricSnapshots.builder();

    MetricSnapshots build() {
        return snapshots.build();
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

    /** How often something was done, and the total time. */
    void durations(String name, String help, long count, double sumSeconds) {
        add(
                SummarySnapshot.builder()
                        .name(PREFIX + name)
                        .help(help)
                        .dataPoint(
                                SummaryDataPointSnapshot.builder()
                                        .count(count)
                                        .sum(sumSeconds)
                                        .build())
                        .build());
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
}

package dev.quorate.node.admin;

import dev.quorate.node.api.ClientObserver;
import dev.quorate.node.runtime.DurationCounts;
import dev.quorate.node.runtime.DurationHistogram;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Durations of clients' operations, by operation and status. An operation is counted with two array
 * look-ups and two additions; labels are made of it only when somebody asks.
 */
public final class RequestMetrics implements ClientObserver {

    private static final int MIN_STATUS = 100;
    private static final int STATUSES = 500;
    private static final int MIN_FAILURE = 500;

    /** By operation, then status; made when first needed, since few statuses ever occur. */
    private final Map<Operation, AtomicReferenceArray<@Nullable DurationHistogram>> histograms =
            new EnumMap<>(Operation.class);

    public RequestMetrics() {
        for (Operation operation : Operation.values()) {
            histograms.put(operation, new AtomicReferenceArray<>(STATUSES));
        }
    }

    @Override
    public void answered(Operation operation, int status, long nanos) {
        var ofOperation = Objects.requireNonNull(histograms.get(operation));
        int index = Math.clamp(status - MIN_STATUS, 0, STATUSES - 1);
        DurationHistogram histogram = ofOperation.get(index);
        if (histogram == null) {
            ofOperation.compareAndSet(index, null, new DurationHistogram());
            histogram = Objects.requireNonNull(ofOperation.get(index));
        }
        histogram.record(nanos);
    }

    HistogramSnapshot snapshot() {
        HistogramSnapshot.Builder snapshot =
                HistogramSnapshot.builder()
                        .name("quorate_http_request_duration_seconds")
                        .help("Clients' operations, from the complete request to the answer.");
        histograms.forEach(
                (operation, ofOperation) -> {
                    for (int i = 0; i < STATUSES; i++) {
                        DurationHistogram histogram = ofOperation.get(i);
                        if (histogram != null) {
                            snapshot.dataPoint(dataPoint(operation, MIN_STATUS + i, histogram));
                        }
                    }
                });
        return snapshot.build();
    }

    /** All of them so far. */
    public RequestTotals totals() {
        long others = 0;
        long failures = 0;
        Map<Operation, DurationCounts> byOperation = new EnumMap<>(Operation.class);
        for (Operation operation : Operation.values()) {
            DurationCounts sum = DurationCounts.NONE;
            var ofOperation = Objects.requireNonNull(histograms.get(operation));
            for (int i = 0; i < STATUSES; i++) {
                DurationHistogram histogram = ofOperation.get(i);
                if (histogram != null) {
                    DurationCounts counts = histogram.counts();
                    sum = sum.plus(counts);
                    failures += MIN_STATUS + i >= MIN_FAILURE ? counts.total() : 0;
                }
            }
            byOperation.put(operation, sum);
            boolean isOther = operation != Operation.GET && operation != Operation.PUT;
            others += isOther ? sum.total() : 0;
        }
        return new RequestTotals(
                Objects.requireNonNull(byOperation.get(Operation.GET)),
                Objects.requireNonNull(byOperation.get(Operation.PUT)),
                others,
                failures);
    }

    private static HistogramDataPointSnapshot dataPoint(
            Operation operation, int status, DurationHistogram histogram) {
        DurationCounts counts = histogram.counts();
        String op = operation.name().toLowerCase(Locale.ROOT);
        return HistogramDataPointSnapshot.builder()
                .labels(Labels.of("op", op, "code", Integer.toString(status)))
                .classicHistogramBuckets(Buckets.of(counts))
                .sum(Buckets.sumSeconds(counts))
                .build();
    }
}

package dev.quorate.node.admin;

import dev.quorate.node.runtime.DurationBuckets;
import dev.quorate.node.runtime.DurationCounts;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.NativeHistogramBuckets;

/**
 * Durations as a histogram of Prometheus: in its classic form, which every scraper reads, and in
 * its native one, which is sent in the protobuf format alone.
 */
final class Buckets {

    private static final double NANOS_PER_SECOND = 1e9;

    private Buckets() {}

    static HistogramDataPointSnapshot point(Labels labels, DurationCounts counts) {
        long[] ofNative = counts.ofNativeBuckets();
        NativeHistogramBuckets.Builder above = NativeHistogramBuckets.builder();
        for (int i = 1; i < ofNative.length; i++) {
            if (ofNative[i] > 0) {
                above.bucket(DurationBuckets.ZERO_BUCKET + i, ofNative[i]);
            }
        }
        return HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(
                        ClassicHistogramBuckets.of(
                                DurationBuckets.classicSeconds(), counts.classic()))
                .nativeSchema(DurationBuckets.SCHEMA)
                .nativeZeroThreshold(DurationBuckets.zeroSeconds())
                .nativeZeroCount(ofNative[0])
                .nativeBucketsForPositiveValues(above.build())
                .sum(counts.sumNanos() / NANOS_PER_SECOND)
                .build();
    }
}

package dev.quorate.node.admin;

import dev.quorate.node.api.answer.ClientObserver;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.DurationCounts;
import dev.quorate.router.runtime.DurationHistogram;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Durations of clients' operations, by operation, status and replicas. An operation is counted with
 * three array look-ups and two additions; labels are created only by a scrape.
 */
public final class RequestMetrics implements ClientObserver {

    private static final int MIN_STATUS = 100;
    private static final int STATUSES = 500;

    /** By operation, then replicas and status; created on first use, since few ever occur. */
    private final Map<Operation, AtomicReferenceArray<@Nullable DurationHistogram>> histograms =
            new EnumMap<>(Operation.class);

    private final LongAdder refusedRanges = new LongAdder();
    private final Map<Operation, LongAdder> slowLogged = new EnumMap<>(Operation.class);
    private final Map<Operation, LongAdder> slowOmitted = new EnumMap<>(Operation.class);

    public RequestMetrics() {
        for (Operation operation : Operation.values()) {
            slowLogged.put(operation, new LongAdder());
            slowOmitted.put(operation, new LongAdder());
            histograms.put(operation, new AtomicReferenceArray<>(ReplicasLabel.COUNT * STATUSES));
        }
    }

    @Override
    public void answered(
            Operation operation, int status, @Nullable QuorumSpec replicas, long nanos) {
        var ofOperation = Objects.requireNonNull(histograms.get(operation));
        int index =
                ReplicasLabel.indexOf(replicas) * STATUSES
                        + Math.clamp(status - MIN_STATUS, 0, STATUSES - 1);
        DurationHistogram histogram = ofOperation.get(index);
        if (histogram == null) {
            ofOperation.compareAndSet(index, null, new DurationHistogram());
            histogram = Objects.requireNonNull(ofOperation.get(index));
        }
        histogram.record(nanos);
    }

    @Override
    public void slow(Operation operation, boolean isLogged) {
        Objects.requireNonNull((isLogged ? slowLogged : slowOmitted).get(operation)).increment();
    }

    @Override
    public void refusedRange() {
        refusedRanges.increment();
    }

    /** Number of ranges refused because their address had the maximum number open. */
    long refusedRanges() {
        return refusedRanges.sum();
    }

    long slowOnes(Operation operation, boolean isLogged) {
        return Objects.requireNonNull((isLogged ? slowLogged : slowOmitted).get(operation)).sum();
    }

    HistogramSnapshot.Builder snapshot() {
        HistogramSnapshot.Builder snapshot =
                HistogramSnapshot.builder()
                        .name("quorate_http_request_duration_seconds")
                        .help(
                                "Duration of clients' operations, from the complete request to the answer.");
        histograms.forEach(
                (operation, ofOperation) -> {
                    for (int i = 0; i < ofOperation.length(); i++) {
                        DurationHistogram histogram = ofOperation.get(i);
                        if (histogram != null) {
                            snapshot.dataPoint(
                                    Scrape.point(labels(operation, i), histogram.counts()));
                        }
                    }
                });
        return snapshot;
    }

    private static Labels labels(Operation operation, int index) {
        return Labels.of(
                "op",
                ClientObserver.word(operation),
                "code",
                Integer.toString(statusOf(index)),
                "replicas",
                ReplicasLabel.text(index / STATUSES));
    }

    private static int statusOf(int index) {
        return MIN_STATUS + index % STATUSES;
    }

    /** The totals since the start. */
    public RequestTotals totals() {
        long others = 0;
        long failures = 0;
        Map<Operation, DurationCounts> byOperation = new EnumMap<>(Operation.class);
        for (Operation operation : Operation.values()) {
            DurationCounts sum = DurationCounts.NONE;
            var ofOperation = Objects.requireNonNull(histograms.get(operation));
            for (int i = 0; i < ofOperation.length(); i++) {
                DurationHistogram histogram = ofOperation.get(i);
                if (histogram != null) {
                    DurationCounts counts = histogram.counts();
                    sum = sum.plus(counts);
                    failures += statusOf(i) >= 500 ? counts.total() : 0;
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

    /**
     * The label {@code replicas} of metrics. Clients choose {@code ack/from}, so only quorums of up
     * to three replicas have values of their own: clients cannot create more.
     */
    private static final class ReplicasLabel {

        /** Quorums of up to this many replicas have a value of their own. */
        private static final int MAX_FROM = 3;

        /** For operations without replicas, or with unknown ones. */
        private static final int NONE = 0;

        private static final int OTHER = 1;

        private static final String[] TEXTS = {
            "none", "other", "1/1", "1/2", "2/2", "1/3", "2/3", "3/3"
        };

        static final int COUNT = TEXTS.length;

        static int indexOf(@Nullable QuorumSpec replicas) {
            if (replicas == null) {
                return NONE;
            }
            int from = replicas.from();
            return from > MAX_FROM ? OTHER : OTHER + from * (from - 1) / 2 + replicas.ack();
        }

        static String text(int index) {
            return TEXTS[index];
        }
    }

    /**
     * Clients' requests since the node started.
     *
     * @param gets durations of reads of entities
     * @param puts durations of PUTs of entities
     * @param others number of all other operations
     * @param failures answers with a status of 500 or above, of any operation
     */
    public record RequestTotals(
            DurationCounts gets, DurationCounts puts, long others, long failures) {}
}

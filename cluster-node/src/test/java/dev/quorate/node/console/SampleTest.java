package dev.quorate.node.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.node.admin.RequestTotals;
import dev.quorate.node.antientropy.RepairStatus;
import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.runtime.DurationCounts;
import dev.quorate.node.runtime.DurationHistogram;
import dev.quorate.storage.StoreStatistics;
import dev.quorate.storage.Timestamp;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a sample says of the time between two readings. */
final class SampleTest {

    private static final List<String> PEERS = List.of("n2", "n3");
    private static final long MILLI = 1_000_000;

    private final DurationHistogram gets = new DurationHistogram();
    private final DurationHistogram exchanges = new DurationHistogram();
    private PeerStanding standing = PeerStanding.UP;
    private long fsyncs;
    private long fsyncNanos;
    private long compacted;
    private long hintBytes;

    private NodeReading reading(long seconds) {
        return new NodeReading(
                seconds * 1_000 * MILLI,
                new RequestTotals(gets.counts(), DurationCounts.NONE, 3 * seconds, seconds),
                store(),
                new CoordinatorStatistics(7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                List.of(
                        new PeerHealth(
                                "n2",
                                standing,
                                1,
                                "",
                                true,
                                0,
                                0,
                                0,
                                0,
                                -25,
                                exchanges.counts(),
                                DurationCounts.NONE)),
                new HandoffStatistics(
                        List.of(new HandoffStatistics.OfTarget("n3", hintBytes, 0, 0)), Map.of()),
                new RepairStatus(0, false, List.of()),
                1 << 20);
    }

    private StoreStatistics store() {
        return new StoreStatistics(
                11,
                0,
                0,
                12,
                0,
                fsyncs,
                fsyncNanos,
                0,
                0,
                0,
                compacted,
                compacted,
                0,
                0,
                13,
                0,
                0,
                0,
                0,
                0,
                0,
                4,
                0,
                0,
                0,
                0,
                0,
                null,
                Timestamp.ZERO,
                0,
                0);
    }

    private Map<String, Float> between(NodeReading before, NodeReading now) {
        List<String> names = Sample.names(PEERS);
        float[] values = Sample.between(before, now, PEERS);
        assertThat(values).hasSameSizeAs(names.toArray());
        Map<String, Float> sample = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            sample.put(names.get(i), values[i]);
        }
        return sample;
    }

    @Test
    void countersBecomeRatesAndDurationsQuantiles() {
        gets.record(10_000 * MILLI);
        NodeReading before = reading(10);
        for (int i = 0; i < 100; i++) {
            gets.record(2 * MILLI);
            exchanges.record(5 * MILLI);
        }
        fsyncs = 50;
        fsyncNanos = 100 * MILLI;
        compacted = 1_000;
        hintBytes = 77;
        Map<String, Float> sample = between(before, reading(15));
        assertThat(sample)
                .containsEntry("gets", 20f)
                .containsEntry("puts", 0f)
                .containsEntry("others", 3f)
                .containsEntry("failures", 1f)
                .containsEntry("put99", Float.NaN)
                .containsEntry("fsyncs", 10f)
                .containsEntry("fsyncMillis", 2f)
                .containsEntry("compactionBytes", 400f)
                .containsEntry("levelZeroTables", 4f)
                .containsEntry("tableBytes", 12f)
                .containsEntry("memtableBytes", 11f)
                .containsEntry("diskFreeBytes", 13f)
                .containsEntry("inFlight", 7f)
                .containsEntry("heapBytes", (float) (1 << 20))
                .containsEntry("clock:n2", -25f)
                .containsEntry("hints:n2", 0f)
                .containsEntry("hints:n3", 77f)
                .containsEntry("repairAge:n2", Float.NaN);
        // What was before the first reading is not in it.
        assertThat(sample.get("get999")).isCloseTo(2f, within(0.5f));
        assertThat(sample.get("peer99:n2")).isCloseTo(5f, within(1.25f));
    }

    @Test
    void whatWasNotMeasuredIsNone() {
        standing = PeerStanding.DOWN;
        Map<String, Float> sample = between(reading(1), reading(1));
        for (String name : List.of("get50", "fsyncMillis", "peer99:n2", "peer99:n3", "clock:n2")) {
            assertThat(sample).containsEntry(name, Float.NaN);
        }
        assertThat(sample).containsEntry("gets", 0f);
    }
}

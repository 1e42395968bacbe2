package dev.quorate.node.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.node.admin.RequestMetrics.RequestTotals;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.DurationCounts;
import dev.quorate.router.runtime.DurationHistogram;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.storage.Figures;
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
    private final DurationHistogram fsyncs = new DurationHistogram();
    private long compacted;
    private long hintBytes;

    private NodeReading reading(long seconds) {
        return new NodeReading(
                seconds * 1_000 * MILLI,
                new RequestTotals(gets.counts(), DurationCounts.NONE, 3 * seconds, seconds),
                figures(),
                new LogTimes(fsyncs.counts(), DurationCounts.NONE),
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
                new Repairs.Status(0, false, List.of()),
                1 << 20);
    }

    private Figures figures() {
        Figures figures = new Figures();
        figures.gauge("sstables_level_zero", "", () -> 4);
        figures.gauge("sstable_size_bytes", "", () -> 12);
        figures.gauge("memtable_size_bytes", "", () -> 11);
        figures.gauge("disk_free_bytes", "", () -> 13);
        figures.gauge("http_requests_in_flight", "", () -> 7);
        figures.counter("compaction_bytes", "", () -> compacted, "dir", "read");
        figures.counter("compaction_bytes", "", () -> compacted, "dir", "written");
        return figures.snapshot();
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
        for (int i = 0; i < 50; i++) {
            fsyncs.record(2 * MILLI);
        }
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

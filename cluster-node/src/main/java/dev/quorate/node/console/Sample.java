package dev.quorate.node.console;

import com.google.common.collect.Maps;
import com.google.common.primitives.Floats;
import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.MemberState.Load;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.DurationCounts;
import java.util.ArrayList;
import java.util.List;

/** Makes a sample from two readings: rates and quantiles of the time between them, and gauges. */
final class Sample {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final float MICROS_PER_MILLI = 1_000;

    private static final List<String> OF_THE_NODE =
            List.of(
                    "gets",
                    "puts",
                    "others",
                    "failures",
                    "get50",
                    "get99",
                    "get999",
                    "put50",
                    "put99",
                    "put999",
                    "fsyncs",
                    "fsyncMillis",
                    "compactionBytes",
                    "levelZeroTables",
                    "tableBytes",
                    "memtableBytes",
                    "diskFreeBytes",
                    "inFlight",
                    "heapBytes");

    private static final List<String> GAUGES =
            List.of(
                    "sstables_level_zero",
                    "sstable_size_bytes",
                    "memtable_size_bytes",
                    "disk_free_bytes",
                    "http_requests_in_flight");

    private static final List<String> OF_A_PEER = List.of("peer99", "clock", "hints", "repairAge");

    private Sample() {}

    /** The names of the series; those of a peer have its name after a colon. */
    static List<String> names(List<String> peers) {
        List<String> names = new ArrayList<>(OF_THE_NODE);
        for (String peer : peers) {
            OF_A_PEER.forEach(name -> names.add(name + ":" + peer));
        }
        return names;
    }

    /** The values, in the order of {@link #names}. NaN where nothing was measured. */
    static float[] between(NodeReading before, NodeReading now, List<String> peers) {
        double seconds = Math.max((now.nanos() - before.nanos()) / 1e9, 1e-3);
        List<Double> values = new ArrayList<>();
        DurationCounts gets = now.requests().gets().since(before.requests().gets());
        DurationCounts puts = now.requests().puts().since(before.requests().puts());
        long others = now.requests().others() - before.requests().others();
        long failures = now.requests().failures() - before.requests().failures();
        values.add(gets.total() / seconds);
        values.add(puts.total() / seconds);
        values.add(others / seconds);
        values.add(failures / seconds);
        for (DurationCounts counts : List.of(gets, puts)) {
            for (double part : new double[] {0.5, 0.99, 0.999}) {
                values.add(counts.quantileNanos(part) / NANOS_PER_MILLI);
            }
        }
        DurationCounts fsyncs = now.log().forced().since(before.log().forced());
        values.add(fsyncs.total() / seconds);
        values.add(
                fsyncs.total() > 0
                        ? fsyncs.sumNanos() / NANOS_PER_MILLI / fsyncs.total()
                        : Double.NaN);
        values.add((compactedBytes(now) - compactedBytes(before)) / seconds);
        GAUGES.forEach(name -> values.add(now.figures().value(name)));
        values.add((double) now.heapBytes());
        addPeers(before, now, peers, values);
        return Floats.toArray(values);
    }

    /**
     * The load that a member announces.
     *
     * @param values a sample; empty if there is none yet
     */
    static Load load(String version, float[] values) {
        String shown = version.substring(0, Math.min(version.length(), Load.MAX_VERSION));
        if (values.length == 0) {
            return new Load(shown, 0, 0, 0);
        }
        float operations = value("gets", values) + value("puts", values) + value("others", values);
        return new Load(
                shown,
                Math.round(operations),
                Math.round(value("get99", values) * MICROS_PER_MILLI),
                Math.round(value("put99", values) * MICROS_PER_MILLI));
    }

    /** A value of the node; {@code Math.round} makes 0 of a missing one. */
    private static float value(String name, float[] values) {
        return values[OF_THE_NODE.indexOf(name)];
    }

    private static double compactedBytes(NodeReading reading) {
        return reading.figures().value("compaction_bytes", "dir", "read")
                + reading.figures().value("compaction_bytes", "dir", "written");
    }

    private static void addPeers(
            NodeReading before, NodeReading now, List<String> peers, List<Double> values) {
        var healthBefore = Maps.uniqueIndex(before.peers(), PeerHealth::member);
        var healthNow = Maps.uniqueIndex(now.peers(), PeerHealth::member);
        var hints = Maps.uniqueIndex(now.hints().targets(), HandoffStatistics.OfTarget::member);
        var repairs = Maps.uniqueIndex(now.repairs().peers(), PeerRepairStatus::peer);
        for (String peer : peers) {
            PeerHealth was = healthBefore.get(peer);
            PeerHealth is = healthNow.get(peer);
            values.add(
                    was == null || is == null
                            ? Double.NaN
                            : is.exchangeTimes().since(was.exchangeTimes()).quantileNanos(0.99)
                                    / NANOS_PER_MILLI);
            values.add(
                    is != null && is.standing() == PeerStanding.UP
                            ? (double) is.clockAheadMillis()
                            : Double.NaN);
            HandoffStatistics.OfTarget hinted = hints.get(peer);
            values.add(hinted == null ? 0.0 : hinted.pendingBytes());
            PeerRepairStatus repair = repairs.get(peer);
            values.add(repair == null ? Double.NaN : repair.ageSeconds());
        }
    }
}

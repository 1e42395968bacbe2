package dev.quorate.node.events;

import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.node.antientropy.RepairStatus;
import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.runtime.DurationCounts;
import dev.quorate.storage.StoreStatistics;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A node n1 with peers n2 and n3, whose state a test changes; what happens is written down. */
final class EventTranscript {

    static final long RESERVED = 1_000;

    private final Changes changes = new Changes("n1", RESERVED, Duration.ofSeconds(10));
    private final Map<String, PeerHealth> peers = new TreeMap<>();
    private final Map<String, HandoffStatistics.OfTarget> targets = new TreeMap<>();
    private final Map<String, PeerRepairStatus> repairs = new TreeMap<>();
    private final Map<String, Long> dropped = new TreeMap<>();

    long millis = 1_000_000;
    boolean isDraining;
    @Nullable String whyNotServing;
    Observation.Data data = new Observation.Data(false, "it votes", 0);
    @Nullable String loss;
    long refused;
    long failedReads;
    long stallNanos;
    long free = 2 * RESERVED;
    long checksumFailures;
    int damagedRanges;
    long healedRanges;

    EventTranscript() {
        for (String name : List.of("n2", "n3")) {
            peers.put(name, health(name, PeerStanding.UP, 1, "", 0));
            hints(name, 0, 0);
            repair(name, Phase.NONE, 0, 0, 0, "");
        }
    }

    private static PeerHealth health(
            String name, PeerStanding standing, long since, String why, long aheadMillis) {
        return new PeerHealth(
                name,
                standing,
                since,
                why,
                true,
                0,
                0,
                0,
                0,
                aheadMillis,
                5,
                DurationCounts.NONE,
                DurationCounts.NONE);
    }

    void peer(String name, PeerStanding standing, String why) {
        peers.put(name, health(name, standing, millis, why, 0));
    }

    void clock(String name, long aheadMillis) {
        PeerHealth now = Objects.requireNonNull(peers.get(name));
        peers.put(name, health(name, now.standing(), now.sinceMillis(), "", aheadMillis));
    }

    void hints(String name, long pendingBytes, long stored) {
        targets.put(name, new HandoffStatistics.OfTarget(name, pendingBytes, stored, 0));
    }

    void dropped(String reason, long count) {
        dropped.put(reason, count);
    }

    void repair(String name, Phase phase, long differing, long pushed, long nanos, String detail) {
        repairs.put(
                name,
                new PeerRepairStatus(
                        name,
                        phase,
                        detail,
                        100,
                        differing,
                        pushed,
                        0,
                        0,
                        0,
                        0,
                        nanos,
                        0,
                        0,
                        new PeerRepairStatus.Totals(pushed, 0, 0)));
    }

    /** What happens by the next observation, a second later: kind, severity and text. */
    List<String> next() {
        return next(1_000);
    }

    List<String> next(long laterMillis) {
        millis += laterMillis;
        List<String> lines = new ArrayList<>();
        for (Happening each : changes.next(observation())) {
            lines.add(each.kind().label() + " " + each.kind().severity() + ": " + each.text());
        }
        return lines;
    }

    Observation observation() {
        return new Observation(
                millis,
                isDraining,
                whyNotServing,
                data,
                List.copyOf(peers.values()),
                new HandoffStatistics(List.copyOf(targets.values()), dropped),
                new RepairStatus(1, false, List.copyOf(repairs.values())),
                new CoordinatorStatistics(0, 0, 0, 0, failedReads, 0, refused, 0, 0, 0, 0, 0, 0),
                store(),
                loss);
    }

    private StoreStatistics store() {
        return new StoreStatistics(
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                stallNanos,
                0,
                free,
                checksumFailures,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                damagedRanges,
                healedRanges,
                0,
                0,
                null,
                Timestamp.ZERO,
                0,
                0);
    }
}

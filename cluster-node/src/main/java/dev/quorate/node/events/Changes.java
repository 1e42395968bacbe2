package dev.quorate.node.events;

import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Decides what has happened between one observation of a node and the next. No clock, no lock: its
 * tests are transcripts. Not thread-safe.
 */
final class Changes {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LEAST_STALL_NANOS = 100 * NANOS_PER_MILLI;

    private final String self;
    private final long reservedDiskBytes;
    private final Function<String, PeerChanges> newPeer;
    private final Map<String, PeerChanges> peers = new HashMap<>();

    private boolean isFirst = true;
    private boolean isDraining;
    private String whyNotServing = "";
    private boolean isRebuilding;
    private long rebuildBegunMillis;
    private boolean isDiskFull;
    private boolean isDamaged;
    private long healedBefore;
    private String loss = "";

    private final Tally refused = new Tally(1);
    private final Tally failedReads = new Tally(1);
    private final Tally failedWrites = new Tally(1);
    private final Tally stalls = new Tally(LEAST_STALL_NANOS);
    private final Tally corrupt = new Tally(1);
    private final Map<String, Tally> dropped = new HashMap<>();

    /**
     * @param self the name of this node
     * @param reservedDiskBytes free bytes of disk below which the store takes no writes
     * @param maxClockDrift how far the clocks of members may be apart
     */
    Changes(String self, long reservedDiskBytes, Duration maxClockDrift) {
        this.self = self;
        this.reservedDiskBytes = reservedDiskBytes;
        this.newPeer = name -> new PeerChanges(name, maxClockDrift.toMillis());
    }

    /** What has happened since the last observation, or, at the first, what is not as it should. */
    List<Happening> next(Observation now) {
        List<Happening> happened = new ArrayList<>();
        peers(now, happened);
        data(now, happened);
        serving(now, happened);
        disk(now, happened);
        damage(now, happened);
        load(now, happened);
        isFirst = false;
        return happened;
    }

    private PeerChanges peer(String name) {
        return Objects.requireNonNull(peers.computeIfAbsent(name, newPeer));
    }

    private void peers(Observation now, List<Happening> happened) {
        long millis = now.millis();
        for (PeerHealth each : now.peers()) {
            peer(each.member()).health(each, millis, happened);
        }
        for (HandoffStatistics.OfTarget each : now.hints().targets()) {
            peer(each.member()).hints(each, millis, happened);
        }
        for (PeerRepairStatus each : now.repairs().peers()) {
            peer(each.peer()).repair(each, millis, happened);
        }
        now.hints()
                .dropped()
                .forEach(
                        (reason, count) -> {
                            long more = dropped(reason).next(count, millis);
                            if (more > 0) {
                                happened.add(
                                        Happening.here(
                                                millis,
                                                EventKind.HINTS_DROPPED,
                                                Spans.count(more, "write", "writes")
                                                        + " that a member missed "
                                                        + (more == 1 ? "is" : "are")
                                                        + " left to repair ("
                                                        + reason
                                                        + ")"));
                            }
                        });
    }

    private Tally dropped(String reason) {
        return Objects.requireNonNull(dropped.computeIfAbsent(reason, any -> new Tally(1)));
    }

    private void data(Observation now, List<Happening> happened) {
        if (now.data().isRebuilding() && !isRebuilding) {
            rebuildBegunMillis = now.millis();
            happened.add(
                    Happening.here(
                            now.millis(),
                            EventKind.REBUILD_BEGUN,
                            "A rebuild of " + self + " began: " + now.data().description()));
        } else if (!now.data().isRebuilding() && isRebuilding) {
            happened.add(
                    Happening.here(
                            now.millis(),
                            EventKind.REBUILD_ENDED,
                            "The rebuild of %s has ended after %s: %s copied"
                                    .formatted(
                                            self,
                                            Spans.of(now.millis() - rebuildBegunMillis),
                                            Spans.count(
                                                    now.data().copied(),
                                                    "entry was",
                                                    "entries were"))));
        }
        isRebuilding = now.data().isRebuilding();
    }

    private void serving(Observation now, List<Happening> happened) {
        if (now.isDraining()) {
            if (!isDraining) {
                isDraining = true;
                happened.add(
                        Happening.here(
                                now.millis(),
                                EventKind.NODE_STOPPING,
                                self + " is stopping, and takes no new requests"));
            }
            return;
        }
        String why = now.whyNotServing() == null ? "" : now.whyNotServing();
        if (why.isEmpty() && (isFirst || !whyNotServing.isEmpty())) {
            happened.add(
                    Happening.here(
                            now.millis(), EventKind.SERVING, self + " serves reads and writes"));
        } else if (!why.equals(whyNotServing)) {
            String text = why.endsWith(".") ? why.substring(0, why.length() - 1) : why;
            happened.add(
                    Happening.here(
                            now.millis(),
                            EventKind.NOT_SERVING,
                            self + " takes no writes: " + text));
        }
        whyNotServing = why;
    }

    private void disk(Observation now, List<Happening> happened) {
        long free = now.store().freeDiskBytes();
        boolean isFull = free < reservedDiskBytes;
        if (isFull != isDiskFull) {
            EventKind kind = isFull ? EventKind.DISK_FULL : EventKind.DISK_FREE;
            String text =
                    isFull
                            ? "The disk is full, and %s takes no writes: %,d bytes are free, %,d are needed"
                                    .formatted(self, free, reservedDiskBytes)
                            : "The disk has space again: %,d bytes are free".formatted(free);
            happened.add(Happening.here(now.millis(), kind, text));
        }
        isDiskFull = isFull;
    }

    private void damage(Observation now, List<Happening> happened) {
        int ranges = now.store().damagedRanges();
        long found = corrupt.next(now.store().checksumFailures(), now.millis());
        if (found > 0 || (ranges > 0 && !isDamaged)) {
            happened.add(
                    Happening.here(
                            now.millis(),
                            EventKind.DAMAGE_FOUND,
                            "Data on the disk of %s is damaged: %s to be fetched from other members"
                                    .formatted(
                                            self,
                                            Spans.count(
                                                    ranges,
                                                    "range of keys is",
                                                    "ranges of keys are"))));
        }
        if (isDamaged && ranges == 0) {
            long healed = now.store().healedRanges() - healedBefore;
            happened.add(
                    Happening.here(
                            now.millis(),
                            EventKind.DAMAGE_HEALED,
                            "The damage is healed: "
                                    + Spans.count(healed, "range of keys", "ranges of keys")));
        }
        isDamaged = ranges > 0;
        if (!isDamaged) {
            healedBefore = now.store().healedRanges();
        }
        String waiting = now.loss() == null ? "" : now.loss();
        if (!waiting.isEmpty() && !waiting.equals(loss)) {
            happened.add(
                    Happening.here(
                            now.millis(),
                            EventKind.LOSS_WAITS,
                            "A healing waits until somebody accepts that entries may be lost:"
                                    + " ./quorate repair --accept-loss"));
        }
        loss = waiting;
    }

    private void load(Observation now, List<Happening> happened) {
        long millis = now.millis();
        long turnedAway = refused.next(now.coordinator().refused(), millis);
        if (turnedAway > 0) {
            happened.add(
                    Happening.here(
                            millis,
                            EventKind.OVERLOADED,
                            Spans.count(turnedAway, "request was", "requests were")
                                    + " refused, because too many were under way"));
        }
        failed(failedReads, now.coordinator().readQuorumFailures(), "read", millis, happened);
        failed(failedWrites, now.coordinator().writeQuorumFailures(), "write", millis, happened);
        long stalled = stalls.next(now.store().stallNanos(), millis);
        if (stalled > 0) {
            happened.add(
                    Happening.here(
                            millis,
                            EventKind.WRITES_STALLED,
                            "Writes were held back for "
                                    + Spans.of(stalled / NANOS_PER_MILLI)
                                    + ", because flushes or compactions were behind"));
        }
    }

    private static void failed(
            Tally tally, long count, String what, long millis, List<Happening> happened) {
        long more = tally.next(count, millis);
        if (more > 0) {
            happened.add(
                    Happening.here(
                            millis,
                            EventKind.QUORUM_FAILED,
                            "Too few replicas answered " + Spans.count(more, what, what + "s")));
        }
    }
}

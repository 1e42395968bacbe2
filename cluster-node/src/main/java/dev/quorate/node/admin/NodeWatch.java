package dev.quorate.node.admin;

import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.storage.Figures;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports events that no single part of a node can detect, once a second: whether the node accepts
 * writes, clocks that differ, and counters that have grown.
 */
public final class NodeWatch {

    private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);

    /** The period of calls to {@link #check}. */
    public static final Duration PERIOD = Duration.ofSeconds(1);

    /**
     * Growth of a counter is reported once in this many calls: a thousand refusals are one event.
     */
    private static final int CALLS_PER_REPORT = 60;

    private static final long LEAST_STALL_MILLIS = 100;

    private final NodeView node;
    private final EventLog events;
    private final String self;
    private final long maxDriftMillis;

    // Used by one thread.
    private String problems = "nothing has been checked";
    private final Set<String> wrongClocks = new HashSet<>();
    private final Map<String, Growth> counters = new HashMap<>();

    /**
     * @param maxClockDrift the maximum difference between members' clocks
     */
    public NodeWatch(NodeView node, Duration maxClockDrift) {
        this.node = node;
        this.events = node.events();
        this.self = node.self().name();
        this.maxDriftMillis = maxClockDrift.toMillis();
    }

    /** Must not run on a selector or a timer: it reads the free bytes of the disk. */
    public void check() {
        if (node.drain().isStopping()) {
            return;
        }
        try {
            serving();
            node.peers().get().forEach(this::clock);
            counters(node.figures());
        } catch (RuntimeException e) {
            LOG.error("The node could not be checked for events", e);
        }
    }

    /** Compares the names of failed checks: their details change more often. */
    private void serving() {
        var failed = node.checks().stream().filter(check -> !check.holds()).toList();
        String names = failed.stream().map(ReadinessCheck::name).collect(Collectors.joining(" "));
        if (names.equals(problems)) {
            return;
        }
        problems = names;
        String why = failed.stream().map(ReadinessCheck::detail).collect(Collectors.joining("; "));
        if (names.isEmpty()) {
            events.info(self + " serves reads and writes");
        } else if (names.contains("disk")) {
            events.error("The disk is full, and %s takes no writes: %s".formatted(self, why));
        } else {
            events.warn("%s takes no writes: %s".formatted(self, why));
        }
    }

    /** Reports a difference from half of the maximum, and its end below a quarter of it. */
    private void clock(PeerHealth peer) {
        if (peer.standing() != PeerStanding.UP) {
            return;
        }
        long offset = Math.abs(peer.clockAheadMillis());
        if (offset >= maxDriftMillis / 2 && wrongClocks.add(peer.member())) {
            events.warn(
                    "The clock of %s is %s %s this node's; %s are allowed"
                            .formatted(
                                    peer.member(),
                                    EventLog.span(offset),
                                    peer.clockAheadMillis() > 0 ? "ahead of" : "behind",
                                    EventLog.span(maxDriftMillis)));
        } else if (offset < maxDriftMillis / 4 && wrongClocks.remove(peer.member())) {
            events.info("The clock of %s agrees with this node's again".formatted(peer.member()));
        }
    }

    private void counters(Figures figures) {
        grown(
                "Requests refused, because too many were under way",
                figures.count("requests_rejected", "listener", "client", "reason", "queue"));
        grown(
                "Reads that too few replicas answered",
                figures.count("quorum_failures", "op", "read"));
        grown(
                "Writes that too few replicas answered",
                figures.count("quorum_failures", "op", "write"));
        long stallMillis = (long) (figures.value("write_stall_seconds") * 1e3);
        grown(
                "Milliseconds for which writes waited for flushes or compactions",
                stallMillis / LEAST_STALL_MILLIS * LEAST_STALL_MILLIS);
        node.hints()
                .get()
                .dropped()
                .forEach((reason, count) -> grown("Hints dropped (" + reason + ")", count));
    }

    /** The first growth after a quiet minute is reported at once. */
    private void grown(String what, long count) {
        Growth before = counters.getOrDefault(what, new Growth(0, 0));
        if (before.callsLeft > 0) {
            counters.put(what, new Growth(before.count, before.callsLeft - 1));
        } else if (count > before.count) {
            events.warn(what + ": " + (count - before.count));
            counters.put(what, new Growth(count, CALLS_PER_REPORT - 1));
        }
    }

    /** The reported value of a counter, and the number of calls before the next report. */
    private record Growth(long count, int callsLeft) {}
}

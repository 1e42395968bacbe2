package dev.quorate.node.admin;

import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.RepairStatus;
import dev.quorate.node.api.ClientObserver;
import dev.quorate.node.api.ClientObserver.Operation;
import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.http.HttpListener;
import dev.quorate.node.http.ListenerStatistics.Rejection;
import dev.quorate.node.membership.Membership;
import dev.quorate.node.runtime.LogTimes;
import dev.quorate.storage.StoreStatistics;
import dev.quorate.storage.Timestamp;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Exports the parts' own counters as metrics; each part is read once a scrape. Base units, counters
 * end in {@code _total}, and no label contains a key.
 */
final class NodeCollector implements MultiCollector {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final String PEER = "peer";

    private final NodeView node;
    private final RequestMetrics requests;

    NodeCollector(NodeView node, RequestMetrics requests) {
        this.node = node;
        this.requests = requests;
    }

    @Override
    public MetricSnapshots collect() {
        Figures figures = new Figures();
        figures.info(
                "build",
                "What is running.",
                "version",
                node.version(),
                "io",
                node.sockets(),
                "node",
                node.self().name());
        boolean ready = node.checks().stream().allMatch(Check::holds);
        figures.gauge("ready", "Whether clients should be sent here.", ready ? 1 : 0);
        figures.add(requests.snapshot());
        addSlow(figures);
        figures.counters(
                        "share_refusals",
                        "Ranges answered with 429: their address had ranges-per-address open.")
                .with(requests.refusedRanges(), "share", "address_ranges");
        Map<String, HttpListener> listeners = node.listeners().get();
        CoordinatorStatistics coordinator = node.coordinator().get();
        addListeners(figures, listeners);
        addRejections(figures, listeners, coordinator.refused());
        addCoordinator(figures, coordinator);
        addPeers(figures, node.peers().get());
        addHints(figures, node.hints().get());
        addRepairs(figures, node.repairs().get());
        addMembership(figures, node.membership());
        StoreStatistics store = node.store().get();
        addLog(figures, store);
        addTables(figures, store);
        return figures.build();
    }

    private void addSlow(Figures figures) {
        var slow =
                figures.counters(
                        "slow_operations",
                        "Operations that took longer than slow-operation, or failed.");
        for (Operation operation : List.of(Operation.GET, Operation.PUT, Operation.DELETE)) {
            String op = ClientObserver.word(operation);
            slow.with(requests.slowOnes(operation, true), "op", op, "line", "written")
                    .with(requests.slowOnes(operation, false), "op", op, "line", "omitted");
        }
    }

    private static void addListeners(Figures figures, Map<String, HttpListener> all) {
        String label = "listener";
        figures.gauges("http_connections", "Connections that are open.")
                .each(all, label, HttpListener::openConnections);
        figures.counters("http_connections_accepted", "Connections accepted.")
                .each(all, label, each -> each.statistics().accepted());
        figures.counters("http_requests", "Requests taken.")
                .each(all, label, each -> each.statistics().requests());
        figures.counters("http_received_bytes", "Bytes received.")
                .each(all, label, each -> each.statistics().bytesRead());
        figures.counters("http_sent_bytes", "Bytes sent.")
                .each(all, label, each -> each.statistics().bytesWritten());
        figures.gauges("http_request_bytes_held", "Bytes of request bodies held.")
                .each(all, label, HttpListener::inputBytes);
        figures.gauges("http_answer_bytes_held", "Bytes of large answers held.")
                .each(all, label, HttpListener::outputBytes);
        figures.gauges("http_head_bytes_held", "Bytes of unfinished heads held.")
                .each(all, label, HttpListener::headBytes);
        figures.gauges("http_waiting_bytes_held", "Bytes of small answers that wait for readers.")
                .each(all, label, HttpListener::waitingBytes);
        var handshakes =
                figures.counters(
                        "tls_handshakes",
                        "TLS handshakes: completed, refused (with later failures), or dropped"
                                + " because they waited too long or their client had left.");
        all.forEach(
                (name, each) ->
                        handshakes
                                .with(each.handshakes(), label, name, "result", "completed")
                                .with(each.failuresOfTls(), label, name, "result", "refused")
                                .with(each.droppedHandshakes(), label, name, "result", "dropped"));
    }

    private static void addRejections(
            Figures figures, Map<String, HttpListener> listeners, long refused) {
        var rejected =
                figures.counters(
                        "requests_rejected",
                        "Requests and connections turned away with nothing attempted.");
        listeners.forEach(
                (name, listener) -> {
                    for (Rejection reason : Rejection.values()) {
                        rejected.with(
                                listener.statistics().rejected(reason),
                                "listener",
                                name,
                                "reason",
                                reason.name().toLowerCase(Locale.ROOT));
                    }
                });
        rejected.with(refused, "listener", "client", "reason", "queue");
    }

    private static void addCoordinator(Figures figures, CoordinatorStatistics coordinator) {
        figures.gauge(
                "http_requests_in_flight",
                "Reads and writes under way.",
                coordinator.outstanding());
        figures.gauges("admission_limit", "Reads and writes that are let in at once, now.")
                .with(coordinator.readLimit(), "op", "read")
                .with(coordinator.writeLimit(), "op", "write");
        figures.gauge("scans_open", "Ranges that are open.", coordinator.openScans());
        figures.counters("quorum_failures", "Operations that too few replicas answered.")
                .with(coordinator.readQuorumFailures(), "op", "read")
                .with(coordinator.writeQuorumFailures(), "op", "write");
        figures.counter(
                "restamps",
                "Writes sent again with a later version, because a replica held a newer entry.",
                coordinator.restamps());
        figures.counter(
                "versions_taken",
                "Writes refused because another write has their version.",
                coordinator.versionsTaken());
        figures.counter(
                "read_hedges",
                "Reads that took longer than nearly all do, and asked one replica more.",
                coordinator.hedges());
        figures.counters("read_repairs", "Keys whose replicas differed when they were read.")
                .with(coordinator.readRepairs(), "mode", "before_the_answer")
                .with(coordinator.deferredRepairs(), "mode", "later")
                .with(coordinator.droppedRepairs(), "mode", "forgotten");
    }

    private static void addPeers(Figures figures, List<PeerHealth> health) {
        Map<String, PeerHealth> peers = byName(health, PeerHealth::member);
        figures.gauges("peer_up", "Whether the peer's last exchange was answered.")
                .each(peers, PEER, peer -> peer.standing() == PeerStanding.UP ? 1 : 0);
        figures.gauges("peer_asked", "Whether operations are sent to the peer.")
                .each(peers, PEER, peer -> peer.asked() ? 1 : 0);
        figures.gauges("peer_operations_in_flight", "Operations queued for the peer or sent.")
                .each(peers, PEER, PeerHealth::outstandingOperations);
        figures.gauges("peer_in_flight_bytes", "Bytes of operations queued for the peer or sent.")
                .each(peers, PEER, PeerHealth::outstandingBytes);
        figures.counters("peer_exchanges", "Exchanges sent to the peer.")
                .each(peers, PEER, PeerHealth::exchanges);
        figures.counters("peer_operations", "Operations sent to the peer.")
                .each(peers, PEER, PeerHealth::operations);
        figures.gauges(
                        "clock_offset_seconds",
                        "How far the peer's clock was ahead of this machine's.")
                .each(peers, PEER, peer -> peer.clockAheadMillis() / MILLIS_PER_SECOND);
        figures.histograms(
                        "peer_exchange_duration_seconds",
                        "Exchanges of reads and writes with the peer, if answered.")
                .each(peers, PEER, PeerHealth::exchangeTimes);
        figures.histograms(
                        "peer_queue_duration_seconds",
                        "How long reads and writes waited until they were sent to the peer.")
                .each(peers, PEER, PeerHealth::queueTimes);
    }

    private static <E> Map<String, E> byName(List<E> elements, Function<E, String> name) {
        Map<String, E> byName = new LinkedHashMap<>();
        elements.forEach(element -> byName.put(name.apply(element), element));
        return byName;
    }

    private static void addHints(Figures figures, HandoffStatistics hints) {
        figures.gauges(
                        "hints_pending_bytes",
                        "Bytes of writes kept for a replica that missed them, about.")
                .each(
                        byName(hints.targets(), HandoffStatistics.OfTarget::member),
                        PEER,
                        HandoffStatistics.OfTarget::pendingBytes);
        var replayed = figures.counters("hints_replayed", "Kept writes sent to the replica.");
        for (HandoffStatistics.OfTarget target : hints.targets()) {
            String name = target.member();
            replayed.with(target.stored(), PEER, name, "outcome", "stored")
                    .with(target.failed(), PEER, name, "outcome", "failed");
        }
        figures.counters(
                        "hints_dropped",
                        "Writes that a replica missed and that are not kept for it, or not sent.")
                .each(hints.dropped(), "reason", count -> count);
    }

    private static void addMembership(Figures figures, Membership membership) {
        figures.gauge(
                "member_votes",
                "Whether this node's answers count; not while it fetches what a lost disk had.",
                membership.votes() ? 1 : 0);
        figures.gauge(
                "rebuild_progress_ratio",
                "About how much of what a lost disk had this node has again; 1 if it votes.",
                membership.rebuilt());
        figures.counter(
                "rebuild_copied_entries",
                "Entries copied from other nodes, many at a time, to fill an empty disk.",
                membership.copied());
        figures.gauge(
                "settled_timestamp_seconds",
                "Every member has all entries from before this; 0 if that is not known.",
                membership.gcWatermarkMillis() / MILLIS_PER_SECOND);
    }

    private static void addRepairs(Figures figures, RepairStatus repairs) {
        Map<String, PeerRepairStatus> peers = byName(repairs.peers(), PeerRepairStatus::peer);
        figures.gauges(
                        "repair_age_seconds",
                        "Since the last complete repair with the peer began, or the node started.")
                .each(peers, PEER, PeerRepairStatus::ageSeconds);
        var entries =
                figures.counters(
                        "repair_entries", "Entries that repairs sent to the peer and took.");
        peers.forEach(
                (name, peer) ->
                        entries.with(peer.total().pushed(), PEER, name, "direction", "sent")
                                .with(peer.total().pulled(), PEER, name, "direction", "fetched"));
        figures.counters("repair_bytes", "Bytes of messages of repairs, both ways.")
                .each(peers, PEER, peer -> peer.total().bytes());
        figures.gauge(
                "repair_running", "Whether a repair is under way.", repairs.running() ? 1 : 0);
    }

    private void addLog(Figures figures, StoreStatistics store) {
        figures.counter("writes", "Entries made durable.", store.writes());
        figures.gauge(
                "write_queue_bytes",
                "Bytes of writes taken and not yet durable.",
                store.queuedWriteBytes());
        LogTimes times = node.log().get();
        figures.histograms("wal_fsync_duration_seconds", "Forcing the log to disk.")
                .with(times.forced());
        figures.histograms(
                        "wal_queue_duration_seconds",
                        "How long the first write of each group waited until the log began it.")
                .with(times.waited());
        figures.gauge("wal_size_bytes", "Bytes of live log segments.", store.logBytes());
        figures.gauge("memtable_size_bytes", "Bytes of entries in memory.", store.memtableBytes());
        figures.counter(
                "write_stall_seconds",
                "Time for which writes were held back.",
                store.stallNanos() / NANOS_PER_SECOND);
        figures.counter(
                "write_delay_seconds",
                "Time for which writes were held to a rate, flushes or compaction being behind.",
                store.delayNanos() / NANOS_PER_SECOND);
        figures.counter(
                "writes_delayed",
                "Writes that came while writes were held to a rate.",
                store.delayedWrites());
        figures.counter("write_bytes", "Bytes of keys and values written.", store.userBytes());
        figures.counter("wal_bytes", "Bytes of log written.", store.logBytesWritten());
    }

    private static void addTables(Figures figures, StoreStatistics store) {
        figures.gauge("sstables", "Sorted tables.", store.tables());
        figures.gauge("sstable_size_bytes", "Bytes of sorted tables.", store.tableBytes());
        figures.gauge("tombstones", "Tombstones in sorted tables.", store.tombstones());
        figures.counter(
                "tombstones_dropped",
                "Tombstones and expired values that compaction has dropped for good.",
                store.droppedTombstones());
        Timestamp oldestTombstone = store.oldestTombstone();
        if (oldestTombstone != null) {
            figures.gauge(
                    "tombstone_oldest_timestamp_seconds",
                    "No tombstone in sorted tables is older, in seconds since 1970.",
                    oldestTombstone.wallMillis() / MILLIS_PER_SECOND);
        }
        figures.gauge(
                "tombstones_collected_timestamp_seconds",
                "Up to where compaction may drop tombstones, in seconds since 1970.",
                store.collectedUpTo().wallMillis() / MILLIS_PER_SECOND);
        figures.gauge("sstables_level_zero", "Sorted tables of level 0.", store.level0Tables());
        figures.gauge(
                "sstables_damaged",
                "Sorted tables that cannot be read, left out of compaction.",
                store.damagedTables());
        figures.gauge(
                "damaged_ranges",
                "Ranges of keys that damaged tables may have lost, until they are healed.",
                store.damagedRanges());
        figures.counter(
                "healed_ranges", "Damaged ranges of keys that were healed.", store.healedRanges());
        figures.counter(
                "scrubbed_bytes",
                "Bytes of tables that were read only to see whether they are whole.",
                store.scrubbedBytes());
        figures.counter(
                "flush_bytes", "Bytes of tables written by flushes.", store.flushBytesWritten());
        figures.counter("flushes", "Memtables written to tables.", store.flushes());
        figures.counter("compactions", "Compactions finished.", store.compactions());
        figures.counters("compaction_bytes", "Bytes that compactions read and wrote.")
                .with(store.compactionBytesRead(), "dir", "read")
                .with(store.compactionBytesWritten(), "dir", "written");
        figures.counter(
                "checksum_failures", "Blocks and records found corrupt.", store.checksumFailures());
        figures.gauge(
                "disk_free_bytes",
                "Free bytes of the disk that holds the store.",
                store.freeDiskBytes());
    }
}

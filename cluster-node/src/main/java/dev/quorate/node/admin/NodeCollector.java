package dev.quorate.node.admin;

import com.google.common.collect.Maps;
import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.api.answer.ClientObserver;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.http.connection.ListenerStatistics;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.membership.Membership;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.router.topology.Topology;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Exports the counters of the node's parts as metrics; each part is read once per scrape. Units are
 * base units, counters end in {@code _total}, and no label contains a key.
 */
record NodeCollector(NodeView node, RequestMetrics requests) implements MultiCollector {

    private static final double MILLIS_PER_SECOND = 1e3;
    private static final String PEER = "peer";

    @Override
    public MetricSnapshots collect() {
        Scrape scrape = new Scrape();
        scrape.info(
                "build",
                "What is running.",
                "version",
                node.version(),
                "io",
                node.sockets(),
                "node",
                node.self().name());
        boolean ready = node.checks().stream().allMatch(ReadinessCheck::holds);
        scrape.gauge("ready", "Whether clients should be sent here.", ready ? 1 : 0);
        scrape.add(requests.snapshot());
        addSlow(scrape);
        scrape.counters(
                        "share_refusals",
                        "Ranges answered with 429: their address had ranges-per-address open.")
                .with(requests.refusedRanges(), "share", "address_ranges");
        Map<String, HttpListener> listeners = node.listeners().get();
        addListeners(scrape, listeners);
        addRejections(scrape, listeners);
        scrape.add(node.figures());
        addPeers(scrape, node.peers().get());
        addHints(scrape, node.hints().get());
        addRepairs(scrape, node.repairs().get());
        addMembership(scrape, node.membership());
        addTopology(scrape, node.topology(), node.membership().ours());
        addLog(scrape, node.log().get());
        return scrape.build();
    }

    private void addSlow(Scrape scrape) {
        var slow =
                scrape.counters(
                        "slow_operations",
                        "Operations that took longer than slow-operation, or failed.");
        for (Operation operation : EnumSet.range(Operation.GET, Operation.PATCH)) {
            String op = ClientObserver.word(operation);
            slow.with(requests.slowOnes(operation, true), "op", op, "line", "written")
                    .with(requests.slowOnes(operation, false), "op", op, "line", "omitted");
        }
    }

    private static void addListeners(Scrape scrape, Map<String, HttpListener> all) {
        String label = "listener";
        scrape.gauges("http_connections", "Connections that are open.")
                .each(all, label, HttpListener::openConnections);
        scrape.counters("http_connections_accepted", "Connections accepted.")
                .each(all, label, each -> each.statistics().accepted.sum());
        scrape.counters("http_requests", "Requests taken.")
                .each(all, label, each -> each.statistics().requests.sum());
        scrape.counters("http_received_bytes", "Bytes received.")
                .each(all, label, each -> each.statistics().bytesRead.sum());
        scrape.counters("http_sent_bytes", "Bytes sent.")
                .each(all, label, each -> each.statistics().bytesWritten.sum());
        scrape.gauges("http_request_bytes_held", "Bytes of request bodies held.")
                .each(all, label, HttpListener::inputBytes);
        scrape.gauges("http_answer_bytes_held", "Bytes of large answers held.")
                .each(all, label, HttpListener::outputBytes);
        scrape.gauges("http_head_bytes_held", "Bytes of unfinished heads held.")
                .each(all, label, HttpListener::headBytes);
        scrape.gauges("http_waiting_bytes_held", "Bytes of small answers that wait for readers.")
                .each(all, label, HttpListener::waitingBytes);
        var handshakes =
                scrape.counters(
                        "tls_handshakes",
                        "TLS handshakes: completed, refused (with later failures), or dropped"
                                + " because they waited too long or their client had left.");
        all.forEach(
                (name, each) -> {
                    ListenerStatistics of = each.statistics();
                    handshakes
                            .with(of.handshakes.sum(), label, name, "result", "completed")
                            .with(of.failuresOfTls.sum(), label, name, "result", "refused")
                            .with(of.droppedHandshakes.sum(), label, name, "result", "dropped");
                });
    }

    private static void addRejections(Scrape scrape, Map<String, HttpListener> listeners) {
        var rejected =
                scrape.counters(
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
    }

    private static void addPeers(Scrape scrape, List<PeerHealth> health) {
        Map<String, PeerHealth> peers = Maps.uniqueIndex(health, PeerHealth::member);
        scrape.gauges("peer_up", "Whether the peer's last exchange was answered.")
                .each(peers, PEER, peer -> peer.standing() == PeerStanding.UP ? 1 : 0);
        scrape.gauges("peer_asked", "Whether operations are sent to the peer.")
                .each(peers, PEER, peer -> peer.asked() ? 1 : 0);
        scrape.gauges("peer_operations_in_flight", "Operations queued for the peer or sent.")
                .each(peers, PEER, PeerHealth::outstandingOperations);
        scrape.gauges("peer_in_flight_bytes", "Bytes of operations queued for the peer or sent.")
                .each(peers, PEER, PeerHealth::outstandingBytes);
        scrape.counters("peer_exchanges", "Exchanges sent to the peer.")
                .each(peers, PEER, PeerHealth::exchanges);
        scrape.counters("peer_operations", "Operations sent to the peer.")
                .each(peers, PEER, PeerHealth::operations);
        scrape.gauges(
                        "clock_offset_seconds",
                        "How far the peer's clock was ahead of this machine's.")
                .each(peers, PEER, peer -> peer.clockAheadMillis() / MILLIS_PER_SECOND);
        scrape.histograms(
                        "peer_exchange_duration_seconds",
                        "Exchanges of reads and writes with the peer, if answered.")
                .each(peers, PEER, PeerHealth::exchangeTimes);
        scrape.histograms(
                        "peer_queue_duration_seconds",
                        "How long reads and writes waited until they were sent to the peer.")
                .each(peers, PEER, PeerHealth::queueTimes);
    }

    private static void addHints(Scrape scrape, HandoffStatistics hints) {
        scrape.gauges(
                        "hints_pending_bytes",
                        "Bytes of writes kept for a replica that missed them, about.")
                .each(
                        Maps.uniqueIndex(hints.targets(), HandoffStatistics.OfTarget::member),
                        PEER,
                        HandoffStatistics.OfTarget::pendingBytes);
        var replayed = scrape.counters("hints_replayed", "Kept writes sent to the replica.");
        for (HandoffStatistics.OfTarget target : hints.targets()) {
            String name = target.member();
            replayed.with(target.stored(), PEER, name, "outcome", "stored")
                    .with(target.failed(), PEER, name, "outcome", "failed");
        }
        scrape.counters(
                        "hints_dropped",
                        "Writes that a replica missed and that are not kept for it, or not sent.")
                .each(hints.dropped(), "reason", count -> count);
    }

    private static void addMembership(Scrape scrape, Membership membership) {
        scrape.gauge(
                "member_votes",
                "Whether this node's answers count; not while it fetches what a lost disk had.",
                membership.votes() ? 1 : 0);
        scrape.gauge(
                "rebuild_progress_ratio",
                "About how much of what a lost disk had this node has again; 1 if it votes.",
                membership.rebuilt());
        scrape.counter(
                "rebuild_copied_entries",
                "Entries copied from other nodes, many at a time, to fill an empty disk.",
                membership.copied());
        scrape.gauge(
                "settled_timestamp_seconds",
                "Every member has all entries from before this; 0 if that is not known.",
                membership.gcWatermarkMillis() / MILLIS_PER_SECOND);
    }

    private static void addTopology(Scrape scrape, Topology topology, MemberState own) {
        scrape.gauge(
                "topology_epoch",
                "The epoch that this node uses; each change of the members adds one or two.",
                topology.epoch());
        scrape.gauge(
                "change_active",
                "Whether keys move because the members change.",
                topology.isJoint() ? 1 : 0);
        scrape.gauge(
                "change_gained_bytes",
                "Bytes that this node has copied of the keys that it gains; 0 if it copies none.",
                own.gainedBytes());
        scrape.gauge(
                "change_to_gain_bytes",
                "About as many bytes it copies in all; 0 if it copies none.",
                own.toGainBytes());
    }

    private static void addRepairs(Scrape scrape, Repairs.Status repairs) {
        Map<String, PeerRepairStatus> peers =
                Maps.uniqueIndex(repairs.peers(), PeerRepairStatus::peer);
        scrape.gauges(
                        "repair_age_seconds",
                        "Since the last complete repair with the peer began, or the node started.")
                .each(peers, PEER, PeerRepairStatus::ageSeconds);
        var entries =
                scrape.counters(
                        "repair_entries", "Entries that repairs sent to the peer and took.");
        peers.forEach(
                (name, peer) ->
                        entries.with(peer.total().pushed(), PEER, name, "direction", "sent")
                                .with(peer.total().pulled(), PEER, name, "direction", "fetched"));
        scrape.counters("repair_bytes", "Bytes of messages of repairs, both ways.")
                .each(peers, PEER, peer -> peer.total().bytes());
        scrape.gauge("repair_running", "Whether a repair is under way.", repairs.running() ? 1 : 0);
    }

    private static void addLog(Scrape scrape, LogTimes times) {
        scrape.histograms("wal_fsync_duration_seconds", "Forcing the log to disk.")
                .with(times.forced());
        scrape.histograms(
                        "wal_queue_duration_seconds",
                        "How long the first write of each group waited until the log began it.")
                .with(times.waited());
    }
}

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
                "Always 1; the labels describe the running program.",
                "version",
                node.version(),
                "io",
                node.sockets(),
                "node",
                node.self().name());
        boolean ready = node.checks().stream().allMatch(ReadinessCheck::holds);
        scrape.gauge("ready", "1 if the node is ready for clients.", ready ? 1 : 0);
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
        scrape.gauges("http_connections", "Open connections.")
                .each(all, label, HttpListener::openConnections);
        scrape.counters("http_connections_accepted", "Connections accepted.")
                .each(all, label, each -> each.statistics().accepted.sum());
        scrape.counters("http_requests", "Requests received.")
                .each(all, label, each -> each.statistics().requests.sum());
        scrape.counters("http_received_bytes", "Bytes received.")
                .each(all, label, each -> each.statistics().bytesRead.sum());
        scrape.counters("http_sent_bytes", "Bytes sent.")
                .each(all, label, each -> each.statistics().bytesWritten.sum());
        scrape.gauges("http_request_bytes_held", "Bytes of request bodies in memory.")
                .each(all, label, HttpListener::inputBytes);
        scrape.gauges("http_answer_bytes_held", "Bytes of large answers in memory.")
                .each(all, label, HttpListener::outputBytes);
        scrape.gauges("http_head_bytes_held", "Bytes of unfinished request heads in memory.")
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
                        "requests_rejected", "Requests and connections refused before any work.");
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
        scrape.gauges("peer_up", "1 if the peer answered the last exchange.")
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
        scrape.gauges("clock_offset_seconds", "Clock of the peer minus clock of this machine.")
                .each(peers, PEER, peer -> peer.clockAheadMillis() / MILLIS_PER_SECOND);
        scrape.histograms(
                        "peer_exchange_duration_seconds",
                        "Duration of answered exchanges of reads and writes with the peer.")
                .each(peers, PEER, PeerHealth::exchangeTimes);
        scrape.histograms(
                        "peer_queue_duration_seconds",
                        "Time from queuing a read or write for the peer to sending it.")
                .each(peers, PEER, PeerHealth::queueTimes);
    }

    private static void addHints(Scrape scrape, HandoffStatistics hints) {
        scrape.gauges("hints_pending_bytes", "Approximate bytes of hints stored for the peer.")
                .each(
                        Maps.uniqueIndex(hints.targets(), HandoffStatistics.OfTarget::member),
                        PEER,
                        HandoffStatistics.OfTarget::pendingBytes);
        var replayed = scrape.counters("hints_replayed", "Hints sent to the peer.");
        for (HandoffStatistics.OfTarget target : hints.targets()) {
            String name = target.member();
            replayed.with(target.stored(), PEER, name, "outcome", "stored")
                    .with(target.failed(), PEER, name, "outcome", "failed");
        }
        scrape.counters(
                        "hints_dropped",
                        "Writes missed by a replica that were not stored as hints, or not sent.")
                .each(hints.dropped(), "reason", count -> count);
    }

    private static void addMembership(Scrape scrape, Membership membership) {
        scrape.gauge(
                "member_votes",
                "1 if this node votes; 0 while it is rebuilt or checks its data.",
                membership.votes() ? 1 : 0);
        scrape.gauge(
                "rebuild_progress_ratio",
                "Estimated progress of the rebuild; 1 if the node votes.",
                membership.rebuilt());
        scrape.counter(
                "rebuild_copied_entries",
                "Entries copied from other nodes in bulk to rebuild this node.",
                membership.copied());
        scrape.gauge(
                "settled_timestamp_seconds",
                "Every member has all entries from before this moment; 0 if unknown.",
                membership.gcWatermarkMillis() / MILLIS_PER_SECOND);
    }

    private static void addTopology(Scrape scrape, Topology topology, MemberState own) {
        scrape.gauge(
                "topology_epoch",
                "The epoch that this node uses; each change of the members adds one or two.",
                topology.epoch());
        scrape.gauge(
                "change_active",
                "1 while keys move because members change.",
                topology.isJoint() ? 1 : 0);
        scrape.gauge(
                "change_gained_bytes",
                "Bytes copied so far of the keys that this node gains; 0 without a change.",
                own.gainedBytes());
        scrape.gauge(
                "change_to_gain_bytes",
                "Estimated total bytes of the keys that this node gains; 0 without a change.",
                own.toGainBytes());
    }

    private static void addRepairs(Scrape scrape, Repairs.Status repairs) {
        Map<String, PeerRepairStatus> peers =
                Maps.uniqueIndex(repairs.peers(), PeerRepairStatus::peer);
        scrape.gauges(
                        "repair_age_seconds",
                        "Time since the start of the last completed repair with the peer, or since the node started.")
                .each(peers, PEER, PeerRepairStatus::ageSeconds);
        var entries =
                scrape.counters(
                        "repair_entries",
                        "Entries that repairs sent to the peer or fetched from it.");
        peers.forEach(
                (name, peer) ->
                        entries.with(peer.total().pushed(), PEER, name, "direction", "sent")
                                .with(peer.total().pulled(), PEER, name, "direction", "fetched"));
        scrape.counters("repair_bytes", "Bytes of repair messages in both directions.")
                .each(peers, PEER, peer -> peer.total().bytes());
        scrape.gauge("repair_running", "1 while a repair runs.", repairs.running() ? 1 : 0);
    }

    private static void addLog(Scrape scrape, LogTimes times) {
        scrape.histograms("wal_fsync_duration_seconds", "Duration of forcing the log to disk.")
                .with(times.forced());
        scrape.histograms(
                        "wal_queue_duration_seconds",
                        "Time that the first write of each group waited for the log.")
                .with(times.waited());
    }
}

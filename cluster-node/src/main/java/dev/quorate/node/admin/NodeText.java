package dev.quorate.node.admin;

import com.google.common.collect.Maps;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The page at {@code /} for {@code curl}: the cluster as this node sees it, as text. */
final class NodeText {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final int UNIT = 1024;

    private final NodeView node;
    private final StringBuilder text = new StringBuilder(2048);

    NodeText(NodeView node) {
        this.node = node;
    }

    String render() {
        Topology topology = node.topology();
        text.append("Quorate, seen from ").append(node.self().name()).append('\n');
        text.append(
                "%d %s, %d %s of each key. Version %s, sockets: %s.\n\n"
                        .formatted(
                                topology.size(),
                                topology.size() == 1 ? "member" : "members",
                                topology.replicationFactor(),
                                topology.replicationFactor() == 1 ? "copy" : "copies",
                                node.version(),
                                node.sockets()));
        appendMembers(topology);
        appendFigures();
        text.append('\n').append(node.recovery()).append('\n');
        text.append("In a browser this page is a console. Also: /readyz /metrics /admin/events\n");
        return text.toString();
    }

    private void appendMembers(Topology topology) {
        Map<String, PeerHealth> peers = Maps.uniqueIndex(node.peers().get(), PeerHealth::member);
        Map<String, Double> shares = node.shares();
        for (Member member : topology.members()) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-8s %-28s %5.1f %% of the ring  ",
                            member.name(),
                            member.url(),
                            100 * shares.getOrDefault(member.name(), 0.0)));
            if (node.isSelf(member)) {
                appendSelf();
            } else {
                appendStanding(peers.get(member.name()));
            }
            text.append('\n');
        }
    }

    private void appendSelf() {
        List<ReadinessCheck> failing =
                node.checks().stream().filter(check -> !check.holds()).toList();
        if (failing.isEmpty()) {
            text.append("this node, ready");
            return;
        }
        text.append("this node, not ready:");
        for (ReadinessCheck check : failing) {
            text.append(' ').append(check.name()).append(" (").append(check.detail()).append(')');
        }
    }

    private void appendStanding(@Nullable PeerHealth peer) {
        PeerStanding standing = peer == null ? PeerStanding.UNKNOWN : peer.standing();
        text.append(
                switch (standing) {
                    case UP -> "up";
                    case DOWN -> "down";
                    case REFUSED -> "refused";
                    case UNKNOWN -> "not heard from yet";
                });
        if (peer != null && standing != PeerStanding.UNKNOWN) {
            Instant since =
                    Instant.ofEpochMilli(peer.sinceMillis()).truncatedTo(ChronoUnit.SECONDS);
            text.append(" since ").append(since);
            if (standing != PeerStanding.UP) {
                text.append(": ").append(peer.lastError());
            }
        }
    }

    private void appendFigures() {
        text.append('\n');
        UUID cluster = node.membership().cluster();
        row("cluster", cluster == null ? "not known yet" : cluster.toString());
        row("entries made durable", number("writes"));
        row("in memory", size("memtable_size_bytes"));
        row("sorted tables", number("sstables") + ", " + size("sstable_size_bytes"));
        row("log", size("wal_size_bytes"));
        row("compactions", number("compactions"));
        row("free disk", size("disk_free_bytes"));
        row("checksum failures", number("checksum_failures"));
        row("under way", number("http_requests_in_flight"));
        row("reads without a quorum", number("quorum_failures", "op", "read"));
        row("writes without a quorum", number("quorum_failures", "op", "write"));
        row("refused", number("requests_rejected", "listener", "client", "reason", "queue"));
    }

    private void row(String name, String value) {
        text.append("%-24s %s\n".formatted(name, value));
    }

    private String number(String figure, String... labels) {
        return String.format(Locale.ROOT, "%,d", node.figures().count(figure, labels));
    }

    private String size(String figure) {
        double value = node.figures().value(figure);
        int unit = 0;
        while (value >= UNIT && unit < UNITS.length - 1) {
            value /= UNIT;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
    }
}

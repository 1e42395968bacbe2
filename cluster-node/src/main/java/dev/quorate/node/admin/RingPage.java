package dev.quorate.node.admin;

import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.StoreStatistics;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The page at {@code /}: the cluster as this node sees it, in one piece of HTML that needs no
 * script and fetches nothing.
 */
final class RingPage {

    private static final String STYLE =
            """
            body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em}
            table{border-collapse:collapse;margin:1em 0}
            th,td{text-align:left;padding:.25em 1em .25em 0;border-bottom:1px solid #8884}
            td.n{text-align:right;font-variant-numeric:tabular-nums}
            .up{color:#080}.down{color:#b00}.unknown{color:#888}
            @media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.up{color:#5c5}\
            .down{color:#f66}a{color:#8bf}}
            """;

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final int UNIT = 1024;

    private final NodeView node;
    private final StringBuilder html = new StringBuilder(4096);

    RingPage(NodeView node) {
        this.node = node;
    }

    String render() {
        Topology topology = node.ring().topology();
        String name = escaped(node.self().name());
        html.append("<!doctype html><html lang=en><meta charset=utf-8>")
                .append("<meta http-equiv=refresh content=5>")
                .append("<meta name=viewport content=\"width=device-width\">")
                .append("<title>")
                .append(name)
                .append(" - Quorate</title><style>")
                .append(STYLE)
                .append("</style><h1>Quorate, seen from ")
                .append(name)
                .append("</h1><p>")
                .append(topology.size())
                .append(topology.size() == 1 ? " member, " : " members, ")
                .append(topology.replicationFactor())
                .append(topology.replicationFactor() == 1 ? " copy" : " copies")
                .append(" of each key. Version ")
                .append(escaped(node.version()))
                .append(", sockets: ")
                .append(escaped(node.sockets()))
                .append(".</p>");
        appendMembers(topology);
        appendFigures();
        html.append("<p><a href=/metrics>metrics</a> · <a href=/readyz>readiness</a></p></html>\n");
        return html.toString();
    }

    private void appendMembers(Topology topology) {
        Map<String, PeerHealth> peers = new HashMap<>();
        for (PeerHealth peer : node.peers().get()) {
            peers.put(peer.member(), peer);
        }
        double[] shares = node.ring().shares();
        html.append("<table><tr><th>member<th>address<th>share of the ring<th>from here</tr>");
        for (int i = 0; i < topology.size(); i++) {
            Member member = topology.members().get(i);
            html.append("<tr><td>")
                    .append(escaped(member.name()))
                    .append("<td>")
                    .append(escaped(member.url().toString()))
                    .append("<td class=n>")
                    .append(String.format(Locale.ROOT, "%.1f %%", 100 * shares[i]))
                    .append("<td>");
            if (member.equals(node.self())) {
                appendSelf();
            } else {
                appendStanding(peers.get(member.name()));
            }
            html.append("</tr>");
        }
        html.append("</table>");
    }

    private void appendSelf() {
        List<Check> failing = node.checks().stream().filter(check -> !check.holds()).toList();
        if (failing.isEmpty()) {
            html.append("<span class=up>this node, ready</span>");
            return;
        }
        html.append("<span class=down>this node, not ready: ");
        for (Check check : failing) {
            html.append(escaped(check.name() + " (" + check.detail() + ") "));
        }
        html.append("</span>");
    }

    private void appendStanding(@Nullable PeerHealth peer) {
        PeerStanding standing = peer == null ? PeerStanding.UNKNOWN : peer.standing();
        String style =
                switch (standing) {
                    case UP -> "up";
                    case DOWN, REFUSED -> "down";
                    case UNKNOWN -> "unknown";
                };
        String text =
                switch (standing) {
                    case UP -> "up";
                    case DOWN -> "down";
                    case REFUSED -> "refused";
                    case UNKNOWN -> "not heard of yet";
                };
        html.append("<span class=").append(style).append('>').append(text);
        if (peer != null && standing != PeerStanding.UNKNOWN) {
            Instant since =
                    Instant.ofEpochMilli(peer.sinceMillis()).truncatedTo(ChronoUnit.SECONDS);
            html.append(" since ").append(since);
            if (standing != PeerStanding.UP) {
                html.append(": ").append(escaped(peer.lastError()));
            }
        }
        html.append("</span>");
    }

    private void appendFigures() {
        StoreStatistics store = node.store().get();
        CoordinatorStatistics coordinator = node.coordinator().get();
        html.append("<table><tr><th>this node's store<th></tr>");
        row("entries made durable", number(store.writes()));
        row("in memory", size(store.memtableBytes()));
        row("sorted tables", number(store.tables()) + ", " + size(store.tableBytes()));
        row("log", size(store.logBytes()));
        row("compactions", number(store.compactions()));
        row("free disk", size(store.freeDiskBytes()));
        row("checksum failures", number(store.checksumFailures()));
        html.append("</table><table><tr><th>coordinated here<th></tr>");
        row("under way", number(coordinator.outstanding()));
        row("reads without a quorum", number(coordinator.readQuorumFailures()));
        row("writes without a quorum", number(coordinator.writeQuorumFailures()));
        row("refused", number(coordinator.refused()));
        html.append("</table><p>").append(escaped(node.recovery())).append("</p>");
    }

    private void row(String name, String value) {
        html.append("<tr><td>").append(name).append("<td class=n>").append(value).append("</tr>");
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String size(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= UNIT && unit < UNITS.length - 1) {
            value /= UNIT;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
    }

    /** As text or within a quoted attribute. Names and errors may come from other machines. */
    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }
}

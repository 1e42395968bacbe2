package dev.quorate.node.admin;

import com.google.common.collect.Maps;
import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.node.membership.ChangeRule;
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /admin/members}: the topology in use, as JSON or for people, and its change
 * (decision 0051). A change names the epoch that it is based on in {@code If-Match}.
 *
 * @param epochs proposes a change
 * @param background makes the page; may reject
 */
public record MemberPages(NodeView node, Changes epochs, Executor background) {

    /** Proposes the next topology. Calls back once, on any thread. */
    @FunctionalInterface
    public interface Changes {
        void change(Topology next, Duration patience, Consumer<Epochs.Result> whenDecided);
    }

    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final String ROW = "%-15s %-32s %-6s %-6s %s\n";

    /** Adds the page to those of the node. */
    public void addTo(Map<Route, PageHandler> pages) {
        pages.put(Route.MEMBERS, this::answer);
    }

    private void answer(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        Topology current = node.topology().get();
        boolean isText = request.header("accept").startsWith("text/plain");
        if (request.isRead()) {
            show(isText, exchange, null);
            return;
        }
        requireEpoch(request, current);
        MemberChange asked = MemberChange.parse(request.request().body());
        Topology next;
        try {
            next = ChangeRule.withAddresses(current, asked.addresses());
        } catch (IllegalArgumentException e) {
            throw new RequestRefusedException(422, e.getMessage() + MemberChange.NOTHING);
        }
        if (asked.isDryRun() || next.equals(current)) {
            show(isText, exchange, asked.isDryRun() ? next : null);
            return;
        }
        epochs.change(next, PATIENCE, result -> exchange.respond(decided(isText, next, result)));
    }

    private static void requireEpoch(PageRequest request, Topology current)
            throws RequestRefusedException {
        String match = request.header("if-match");
        if (match.isEmpty() || match.equals("*")) {
            throw new RequestRefusedException(
                    428,
                    "If-Match must name the epoch to change, as the ETag of GET /admin/members does."
                            + MemberChange.NOTHING);
        }
        if (!match.equals(tag(current)) || request.request().headers().isRepeated("if-match")) {
            throw new RequestRefusedException(
                    Problem.of(
                                    412,
                                    "The cluster is in epoch "
                                            + current.epoch()
                                            + ": see GET /admin/members."
                                            + MemberChange.NOTHING)
                            .header("ETag: " + tag(current))
                            .response());
        }
        if (current.cluster() == null) {
            throw new RequestRefusedException(
                    Problem.busy(
                                    "This node does not know the cluster's id yet."
                                            + MemberChange.NOTHING)
                            .response());
        }
    }

    private static String tag(Topology topology) {
        return "\"" + topology.epoch() + "\"";
    }

    private HttpResponse decided(boolean isText, Topology asked, Epochs.Result result) {
        return switch (result) {
            case Epochs.Result.Chosen(Topology chosen) -> page(isText, chosen, false);
            case Epochs.Result.Lost(Topology current) -> Problem.response(409, why(asked, current));
            case Epochs.Result.Undecided() ->
                    Problem.of(
                                    503,
                                    "Too few members have answered within "
                                            + PATIENCE.toSeconds()
                                            + " s; the change may still be made: see GET"
                                            + " /admin/members.")
                            .header("Retry-After: " + PATIENCE.toSeconds())
                            .response();
        };
    }

    private static String why(Topology asked, Topology current) {
        if (current.epoch() < asked.epoch()) {
            return "Another change to epoch "
                    + asked.epoch()
                    + " is in progress, and may have won."
                    + MemberChange.NOTHING;
        }
        String difference =
                current.members().stream()
                        .filter(each -> !each.equals(asked.member(each.name())))
                        .findFirst()
                        .map(each -> each.name() + " is at " + each.url() + " there.")
                        .orElse("Its addresses are the same.");
        return "Another change has won, and the cluster is in epoch %s: %s Nothing was changed by this."
                .formatted(current.epoch(), difference);
    }

    /**
     * Answers with a topology.
     *
     * @param proposed the topology that would be proposed; null for the one in use
     */
    private void show(boolean isText, HttpExchange exchange, @Nullable Topology proposed) {
        SharedPage.execute(
                background,
                exchange,
                () ->
                        exchange.respond(
                                page(
                                        isText,
                                        proposed == null ? node.topology().get() : proposed,
                                        proposed != null)));
    }

    private HttpResponse page(boolean isText, Topology topology, boolean isDryRun) {
        Map<String, PeerHealth> peers = Maps.uniqueIndex(node.peers().get(), PeerHealth::member);
        List<Row> rows =
                topology.members().stream().map(each -> row(each, peers.get(each.name()))).toList();
        String text = isText ? text(topology, rows, isDryRun) : json(topology, rows, isDryRun);
        String type = isText ? "text/plain; charset=utf-8" : "application/json";
        List<String> headers = List.of("Content-Type: " + type, "Vary: Accept");
        return new HttpResponse(
                200,
                isDryRun
                        ? headers
                        : List.of(headers.get(0), headers.get(1), "ETag: " + tag(topology)),
                text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A member in the answer.
     *
     * @param epoch the epoch that it uses, as last announced; 0 if it has announced none
     * @param standing as this node sees it
     */
    private record Row(Member member, int epoch, String standing) {}

    private Row row(Member member, @Nullable PeerHealth peer) {
        if (node.isSelf(member)) {
            return new Row(member, node.topology().get().epoch(), "self");
        }
        PeerStanding standing = peer == null ? PeerStanding.UNKNOWN : peer.standing();
        return new Row(
                member,
                node.membership().epochOf(member.number()),
                standing.name().toLowerCase(Locale.ROOT));
    }

    private static String json(Topology topology, List<Row> rows, boolean isDryRun) {
        JsonWriter json = new JsonWriter(1024).beginObject();
        if (topology.cluster() != null) {
            json.field("cluster", topology.cluster().toString());
        }
        json.field("epoch", topology.epoch());
        if (isDryRun) {
            json.field("dryRun", true);
        }
        json.beginArray("members");
        for (Row row : rows) {
            json.beginObject()
                    .field("name", row.member.name())
                    .field("url", row.member.url().toString())
                    .field("since", row.member.since());
            if (row.epoch > 0) {
                json.field("epoch", row.epoch);
            }
            json.field("standing", row.standing).endObject();
        }
        return json.endArray().endObject() + "\n";
    }

    /** The first line is also read by {@code ./quorate member set}. */
    private static String text(Topology topology, List<Row> rows, boolean isDryRun) {
        return "cluster %s, epoch %s%s\n"
                        .formatted(
                                topology.cluster() == null ? "not known yet" : topology.cluster(),
                                topology.epoch(),
                                isDryRun ? " (proposed; nothing was done)" : "")
                + ROW.formatted("NAME", "ADDRESS", "SINCE", "EPOCH", "STANDING")
                + rows.stream()
                        .map(
                                row ->
                                        ROW.formatted(
                                                row.member.name(),
                                                row.member.url(),
                                                row.member.since(),
                                                row.epoch == 0 ? "-" : row.epoch,
                                                row.standing))
                        .collect(Collectors.joining());
    }
}

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
import dev.quorate.node.membership.Epochs;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The page {@code /admin/members}: the topology in use, as JSON or for people, and its change
 * (decisions 0051 and 0052). A change names the epoch that it is based on in {@code If-Match}.
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

    private static final String ROW = "%-15s %-32s %-6s %-6s %-6s %s\n";

    /** Adds the page to those of the node. */
    public void addTo(Map<Route, PageHandler> pages) {
        pages.put(Route.MEMBERS, this::answer);
    }

    private void answer(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        Topology current = node.topology();
        boolean isText = request.header("accept").startsWith("text/plain");
        if (request.isRead()) {
            show(isText, current, false, exchange);
            return;
        }
        requireEpoch(request, current);
        MemberChange asked = MemberChange.parse(request.request().body());
        Topology next;
        try {
            next = asked.of(current);
            requireDown(asked.lost());
        } catch (IllegalArgumentException e) {
            throw MemberChange.refused(422, String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            throw MemberChange.refused(409, String.valueOf(e.getMessage()));
        }
        if (asked.isDryRun() || next.equals(current)) {
            show(isText, next, asked.isDryRun(), exchange);
            return;
        }
        epochs.change(
                next,
                Duration.ofSeconds(5),
                result -> exchange.respond(decided(isText, next, result)));
    }

    private void requireDown(Set<String> lost) {
        for (PeerHealth each : node.peers().get()) {
            if (lost.contains(each.member()) && each.standing() == PeerStanding.UP) {
                throw new IllegalArgumentException(
                        "'" + each.member() + "' answers, so it is not lost: remove it.");
            }
        }
    }

    private static void requireEpoch(PageRequest request, Topology current)
            throws RequestRefusedException {
        String match = request.header("if-match");
        if (match.isEmpty() || match.equals("*")) {
            throw MemberChange.refused(
                    428,
                    "If-Match must name the epoch to change, as the ETag of GET /admin/members does.");
        }
        if (!match.equals(tag(current)) || request.request().headers().isRepeated("if-match")) {
            String why =
                    "The cluster is in epoch %s: see GET /admin/members." + MemberChange.NOTHING;
            throw new RequestRefusedException(
                    Problem.of(412, why.formatted(current.epoch()))
                            .header("ETag: " + tag(current))
                            .response());
        }
        if (current.cluster() == null) {
            String why = "This node does not know the cluster's id yet." + MemberChange.NOTHING;
            throw new RequestRefusedException(Problem.busy(why).response());
        }
    }

    private static String tag(Topology topology) {
        return "\"" + topology.epoch() + "\"";
    }

    private HttpResponse decided(boolean isText, Topology asked, Epochs.Result result) {
        return switch (result) {
            case Epochs.Result.Chosen(Topology chosen) -> page(isText, chosen, false);
            case Epochs.Result.Lost(Topology current) -> Problem.response(409, why(asked, current));
            case Epochs.Result.Early(List<String> members) ->
                    Problem.response(
                            409,
                            "The change before is not over: entries of keys that moved are still being"
                                    + " deleted by "
                                    + String.join(", ", members)
                                    + "."
                                    + MemberChange.NOTHING);
            case Epochs.Result.Undecided() ->
                    Problem.of(
                                    503,
                                    "Too few members have answered within 5 s; the change may still be"
                                            + " made: see GET /admin/members.")
                            .header("Retry-After: 5")
                            .response();
        };
    }

    private static String why(Topology asked, Topology current) {
        if (current.epoch() < asked.epoch()) {
            return "Another change to epoch "
                    + asked.epoch()
                    + " is in progress."
                    + MemberChange.NOTHING;
        }
        String difference =
                current.members().stream()
                        .filter(each -> !asked.hasAt(each))
                        .findFirst()
                        .map(each -> each.name() + " is at " + each.url() + " there.")
                        .orElse("Its addresses are the same.");
        return "Another change has won, and the cluster is in epoch %s: %s%s"
                .formatted(current.epoch(), difference, MemberChange.NOTHING);
    }

    private void show(boolean isText, Topology topology, boolean isDryRun, HttpExchange exchange) {
        SharedPage.execute(
                background, exchange, () -> exchange.respond(page(isText, topology, isDryRun)));
    }

    /** The number of copies now and, if it is another one, after the change in progress. */
    private static String copies(Topology topology) {
        int now = topology.replicationFactor();
        int next = topology.nextFactor();
        return ", %d%s %s"
                .formatted(
                        now,
                        next == now ? "" : " and then " + next,
                        now == 1 && next == 1 ? "copy" : "copies");
    }

    private HttpResponse page(boolean isText, Topology topology, boolean isDryRun) {
        Map<String, PeerHealth> peers = Maps.uniqueIndex(node.peers().get(), PeerHealth::member);
        UUID cluster = topology.cluster();
        // ./quorate member and ./quorate up also read the first line and the rows.
        StringBuilder text =
                new StringBuilder("cluster ")
                        .append(cluster == null ? "not known yet" : cluster)
                        .append(", epoch ")
                        .append(topology.epoch())
                        .append(copies(topology))
                        .append(topology.isJoint() && !isDryRun ? ", a change is in progress" : "")
                        .append(isDryRun ? " (proposed; nothing was done)\n" : "\n")
                        .append(
                                ROW.formatted(
                                        "NAME", "ADDRESS", "SINCE", "EPOCH", "PART", "STANDING"));
        JsonWriter json = new JsonWriter(1024).beginObject();
        if (cluster != null) {
            json.field("cluster", cluster.toString());
        }
        json.field("epoch", topology.epoch());
        if (isDryRun) {
            json.field("dryRun", true);
        }
        if (topology.isJoint()) {
            json.field("joint", true);
        }
        List<String> waits = new ArrayList<>();
        json.beginArray("members");
        Set<Member> gainers = node.placement().get().gains().keySet();
        for (Member member : topology.members()) {
            boolean isSelf = node.isSelf(member);
            PeerHealth peer = peers.get(member.name());
            PeerStanding seen = peer == null ? PeerStanding.UNKNOWN : peer.standing();
            String standing = isSelf ? "self" : seen.name().toLowerCase(Locale.ROOT);
            MemberState state = node.membership().stateOf(member.number());
            int epoch = isSelf ? node.topology().epoch() : state == null ? 0 : state.epoch();
            String url = member.url().toString();
            Member.Place place = member.after().place();
            String part = member.part().name().toLowerCase(Locale.ROOT);
            text.append(
                    ROW.formatted(
                            member.name(),
                            url,
                            member.since(),
                            epoch == 0 ? "-" : epoch,
                            part,
                            (standing + " " + place).stripTrailing()));
            json.beginObject().field("name", member.name()).field("url", url);
            json.field("since", member.since()).field("part", part);
            boolean isClean =
                    topology.shrunk() == 0 || (state != null && state.clean() >= topology.shrunk());
            boolean hasProved =
                    state != null && node.membership().provedEpoch(member) == topology.epoch();
            if (epoch > 0) {
                json.field("epoch", epoch).field("clean", isClean);
            }
            if (topology.isJoint() && epoch > 0) {
                json.field("proved", hasProved);
            }
            if (!place.zone().isEmpty()) {
                json.field("zone", place.zone());
            }
            if (place.weightPercent() != 100) {
                json.field("weightPercent", place.weightPercent());
            }
            json.field("standing", standing).endObject();
            if (!isSelf && seen != PeerStanding.UP && member.part() != Member.Part.LOST) {
                waits.add(member.name() + ", which does not answer");
            } else if (isDryRun && !isClean) {
                waits.add(member.name() + ", which still deletes entries of keys that moved");
            } else if (!isDryRun && gainers.contains(member) && !hasProved) {
                waits.add(member.name() + ", which does not have all of its keys yet");
            }
        }
        json.endArray().field("replication", topology.replicationFactor());
        if (topology.isJoint()) {
            json.field("nextReplication", topology.nextFactor()).beginArray("waits");
            for (String each : waits) {
                json.value(each);
                text.append("The change waits for ").append(each).append(".\n");
            }
            json.endArray();
        }
        List<String> headers = new ArrayList<>();
        headers.add("Content-Type: " + (isText ? "text/plain; charset=utf-8" : "application/json"));
        headers.add("Vary: Accept");
        if (!isDryRun) {
            headers.add("ETag: " + tag(topology));
        }
        String body = isText ? text.toString() : json.endObject() + "\n";
        return new HttpResponse(200, headers, body.getBytes(StandardCharsets.UTF_8));
    }
}

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
import dev.quorate.node.membership.Moves;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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

    private static final String MEANWHILE =
            """
            Meanwhile an operation needs its quorum among the old owners of a key and among the new ones,
            so it tolerates only failures that both tolerate. Tombstones are not dropped.
            """;

    private static final String ROW = "%-15s %-32s %-6s %-6s %-6s %s\n";

    /** Adds the page to those of the node. */
    public void addTo(Map<Route, PageHandler> pages) {
        pages.put(Route.MEMBERS, this::answer);
    }

    private void answer(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        if (request.isRead()) {
            boolean isText = isText(request);
            Topology current = node.topology();
            SharedPage.answer(background, exchange, () -> page(isText, current, false));
            return;
        }
        Topology current = requireEpoch(request);
        propose(MemberChange.parse(request.request().body()), current, request, exchange);
    }

    /** Proposes a change of the topology that the request names. */
    void propose(MemberChange asked, Topology current, PageRequest request, HttpExchange exchange) {
        boolean isText = isText(request);
        SharedPage.execute(background, exchange, () -> change(asked, current, isText, exchange));
    }

    private static boolean isText(PageRequest request) {
        return request.preferred("application/json", "text/plain").equals("text/plain");
    }

    private void change(
            MemberChange asked, Topology current, boolean isText, HttpExchange exchange) {
        Topology next;
        try {
            next = asked.of(current);
            requireDown(asked.lost());
            requireRoom(asked, next);
        } catch (IllegalArgumentException e) {
            exchange.respond(MemberChange.refused(422, String.valueOf(e.getMessage())).response());
            return;
        } catch (IllegalStateException e) {
            exchange.respond(MemberChange.refused(409, String.valueOf(e.getMessage())).response());
            return;
        }
        if (asked.isDryRun() || next.equals(current)) {
            exchange.respond(page(isText, next, asked.isDryRun()));
            return;
        }
        epochs.change(
                next,
                Duration.ofSeconds(5),
                result -> exchange.respond(decided(isText, next, result)));
    }

    /** Refuses a change for which a member's disk has too little room. */
    private void requireRoom(MemberChange asked, Topology next) {
        if (asked.ignoresRoom()) {
            return;
        }
        Map<Member, Map<Member, Long>> moves = moves(next);
        for (Member gainer : moves.keySet()) {
            long bytes = Moves.to(gainer, moves);
            MemberState state = node.membership().stateOf(gainer.number());
            long free = state == null ? Long.MAX_VALUE : state.freeBytes();
            free = asked.freeOf(gainer.name(), free);
            if (bytes > free) {
                throw new IllegalArgumentException(
                        "'%s' gets about %s and has room for %s: free disk there, or accept it with 'ignoreRoom', true."
                                .formatted(gainer.name(), mebibytes(bytes), mebibytes(free)));
            }
        }
    }

    /** The bytes that each member gains from the others in a joint topology, estimated. */
    private Map<Member, Map<Member, Long>> moves(Topology next) {
        return Moves.bytes(node.placement().get().in(next), node.membership()::stateOf);
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%,d MiB", Math.ceilDiv(bytes, 1L << 20));
    }

    private void requireDown(Set<String> lost) {
        for (PeerHealth each : node.peers().get()) {
            if (lost.contains(each.member()) && each.standing() == PeerStanding.UP) {
                throw new IllegalArgumentException(
                        "'" + each.member() + "' answers, so it is not lost: remove it.");
            }
        }
    }

    /** The topology in use, if the request names its epoch. */
    Topology requireEpoch(PageRequest request) throws RequestRefusedException {
        Topology current = node.topology();
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
        return current;
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

    /** What the change waits for at a member that gains keys. */
    private static String progress(@Nullable MemberState state) {
        if (state == null || state.toGainBytes() == 0) {
            return ", which does not have all of its keys yet";
        }
        long left = state.toGainBytes() - state.gainedBytes();
        return ", which has %s of about %s of its keys%s"
                .formatted(
                        mebibytes(state.gainedBytes()),
                        mebibytes(state.toGainBytes()),
                        left > state.freeBytes()
                                ? ", and room for only " + mebibytes(state.freeBytes())
                                : "");
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
            if (state != null && state.toGainBytes() > 0) {
                json.field("gainedBytes", state.gainedBytes());
                json.field("toGainBytes", state.toGainBytes());
            }
            json.field("standing", standing).endObject();
            if (!isSelf && seen != PeerStanding.UP && member.part() != Member.Part.LOST) {
                waits.add(member.name() + ", which does not answer");
            } else if (isDryRun && !isClean) {
                waits.add(member.name() + ", which still deletes entries of keys that moved");
            } else if (!isDryRun && gainers.contains(member) && !hasProved) {
                waits.add(member.name() + progress(state));
            }
        }
        json.endArray().field("replication", topology.replicationFactor());
        if (isDryRun && topology.isJoint()) {
            text.append(MEANWHILE);
            json.beginArray("moves");
            moves(topology)
                    .forEach(
                            (gainer, sources) ->
                                    sources.forEach(
                                            (source, bytes) -> {
                                                text.append(
                                                        "About %s move from %s to %s.\n"
                                                                .formatted(
                                                                        mebibytes(bytes),
                                                                        source.name(),
                                                                        gainer.name()));
                                                json.beginObject()
                                                        .field("from", source.name())
                                                        .field("to", gainer.name())
                                                        .field("bytes", bytes)
                                                        .endObject();
                                            }));
            json.endArray();
        }
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
        return new HttpResponse(200, headers, body);
    }
}

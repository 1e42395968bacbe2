package dev.quorate.node.admin;

import com.google.common.base.Suppliers;
import com.google.common.collect.Maps;
import dev.quorate.node.antientropy.AcceptedLoss;
import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.node.membership.Membership;
import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Timestamp;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one node. {@code /livez} is answered at once, and states only that the process
 * responds; the others are made in the background.
 *
 * @param background makes the pages; may reject
 */
public record NodePages(NodeView node, Executor background) {

    private static final HttpResponse LIVE = HttpResponse.text(200, "live\n");

    /**
     * Adds the pages to those of the node.
     *
     * @param requests the metrics of clients' operations
     * @param readiness makes {@code /readyz}, so that it need not wait for other pages; may reject
     */
    public void addTo(Map<Route, PageHandler> pages, RequestMetrics requests, Executor readiness) {
        pages.put(Route.LIVENESS, (_, exchange) -> exchange.respond(LIVE));
        pages.put(
                Route.READINESS,
                new SharedPage(Route.READINESS.path(), () -> readiness(node.checks()), readiness));
        pages.put(Route.METRICS, shared(Route.METRICS, metrics(requests)));
        pages.put(Route.ROOT, shared(Route.ROOT, this::overview));
        pages.put(Route.RING, shared(Route.RING, () -> json(200, ring())));
        pages.put(Route.CAN_STOP, shared(Route.CAN_STOP, this::canStop));
        pages.put(Route.EVENTS, this::events);
        pages.put(Route.WHY, this::why);
        pages.put(Route.LOG_LEVEL, this::logLevel);
        pages.put(
                Route.REPAIR,
                readOrAct(
                        shared(
                                Route.REPAIR,
                                () -> HttpResponse.text(200, repairText(node.repairs().get()))),
                        (_, exchange) -> beginRepair(exchange)));
        pages.put(Route.DRAIN, this::drain);
        pages.put(
                Route.LOSS,
                readOrAct(
                        shared(Route.LOSS, () -> HttpResponse.text(200, lossText())),
                        this::acceptLoss));
    }

    private PageHandler shared(Route route, Supplier<HttpResponse> maker) {
        return new SharedPage(route.path(), maker, background);
    }

    private static PageHandler readOrAct(PageHandler page, PageHandler action) {
        return (request, exchange) -> (request.isRead() ? page : action).answer(request, exchange);
    }

    /** Repeated requests are harmless: without tokens any client may send them. */
    private void beginRepair(HttpExchange exchange) {
        inBackground(
                exchange,
                () -> {
                    var _ = node.beginRepair().getAsLong();
                    return HttpResponse.text(202, repairText(node.repairs().get()));
                });
    }

    /** Repeated requests are harmless. */
    private void drain(PageRequest request, HttpExchange exchange) {
        Drain drain = node.drain();
        inBackground(
                exchange,
                () -> {
                    boolean drains = request.request().method().equals("POST");
                    if (!request.isRead() && drain.isDrained() != drains) {
                        drain.set(drains);
                        node.events()
                                .info(
                                        node.self().name()
                                                + (drains
                                                        ? " is drained"
                                                        : " is no longer drained"));
                    }
                    String reason = drain.reason();
                    return HttpResponse.text(
                            200, reason == null ? "Not drained.\n" : "Drained: " + reason + ".\n");
                });
    }

    private void acceptLoss(PageRequest request, HttpExchange exchange)
            throws RequestRefusedException {
        String name = request.required("accept", "the name of the loss, as a GET here shows it");
        inBackground(
                exchange,
                () ->
                        node.acceptLoss().test(name)
                                ? HttpResponse.text(202, "The healing continues.\n")
                                : Problem.response(
                                        409,
                                        "This is not the loss that waits for acceptance now: read again"
                                                + " what may be lost. Nothing was changed."));
    }

    private void logLevel(PageRequest request, HttpExchange exchange)
            throws RequestRefusedException {
        if (request.isRead()) {
            inBackground(exchange, LogLevels::page);
            return;
        }
        String level = request.required("level", "error, warn, info, debug, trace or inherited");
        String logger = Objects.requireNonNullElse(request.optional("logger"), "root");
        inBackground(exchange, () -> LogLevels.change(logger, level));
    }

    private String lossText() {
        return lossText(node.loss().get(), node.figures().count("damaged_ranges"));
    }

    private void events(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        long since = request.number("since", "the sequence number of an event, in plain digits");
        String type = request.preferred("application/json", "application/x-ndjson");
        List<EventLog.Event> events = node.events().since(since);
        String text =
                type.equals("application/x-ndjson")
                        ? EventsJson.lines(node.self().name(), events)
                        : EventsJson.page(node.self().name(), node.events().last(), events);
        exchange.respond(
                new HttpResponse(200, List.of("Content-Type: " + type, "Vary: Accept"), text));
    }

    private void why(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        byte[] key = request.key();
        boolean isForPeople =
                request.preferred("application/json", "text/plain").equals("text/plain");
        boolean isAsked =
                node.inquire()
                        .test(
                                key,
                                report -> inBackground(exchange, () -> why(report, isForPeople)));
        if (!isAsked) {
            exchange.respond(Problem.busy("Too many such questions are under way.").response());
        }
    }

    private static HttpResponse why(KeyReport report, boolean isForPeople) {
        int status = WhyPage.status(report);
        if (isForPeople) {
            return HttpResponse.text(status, WhyPage.text(report));
        }
        return json(status, WhyJson.text(report));
    }

    private static HttpResponse json(int status, String text) {
        return new HttpResponse(status, List.of("Content-Type: application/json"), text);
    }

    private void inBackground(HttpExchange exchange, Supplier<HttpResponse> answer) {
        SharedPage.answer(background, exchange, answer);
    }

    /** One line with the result, then one for each check. */
    private static HttpResponse readiness(List<ReadinessCheck> checks) {
        boolean ready = checks.stream().allMatch(ReadinessCheck::holds);
        StringBuilder text = new StringBuilder(ready ? "ready\n" : "not ready\n");
        for (ReadinessCheck check : checks) {
            text.append(check.holds() ? "ok     " : "failed ")
                    .append(check.name())
                    .append(": ")
                    .append(check.detail())
                    .append('\n');
        }
        return HttpResponse.text(ready ? 200 : 503, text.toString());
    }

    private HttpResponse canStop() {
        Membership membership = node.membership();
        List<StopRule.Owner> owners = new ArrayList<>();
        Map<String, PeerHealth> peers = Maps.uniqueIndex(node.peers().get(), PeerHealth::member);
        List<Member> coOwners = node.placement().get().coOwners(node.self());
        for (Member other : coOwners) {
            PeerHealth peer = peers.get(other.name());
            owners.add(
                    new StopRule.Owner(
                            other.name(),
                            peer == null ? PeerStanding.UNKNOWN : peer.standing(),
                            peer != null && peer.asked(),
                            membership.others().votes(other.number()),
                            membership.others().stops(other.number())));
        }
        List<String> reasons = StopRule.reasonsToStay(node.topology().replicationFactor(), owners);
        if (!reasons.isEmpty()) {
            return Problem.busy("This node must not stop now. " + String.join(" ", reasons))
                    .with("reasons", reasons)
                    .response();
        }
        List<String> others = coOwners.stream().map(Member::name).toList();
        return HttpResponse.text(
                200,
                "This node can stop. These are up and vote: %s.\n"
                        .formatted(String.join(", ", others)));
    }

    private HttpResponse overview() {
        return new HttpResponse(
                200,
                List.of(
                        "Content-Type: text/plain; charset=utf-8",
                        "X-Content-Type-Options: nosniff",
                        "Vary: Accept"),
                new NodeText(node).render());
    }

    /** The parameters that determine the owners of a key, and the member that answers. */
    private String ring() {
        Topology topology = node.topology();
        JsonWriter json = new JsonWriter(1024).beginObject().field("self", node.self().name());
        UUID cluster = topology.cluster();
        if (cluster != null) {
            json.field("cluster", cluster.toString());
        }
        json.field("epoch", topology.epoch())
                .field("replication", topology.replicationFactor())
                .field("virtualNodes", topology.virtualNodes())
                .beginArray("members");
        for (Member member : topology.members()) {
            json.beginObject()
                    .field("name", member.name())
                    .field("url", member.url().toString())
                    .endObject();
        }
        return json.endArray().endObject() + "\n";
    }

    /**
     * The possible loss if a healing continues, for people and for {@code ./quorate repair
     * --accept-loss}. The first line is {@code loss}, its name and the number of key ranges; or
     * {@code no loss} and the number of damaged ranges.
     *
     * @param loss null if none waits for acceptance
     * @param damagedRanges the number of damaged ranges of the store
     */
    private static String lossText(@Nullable AcceptedLoss loss, long damagedRanges) {
        if (loss == null) {
            return "no loss " + damagedRanges + "\n";
        }
        StringBuilder text = new StringBuilder();
        text.append("loss ").append(loss.name()).append(' ').append(loss.ranges().size());
        text.append("\nThe table ").append(loss.file()).append(" is damaged");
        if (!loss.damagedAlike().isEmpty()) {
            String names = String.join(", ", loss.damagedAlike());
            text.append(", and so is, in some of the same keys: ").append(names);
        }
        text.append("; ").append(loss.why()).append(".\n");
        text.append(
                        "Entries with these keys may be lost that no other member has, acknowledged or not,")
                .append(" none newer than ")
                .append(loss.newest())
                .append(" (")
                .append(Timestamp.time(loss.newest().wallMillis()))
                .append("). Where a deletion is lost, what was deleted may be seen again.\n");
        for (KeyRange range : loss.ranges()) {
            byte @Nullable [] end = range.end();
            text.append("  from ").append(Percent.encode(range.start()));
            text.append(end == null ? " on" : " to before " + Percent.encode(end)).append('\n');
        }
        return text.toString();
    }

    /**
     * The state of repairs, for people and for {@code ./quorate repair}. The first line is {@code
     * round N} and {@code running}, {@code agreed} or {@code not agreed}; each other line begins
     * with a peer's name.
     */
    private static String repairText(Repairs.Status status) {
        StringBuilder text = new StringBuilder();
        String how = status.running() ? "running" : status.agreed() ? "agreed" : "not agreed";
        text.append("round ").append(status.round()).append(' ').append(how).append('\n');
        for (PeerRepairStatus peer : status.peers()) {
            text.append(line(peer)).append('\n');
        }
        return text.toString();
    }

    private static String line(PeerRepairStatus peer) {
        String phase = peer.phase().name().toLowerCase(Locale.ROOT);
        return switch (peer.phase()) {
            case NONE, WAITING -> peer.peer() + " " + phase;
            case RUNNING, AGREED, INCOMPLETE, FAILED ->
                    String.format(
                            Locale.ROOT,
                            "%s %s: %,d compared, %,d differed, %,d sent, %,d fetched, %,d bytes,"
                                    + " %.1f s%s",
                            peer.peer(),
                            phase,
                            peer.compared(),
                            peer.differing(),
                            peer.pushed(),
                            peer.pulled(),
                            peer.bytes(),
                            peer.nanos() / 1e9,
                            peer.detail().isEmpty() ? "" : "; " + peer.detail());
        };
    }

    private Supplier<HttpResponse> metrics(RequestMetrics requests) {
        NodeCollector collector = new NodeCollector(node, requests);
        PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
        // Made at the first scrape: the JVM's metrics load much of the management library, which
        // would add a tenth of a second to each start.
        Supplier<PrometheusRegistry> registry =
                Suppliers.memoize(
                        () -> {
                            PrometheusRegistry made = new PrometheusRegistry();
                            made.register(collector);
                            JvmMetrics.builder().register(made);
                            return made;
                        });
        return () -> {
            ByteArrayOutputStream page = new ByteArrayOutputStream(16_384);
            try {
                writer.write(page, registry.get().scrape());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new HttpResponse(
                    200, List.of("Content-Type: " + writer.getContentType()), page.toByteArray());
        };
    }

    /**
     * Decides whether the cluster still answers with the default replicas while one member is
     * stopped: every other owner of its keys must be up and vote, and they must be a majority of
     * the owners of each key. Pure.
     *
     * <p>If more than three members own each key, a majority would remain even with another owner
     * down. The rule is the same: a member that is down must be started before the next is stopped.
     */
    static final class StopRule {

        /**
         * Another owner of keys of the member, as the member sees it.
         *
         * @param standing its state
         * @param isAsked whether operations are sent to it
         * @param votes whether it has announced that it votes
         * @param isStopping whether it has announced that it is about to stop
         */
        record Owner(
                String name,
                PeerStanding standing,
                boolean isAsked,
                boolean votes,
                boolean isStopping) {}

        private StopRule() {}

        /**
         * The reasons, as sentences, why requests with the default replicas could fail without the
         * member; empty if it may stop.
         *
         * @param copies the number of copies of each key
         * @param others all other owners of the member's keys
         */
        static List<String> reasonsToStay(int copies, List<Owner> others) {
            if (others.isEmpty()) {
                return List.of("No other node owns the keys of this one.");
            }
            List<String> reasons = new ArrayList<>();
            int needed = QuorumSpec.majority(copies).ack();
            if (copies - 1 < needed) {
                reasons.add(
                        "Each key has %d copies, and %d of them are needed."
                                .formatted(copies, needed));
            }
            for (Owner owner : others) {
                String reason = reasonOf(owner);
                if (!reason.isEmpty()) {
                    reasons.add(owner.name() + " " + reason);
                }
            }
            return reasons;
        }

        /** Why this owner cannot stand in; empty if it can. */
        private static String reasonOf(Owner owner) {
            return switch (owner.standing()) {
                case UNKNOWN -> "has not been heard from since this node started.";
                case DOWN -> "is down.";
                case REFUSED -> "and this node refuse each other.";
                case UP -> {
                    if (!owner.isAsked()) {
                        yield "was down a moment ago, and has not answered a probe yet.";
                    } else if (owner.isStopping()) {
                        yield "is stopping.";
                    }
                    yield owner.votes() ? "" : "does not vote.";
                }
            };
        }
    }
}

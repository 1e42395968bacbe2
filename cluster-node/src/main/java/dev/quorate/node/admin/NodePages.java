package dev.quorate.node.admin;

import dev.quorate.node.api.AdminPages;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.JsonWriter;
import dev.quorate.node.http.Problem;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.runtime.EventLog;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages of one node. {@code /livez} is answered at once, and states only that the process
 * responds; the others are made in the background.
 */
public final class NodePages implements AdminPages {

    private static final Logger LOG = LoggerFactory.getLogger(NodePages.class);

    private static final String PLAIN = "Content-Type: text/plain; charset=utf-8";

    private static final String RING = "/v0/ring";
    private static final String REPAIR = "/admin/repair";
    private static final String LOSS = "/admin/loss";
    private static final String CAN_STOP = "/admin/can-stop";

    private static final HttpResponse LIVE =
            new HttpResponse(200, List.of(PLAIN), "live\n".getBytes(StandardCharsets.US_ASCII));

    private final NodeView node;
    private final Executor background;
    private final KnownHosts hosts;
    private final OwnersBeside owners;
    private final Map<String, SharedPage> pages = new HashMap<>();
    private final SharedPage console;
    private final LivePages live;
    private final CheckpointPages checkpoints;
    private final CheckpointFilePages checkpointFiles;

    /**
     * The pages of a node.
     *
     * @param requests the metrics of clients' operations
     * @param readiness makes {@code /readyz}, so that it waits for nothing else; may reject
     * @param background makes the other pages; may reject
     * @param hosts the names of the node
     * @param live its console
     * @param checkpoints its checkpoints
     * @param checkpointFiles the files of its checkpoints
     */
    public NodePages(
            NodeView node,
            RequestMetrics requests,
            Executor readiness,
            Executor background,
            KnownHosts hosts,
            LivePages live,
            CheckpointPages checkpoints,
            CheckpointFilePages checkpointFiles) {
        this.node = node;
        this.background = background;
        this.hosts = hosts;
        this.owners = new OwnersBeside(node);
        this.live = live;
        this.checkpoints = checkpoints;
        this.checkpointFiles = checkpointFiles;
        this.console = new SharedPage(() -> made("/admin/console", live::contents), background);
        MetricsPage metrics = new MetricsPage(new NodeCollector(node, requests));
        pages.put("/readyz", new SharedPage(() -> page("/readyz"), readiness));
        pages.put("/metrics", new SharedPage(() -> made("/metrics", metrics::text), background));
        for (String path : List.of("/", RING, REPAIR, LOSS, CAN_STOP)) {
            pages.put(path, new SharedPage(() -> page(path), background));
        }
    }

    @Override
    public boolean isKnownAs(@Nullable String host, boolean isAdmin) {
        return hosts.contains(host, isAdmin);
    }

    @Override
    public void page(String path, HttpExchange exchange) {
        if (path.equals("/livez")) {
            exchange.respond(LIVE);
            return;
        }
        SharedPage page = pages.get(path);
        if (page == null) {
            exchange.respond(Problem.response(404, "There is no such page."));
        } else {
            page.answer(exchange);
        }
    }

    @Override
    public void act(String path, HttpExchange exchange) {
        inBackground(
                exchange,
                () -> {
                    var _ = node.beginRepair().getAsLong();
                    return text(202, RepairText.of(node.repairs().get()));
                });
    }

    @Override
    public void acceptLoss(String name, HttpExchange exchange) {
        inBackground(
                exchange,
                () ->
                        node.acceptLoss().test(name)
                                ? text(202, "The healing goes on.\n")
                                : Problem.response(
                                        409,
                                        "This is not the loss that waits for acceptance now: read again"
                                                + " what may be lost. Nothing was changed."));
    }

    @Override
    public void checkpoints(HttpExchange exchange) {
        checkpoints.list(exchange);
    }

    @Override
    public void makeCheckpoint(String name, HttpExchange exchange) {
        checkpoints.make(name, exchange);
    }

    @Override
    public void removeCheckpoint(String name, HttpExchange exchange) {
        checkpoints.remove(name, exchange);
    }

    @Override
    public void checkpointFiles(String name, HttpExchange exchange) {
        checkpointFiles.list(name, exchange);
    }

    @Override
    public void checkpointFile(String name, String path, long offset, HttpExchange exchange) {
        checkpointFiles.read(name, path, offset, exchange);
    }

    @Override
    public void logLevels(HttpExchange exchange) {
        inBackground(exchange, LogLevels::page);
    }

    @Override
    public void changeLogLevel(String logger, String level, HttpExchange exchange) {
        inBackground(exchange, () -> LogLevels.change(logger, level));
    }

    private String lossText() {
        return LossText.of(node.loss().get(), node.store().get().damagedRanges());
    }

    @Override
    public void console(String path, HttpExchange exchange) {
        if (path.equals("/")) {
            exchange.respond(live.page());
        } else {
            console.answer(exchange);
        }
    }

    @Override
    public void stream(long since, BooleanSupplier isAllowed, HttpExchange exchange) {
        live.stream(since, isAllowed, exchange);
    }

    @Override
    public void events(long since, boolean isLines, HttpExchange exchange) {
        List<EventLog.Event> events = node.events().since(since);
        String type = isLines ? "application/x-ndjson" : "application/json";
        String text =
                isLines
                        ? EventsJson.lines(node.self().name(), events)
                        : EventsJson.page(node.self().name(), node.events().last(), events);
        exchange.respond(
                new HttpResponse(
                        200,
                        List.of("Content-Type: " + type, "Vary: Accept, Accept-Encoding"),
                        bytes(text)));
    }

    @Override
    public void why(byte[] key, boolean isForPeople, HttpExchange exchange) {
        boolean isAsked =
                node.inquire()
                        .test(
                                key,
                                report -> inBackground(exchange, () -> why(report, isForPeople)));
        if (!isAsked) {
            exchange.respond(
                    Problem.of(503, "Too many such questions are under way.")
                            .header("Retry-After: 1")
                            .response());
        }
    }

    private static HttpResponse why(KeyReport report, boolean isForPeople) {
        int status = WhyPage.status(report);
        if (isForPeople) {
            return text(status, WhyPage.text(report));
        }
        return json(status, WhyJson.text(report));
    }

    private static HttpResponse json(int status, String text) {
        return new HttpResponse(status, List.of("Content-Type: application/json"), bytes(text));
    }

    private void inBackground(HttpExchange exchange, Supplier<HttpResponse> answer) {
        try {
            background.execute(() -> exchange.respond(answer.get()));
        } catch (RejectedExecutionException e) {
            exchange.respond(SharedPage.tooBusy());
        }
    }

    /** The answer to a page that is made in the background. */
    private HttpResponse page(String path) {
        return made(
                path,
                () ->
                        switch (path) {
                            case "/readyz" -> readiness(node.checks());
                            case "/" -> overview();
                            case RING -> json(200, ring());
                            case REPAIR -> text(200, RepairText.of(node.repairs().get()));
                            case LOSS -> text(200, lossText());
                            case CAN_STOP -> canStop(owners.verdict());
                            default -> Problem.response(404, "There is no such page.");
                        });
    }

    private static HttpResponse made(String path, Supplier<HttpResponse> maker) {
        try {
            return maker.get();
        } catch (RuntimeException e) {
            LOG.error("The page {} cannot be made", path, e);
            return Problem.response(500, "The page cannot be made; the log says why.");
        }
    }

    /** One line with the result, then one for each check. */
    private static HttpResponse readiness(List<Check> checks) {
        boolean ready = checks.stream().allMatch(Check::holds);
        StringBuilder text = new StringBuilder(ready ? "ready\n" : "not ready\n");
        for (Check check : checks) {
            text.append(check.holds() ? "ok     " : "failed ")
                    .append(check.name())
                    .append(": ")
                    .append(check.detail())
                    .append('\n');
        }
        return text(ready ? 200 : 503, text.toString());
    }

    private static HttpResponse canStop(StopRule.Verdict verdict) {
        return switch (verdict) {
            case StopRule.MayStop(List<String> others) ->
                    text(
                            200,
                            "This node can stop. These are up and vote: %s.\n"
                                    .formatted(String.join(", ", others)));
            case StopRule.MustStay(List<String> reasons) ->
                    Problem.of(503, "This node must not stop now. " + String.join(" ", reasons))
                            .with("reasons", reasons)
                            .header("Retry-After: 1")
                            .response();
        };
    }

    private static HttpResponse text(int status, String text) {
        return new HttpResponse(status, List.of(PLAIN), bytes(text));
    }

    private HttpResponse overview() {
        return new HttpResponse(
                200,
                List.of(PLAIN, "X-Content-Type-Options: nosniff", "Vary: Accept, Accept-Encoding"),
                bytes(new NodeText(node).render()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** What determines the owners of a key, and which member answers. */
    private String ring() {
        Topology topology = node.ring().topology();
        JsonWriter json =
                new JsonWriter(1024)
                        .beginObject()
                        .field("self", node.self().name())
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
}

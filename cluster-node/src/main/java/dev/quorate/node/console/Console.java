package dev.quorate.node.console;

import com.google.common.hash.Hashing;
import dev.quorate.node.admin.NodeView;
import dev.quorate.node.admin.RequestMetrics;
import dev.quorate.node.admin.SharedPage;
import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.api.page.PageRoutes;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console of one node. */
public final class Console implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Console.class);

    private final NodeView node;
    private final Ticker ticker;
    private final RequestMetrics requests;
    private final List<String> peers;
    private final RateHistory history;
    private final ConsoleStreams streams;

    /** The reading of the last sample. Used by the thread that calls {@link #tick}. */
    private NodeReading before;

    public Console(NodeView node, RequestMetrics requests, Ticker ticker) {
        this.node = node;
        this.ticker = ticker;
        this.requests = requests;
        this.peers =
                node.topology().members().stream()
                        .filter(member -> !member.equals(node.self()))
                        .map(Member::name)
                        .toList();
        this.history = new RateHistory(Sample.names(peers));
        this.streams = new ConsoleStreams(node.self().name(), node.events());
        this.before = reading();
    }

    private NodeReading reading() {
        Runtime runtime = Runtime.getRuntime();
        return new NodeReading(
                ticker.nanos(),
                requests.totals(),
                node.figures().snapshot(),
                node.log().get(),
                node.peers().get(),
                node.hints().get(),
                node.repairs().get(),
                runtime.totalMemory() - runtime.freeMemory());
    }

    /**
     * Takes a sample if it is due, and updates all streams. Called once a second, on one thread,
     * which may block.
     */
    public void tick() {
        try {
            long millis = ticker.wallMillis();
            String sample = null;
            if (ticker.nanos() - before.nanos() >= RateHistory.PERIOD.toNanos() * 9 / 10) {
                NodeReading now = reading();
                float[] values = Sample.between(before, now, peers);
                before = now;
                history.add(millis, values);
                sample = ConsoleJson.sample(millis, values);
            }
            if (!streams.isIdle()) {
                streams.publish(ConsoleJson.state(node, millis), sample);
            }
        } catch (RuntimeException e) {
            LOG.error("The console could not be brought up to date", e);
        }
    }

    /**
     * Adds the console to the pages of the node. A request for {@code /} that accepts HTML gets the
     * console, any other the page that was registered before.
     *
     * @param background makes the initial contents of the console; may reject
     */
    public void addTo(Map<Route, PageHandler> pages, Executor background) {
        PageHandler root = Objects.requireNonNull(pages.get(Route.ROOT));
        pages.put(
                Route.ROOT,
                (request, exchange) -> {
                    if (request.preferred("text/plain", "text/html").equals("text/html")) {
                        exchange.respond(Page.PAGE);
                    } else {
                        root.answer(request, exchange);
                    }
                });
        pages.put(Route.CONSOLE, new SharedPage(Route.CONSOLE.path(), this::contents, background));
        pages.put(Route.CONSOLE_STREAM, this::stream);
    }

    /** The initial contents of the page: the ring, and the samples of the last hour. */
    private HttpResponse contents() {
        return new HttpResponse(
                200,
                List.of("Content-Type: application/json"),
                ConsoleJson.contents(node, history));
    }

    /** A browser that reconnects sends the number of its last event. */
    private void stream(PageRequest request, HttpExchange exchange) throws RequestRefusedException {
        streams.open(
                Math.max(
                        request.number("since", "the sequence number of an event, in plain digits"),
                        request.numberInHeader("last-event-id")),
                request.mayStillRead(),
                exchange);
    }

    /** Ends all streams. */
    @Override
    public void close() {
        streams.close();
    }

    /** Created by the first request. */
    private static final class Page {
        static final HttpResponse PAGE = page();
    }

    /**
     * One HTML page with its style and its script. The Content-Security-Policy allows only these
     * two, by their hashes, and connections to this node only.
     */
    private static HttpResponse page() {
        String style = resource("console.css");
        String script = resource("console.js");
        String html =
                resource("console.html").replace("@style@", style).replace("@script@", script);
        String policy =
                ("Content-Security-Policy: default-src 'none'; script-src %s; style-src %s;"
                                + " connect-src 'self'; img-src data:; base-uri 'none';"
                                + " form-action 'none'; frame-ancestors 'none'")
                        .formatted(source(script), source(style));
        return new HttpResponse(
                200,
                List.of(
                        "Content-Type: text/html; charset=utf-8",
                        policy,
                        "X-Content-Type-Options: nosniff",
                        "Vary: Accept",
                        "Cache-Control: no-cache"),
                html);
    }

    /** The policy source that allows exactly this text. */
    private static String source(String text) {
        byte[] hash = Hashing.sha256().hashString(text, StandardCharsets.UTF_8).asBytes();
        return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
    }

    private static String resource(String name) {
        return new String(PageRoutes.resource(Console.class, name), StandardCharsets.UTF_8);
    }
}

package dev.quorate.node.console;

import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
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
import dev.quorate.router.message.MemberState.Load;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console of one node. */
public final class Console implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Console.class);

    /** Where the jar of uPlot has its files. */
    private static final String UPLOT = "META-INF/resources/webjars/uplot/1.6.30/dist/";

    private final NodeView node;
    private final Ticker ticker;
    private final RequestMetrics requests;

    /** All peers since the start, in the order in which they joined. Used by {@link #tick}. */
    private final List<String> peers = new ArrayList<>();

    private final List<Track> tracks;
    private final ConsoleStreams streams;
    private volatile Load load;

    /** The samples of one period, and the reading at the end of the last one. */
    private static final class Track {

        final RateHistory history;

        /** Used by the thread that calls {@link #tick}. */
        NodeReading before;

        Track(RateHistory history, NodeReading before) {
            this.history = history;
            this.before = before;
        }
    }

    public Console(NodeView node, RequestMetrics requests, Ticker ticker) {
        this.node = node;
        this.ticker = ticker;
        this.requests = requests;
        this.streams = new ConsoleStreams(node.self().name(), node.events());
        NodeReading first = reading();
        this.tracks =
                Stream.of(Duration.ofSeconds(5), Duration.ofMinutes(2))
                        .map(period -> new RateHistory(Sample.names(List.of()), period))
                        .map(history -> new Track(history, first))
                        .toList();
        this.load = Sample.load(node.version(), new float[0]);
        addNewPeers();
    }

    private void addNewPeers() {
        List<String> joined =
                node.topology().members().stream()
                        .filter(member -> !node.isSelf(member))
                        .map(Member::name)
                        .filter(name -> !peers.contains(name))
                        .toList();
        if (peers.addAll(joined)) {
            tracks.forEach(each -> each.history.extend(Sample.names(peers)));
        }
    }

    /** The load of the last five seconds. */
    public Load load() {
        return load;
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
            addNewPeers();
            List<String> samples = new ArrayList<>();
            for (Track each : tracks) {
                Duration period = each.history.period();
                if (ticker.nanos() - each.before.nanos() >= period.toNanos() * 9 / 10) {
                    NodeReading now = reading();
                    float[] values = Sample.between(each.before, now, peers);
                    each.before = now;
                    each.history.add(millis, values);
                    samples.add(ConsoleJson.sample(period, millis, values));
                    if (each == tracks.getFirst()) {
                        load = Sample.load(node.version(), values);
                    }
                }
            }
            if (!streams.isIdle()) {
                streams.publish(ConsoleJson.state(node, millis), samples);
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

    /** The initial contents of the page: the ring, and the samples of the last hour and day. */
    private HttpResponse contents() {
        return new HttpResponse(
                200,
                List.of("Content-Type: application/json"),
                ConsoleJson.contents(node, tracks.stream().map(track -> track.history).toList()));
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
     * One HTML page with its style and its script, which begins with the library that draws the
     * plots. The Content-Security-Policy allows only these two, by their hashes, and connections to
     * this node only.
     */
    private static HttpResponse page() {
        String style = resource("console.css") + library("uPlot.min.css");
        String script =
                library("uPlot.iife.min.js")
                        + Stream.of(
                                        "view.js",
                                        "plots.js",
                                        "cluster.js",
                                        "keys.js",
                                        "actions.js",
                                        "console.js")
                                .map(Console::resource)
                                .collect(Collectors.joining());
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

    private static String library(String name) {
        return new String(
                PageRoutes.resource(Resources.getResource(UPLOT + name)), StandardCharsets.UTF_8);
    }

    private static String resource(String name) {
        return new String(PageRoutes.resource(Console.class, name), StandardCharsets.UTF_8);
    }
}

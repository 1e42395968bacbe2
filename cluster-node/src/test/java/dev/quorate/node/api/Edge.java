package dev.quorate.node.api;

import dev.quorate.node.access.Authentication;
import dev.quorate.node.api.answer.AnswerContext;
import dev.quorate.node.api.answer.ClientObserver;
import dev.quorate.node.api.answer.OperationLog;
import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.request.KnownHosts;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.http.connection.TestListener;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A listener with the client API over an in-memory cluster of three. */
final class Edge implements AutoCloseable {

    final MemoryOperations operations;
    final HttpListener listener;
    volatile boolean draining;

    /** What the observer was told: operation and status. */
    final List<String> observed = new CopyOnWriteArrayList<>();

    private final ExecutorService compressor = Executors.newSingleThreadExecutor();
    private final @Nullable ExecutorService executor;
    private final @Nullable ExecutorScheduler scheduler;

    /** Answers on the selector thread, in real time. */
    static Edge start() throws IOException {
        return new Edge(HttpLimits.defaults(), null, null);
    }

    /** Answers from another thread, as a cluster mostly does. */
    static Edge startAsync() throws IOException {
        return new Edge(HttpLimits.defaults(), null, Executors.newFixedThreadPool(2));
    }

    /** For clients that must have a token. */
    static Edge start(Authentication authentication) throws IOException {
        return new Edge(HttpLimits.defaults(), null, null, authentication, MANY);
    }

    static Edge start(HttpLimits limits) throws IOException {
        return new Edge(limits, null, null);
    }

    /** In time that the test moves. */
    static Edge start(HttpLimits limits, ManualTime time) throws IOException {
        return new Edge(limits, time, null);
    }

    /** For answers whose operations nobody counts. */
    static AnswerContext answers(Ticker ticker) {
        return new AnswerContext((_, _, _, _) -> {}, operationLog(ticker), ticker);
    }

    private static OperationLog operationLog(Ticker ticker) {
        return new OperationLog(Duration.ofMillis(500), ticker, new SplittableRandom(1));
    }

    /** With so many ranges for each address, in time that the test moves. */
    static Edge start(HttpLimits limits, ManualTime time, int rangesPerAddress) throws IOException {
        return new Edge(limits, time, null, Authentication.none(), rangesPerAddress);
    }

    /** For clients that must have a token, in time that the test moves. */
    static Edge start(Authentication authentication, ManualTime time) throws IOException {
        return new Edge(HttpLimits.defaults(), time, null, authentication, MANY);
    }

    private static final int MANY = 1_024;

    /** Ranges that were refused because their address had as many as one may. */
    final AtomicInteger refusedRanges = new AtomicInteger();

    /** Operations that took long or failed, and whether they were logged. */
    final List<String> slow = new CopyOnWriteArrayList<>();

    private final AtomicLong advancedNanos = new AtomicLong();
    private volatile boolean isStanding;

    private Edge(HttpLimits limits, @Nullable ManualTime time, @Nullable ExecutorService executor)
            throws IOException {
        this(limits, time, executor, Authentication.none(), MANY);
    }

    private Edge(
            HttpLimits limits,
            @Nullable ManualTime time,
            @Nullable ExecutorService executor,
            Authentication authentication,
            int rangesPerAddress)
            throws IOException {
        this.executor = executor;
        operations = new MemoryOperations(executor == null ? Runnable::run : executor);
        scheduler = time == null ? new ExecutorScheduler("timer") : null;
        Ticker real = time == null ? SystemTicker.INSTANCE : time;
        Ticker ticker = new AdvancedTicker(real);
        Scheduler timer = time == null ? scheduler : time;
        OperationLog log = operationLog(ticker);
        ClientApi api =
                new ClientApi(
                        operations,
                        new ApiOptions(
                                () -> 3,
                                () -> 3,
                                List.of("https://app.example"),
                                authentication,
                                rangesPerAddress,
                                log,
                                new KnownHosts(
                                        List.of("x", "n1", "quorate.example"), name -> false),
                                "http"),
                        pages(),
                        () -> draining,
                        new ClientObserver() {
                            @Override
                            public void answered(
                                    Operation operation,
                                    int status,
                                    @Nullable QuorumSpec replicas,
                                    long nanos) {
                                observed.add(operation + " " + status);
                            }

                            @Override
                            public void slow(Operation operation, boolean isLogged) {
                                slow.add(operation + " " + isLogged);
                            }

                            @Override
                            public void refusedRange() {
                                refusedRanges.incrementAndGet();
                            }
                        },
                        compressor,
                        ticker);
        listener = TestListener.start(2, limits, api, ticker, timer);
    }

    /** The clock, which a test advances. */
    private final class AdvancedTicker implements Ticker {

        private final Ticker real;

        AdvancedTicker(Ticker real) {
            this.real = real;
        }

        @Override
        public long nanos() {
            return (isStanding ? 0 : real.nanos()) + advancedNanos.get();
        }

        @Override
        public long wallMillis() {
            return real.wallMillis();
        }
    }

    /** From now on only the test advances the clock. */
    void stopClock() {
        advancedNanos.addAndGet(SystemTicker.INSTANCE.nanos());
        isStanding = true;
    }

    void advance(long millis) {
        advancedNanos.addAndGet(millis * 1_000_000);
    }

    /** What follows the path on every page. */
    volatile String restOfPage = "";

    /** Whether the client of the last stream may still read it. */
    volatile BooleanSupplier mayStillRead = () -> false;

    /** Pages that say which they are. */
    private Map<Route, PageHandler> pages() {
        Map<Route, PageHandler> pages = new EnumMap<>(Route.class);
        for (Route route : Route.values()) {
            pages.put(route, (_, exchange) -> page(route.path(), exchange));
        }
        pages.put(
                Route.LOSS,
                (request, exchange) ->
                        page(
                                request.isRead()
                                        ? Route.LOSS.path()
                                        : "without " + request.required("accept", "a loss"),
                                exchange));
        pages.put(
                Route.CONSOLE_STREAM,
                (request, exchange) -> {
                    mayStillRead = request.mayStillRead();
                    page("stream", exchange);
                });
        pages.put(
                Route.WHY,
                (request, exchange) ->
                        page(
                                "why " + new String(request.key(), StandardCharsets.ISO_8859_1),
                                exchange));
        return pages;
    }

    private void page(String text, HttpExchange exchange) {
        exchange.respond(
                new HttpResponse(
                        200,
                        List.of("Content-Type: text/plain"),
                        (text + restOfPage).getBytes(StandardCharsets.US_ASCII)));
    }

    RawClient client() throws IOException {
        return new RawClient(listener.port());
    }

    @Override
    public void close() {
        listener.close();
        compressor.shutdownNow();
        if (executor != null) {
            executor.shutdownNow();
        }
        if (scheduler != null) {
            scheduler.close();
        }
    }
}

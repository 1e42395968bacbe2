package dev.quorate.node.api;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpHead;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.router.runtime.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays requests for entities until this node has found a majority of voting members for the first
 * time, while it founds the cluster or connects (decision 0046). A request that has waited too long
 * is served, and its answer names what is missing. Thread-safe; it calls nothing with its lock
 * held.
 */
public final class FirstSeconds implements HttpHandler {

    private static final Logger LOG = LoggerFactory.getLogger(FirstSeconds.class);

    static final int MAX_WAITING = 1_024;
    static final long MAX_BYTES = 32 << 20;
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final HttpResponse TOO_MANY =
            Problem.busy("Too many requests wait until this node has connected to the others.")
                    .response();

    private record Waiting(HttpRequest request, HttpExchange exchange, long untilNanos) {}

    private final HttpHandler handler;
    private final BooleanSupplier isReady;
    private final Ticker ticker;
    private final long patienceNanos;
    private final Consumer<Runnable> later;
    private volatile boolean isOver;

    // ---- Guarded by this.

    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private long bytes;

    /**
     * @param isReady whether a majority votes, or requests are to be refused
     * @param timeout the timeout of an operation
     * @param later runs a task in some milliseconds, on another thread
     */
    public FirstSeconds(
            HttpHandler handler,
            BooleanSupplier isReady,
            Ticker ticker,
            Duration timeout,
            Consumer<Runnable> later) {
        this.handler = handler;
        this.isReady = isReady;
        this.ticker = ticker;
        this.later = later;
        this.patienceNanos = (timeout.compareTo(PATIENCE) > 0 ? timeout : PATIENCE).toNanos();
    }

    @Override
    public void handle(HttpRequest request, HttpExchange exchange) {
        boolean isOfKeys = request.path().startsWith("/v0/entit");
        if (!isOfKeys || isOver()) {
            handler.handle(request, exchange);
            return;
        }
        switch (add(request, exchange)) {
            case 0 -> exchange.respond(TOO_MANY);
            case 1 -> later.accept(this::check);
            default -> {}
        }
    }

    private boolean isOver() {
        isOver = isOver || isReady.getAsBoolean();
        return isOver;
    }

    @Override
    public @Nullable HttpResponse refusal(HttpHead head) {
        return handler.refusal(head);
    }

    /** Returns the new number of waiting requests, or 0 if this one is too many. */
    private synchronized int add(HttpRequest request, HttpExchange exchange) {
        int more = request.body().length;
        if (waiting.size() == MAX_WAITING || bytes + more > MAX_BYTES) {
            return 0;
        }
        bytes += more;
        HttpRequest kept =
                new HttpRequest(
                        request.method(),
                        request.path(),
                        request.query(),
                        request.headers().copy(),
                        request.body());
        waiting.add(new Waiting(kept, exchange, ticker.nanos() + patienceNanos));
        return waiting.size();
    }

    /** Serves all requests if the node is ready, otherwise those that waited too long. */
    private void check() {
        due(isOver()).forEach(this::serve);
        if (anyWaits()) {
            later.accept(this::check);
        }
    }

    private synchronized boolean anyWaits() {
        return !waiting.isEmpty();
    }

    private void serve(Waiting late) {
        try {
            handler.handle(late.request(), late.exchange());
        } catch (RuntimeException bug) {
            LOG.error("A request that waited failed by a bug", bug);
            late.exchange().respond(Problem.response(500, "The server failed to handle this."));
        }
    }

    private synchronized List<Waiting> due(boolean all) {
        List<Waiting> due = new ArrayList<>();
        Waiting first = waiting.peek();
        while (first != null && (all || ticker.nanos() - first.untilNanos() >= 0)) {
            due.add(waiting.remove());
            bytes -= first.request().body().length;
            first = waiting.peek();
        }
        return due;
    }
}

package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;

/** Starts listeners without TLS, whose budgets are their own. */
public final class TestListener {

    private TestListener() {}

    /** Serves a free port of this machine. */
    public static HttpListener start(
            int selectors,
            HttpLimits limits,
            HttpHandler handler,
            Ticker ticker,
            Scheduler scheduler)
            throws IOException {
        return startAt(0, selectors, limits, handler, ticker, scheduler);
    }

    /** Serves a port of this machine. */
    public static HttpListener startAt(
            int port,
            int selectors,
            HttpLimits limits,
            HttpHandler handler,
            Ticker ticker,
            Scheduler scheduler)
            throws IOException {
        return HttpListener.start(
                new ListeningPort("127.0.0.1", port, selectors, "test", null, () -> true),
                limits,
                handler,
                memory(limits),
                ticker,
                scheduler);
    }

    /** The memory of a listener that shares none. */
    static ByteBudget memory(HttpLimits limits) {
        return new ByteBudget(limits.budgets().bodyBytes() + limits.budgets().answerBytes());
    }
}

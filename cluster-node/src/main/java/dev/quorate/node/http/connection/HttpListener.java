package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.budget.DrainRule;
import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.budget.OpenConnection;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import one.nio.os.NativeLibrary;
import org.jspecify.annotations.Nullable;

/**
 * Serves HTTP/1.1 on a port.
 *
 * <p>Its selector threads read, parse and call the handler; a sweep on the scheduler ends
 * connections that are too slow. The order of stopping is {@link #drain}, {@link #close}.
 */
public final class HttpListener implements AutoCloseable {

    final ListenerContext context;
    private final OneNioServer server;
    private final InetSocketAddress address;
    private final Ticker ticker;
    private final Scheduler.Cancellable sweep;
    private final Scheduler scheduler;

    /** Guarded by this, like the fields that follow. Null before the listener drains. */
    private @Nullable Drain drain;

    private boolean accepting = true;
    private boolean closed;

    private HttpListener(
            ListenerContext context,
            OneNioServer server,
            InetSocketAddress address,
            Ticker ticker,
            Scheduler scheduler) {
        this.context = context;
        this.server = server;
        this.address = address;
        this.ticker = ticker;
        this.scheduler = scheduler;
        sweep = scheduler.every(HttpDeadlines.SWEEP, this::sweep);
    }

    /**
     * Opens a port and serves it.
     *
     * @param memory the budget of which the limits' two budgets are parts
     * @throws IOException if the port cannot be opened; the message names it
     */
    public static HttpListener start(
            ListeningPort wanted,
            HttpLimits limits,
            HttpHandler handler,
            ByteBudget memory,
            Ticker ticker,
            Scheduler scheduler)
            throws IOException {
        ListenerContext context =
                new ListenerContext(wanted, limits, handler, memory, ticker.nanos());
        try {
            OneNioServer server = new OneNioServer(context, wanted);
            InetSocketAddress address = new InetSocketAddress(wanted.host(), server.port());
            return new HttpListener(context, server, address, ticker, scheduler);
        } catch (IOException e) {
            BindException named =
                    new BindException(
                            "cannot listen at %s:%d: %s"
                                    .formatted(
                                            wanted.host(),
                                            wanted.port(),
                                            Objects.requireNonNullElse(
                                                    e.getMessage(), e.toString())));
            named.initCause(e);
            throw named;
        }
    }

    private void sweep() {
        long now = ticker.nanos();
        context.swept(now);
        for (OpenConnection connection : context.connections) {
            connection.sweep(now);
        }
    }

    public InetSocketAddress address() {
        return address;
    }

    public int port() {
        return address.getPort();
    }

    public ListenerStatistics statistics() {
        return context.statistics;
    }

    public int openConnections() {
        return context.connections.size();
    }

    /** Bytes of request bodies in memory now. */
    public long inputBytes() {
        return context.bodies.usedBytes();
    }

    /** Bytes of unfinished heads in memory now. */
    public long headBytes() {
        return context.heads.usedBytes();
    }

    /** Bytes of small answers that wait for their readers now. */
    public long waitingBytes() {
        return context.waitingAnswers.own().usedBytes()
                + context.waitingAnswers.common().usedBytes();
    }

    /** Bytes of large answers and open streams in memory now. */
    public long outputBytes() {
        return context.outputBudget.usedBytes() + context.heldAnswerBytes.get();
    }

    /** The kind of sockets: {@code native epoll} or {@code java nio}. */
    public static String socketImplementation() {
        return NativeLibrary.IS_SUPPORTED ? "native epoll" : "java nio";
    }

    /** Closes the port. Open connections continue. */
    public synchronized void stopAccepting() {
        if (accepting) {
            accepting = false;
            server.stopAccepting();
        }
    }

    /**
     * Begins to drain: each connection closes after its next answer, and the port closes when the
     * connections that are open now have been quiet for a while. The handler is called until then.
     *
     * @return completes when no connection has a request in flight, and each that is still open has
     *     been quiet: see {@link DrainRule}
     */
    public synchronized CompletableFuture<@Nullable Void> drain() {
        if (drain == null) {
            drain = new Drain(context, this::stopAccepting, ticker, scheduler);
        }
        return drain.drained;
    }

    /** Closes the port and every connection, answered or not. */
    @Override
    public void close() {
        close(OpenConnection::close);
    }

    /** Closes like {@link #close}, but with resets, as when a process is killed. */
    public void reset() {
        close(OpenConnection::reset);
    }

    private synchronized void close(Consumer<OpenConnection> ending) {
        if (closed) {
            return;
        }
        closed = true;
        stopAccepting();
        sweep.cancel();
        if (drain != null) {
            drain.ticks.cancel();
        }
        new ArrayList<>(context.connections).forEach(ending);
        server.stop();
        if (context.tls != null) {
            context.tls.close();
        }
    }

    /** The draining of a listener: follows {@link DrainRule}. */
    private static final class Drain {

        private final ListenerContext context;
        private final Ticker ticker;
        private final Runnable stopAccepting;
        private final Set<OpenConnection> known;
        private final DrainRule rule;

        /** Completes when the connections may be closed. */
        private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();

        private final Scheduler.Cancellable ticks;

        Drain(ListenerContext context, Runnable stopAccepting, Ticker ticker, Scheduler scheduler) {
            this.context = context;
            this.ticker = ticker;
            this.stopAccepting = stopAccepting;
            context.draining = true;
            known = new HashSet<>(context.connections);
            rule = new DrainRule(ticker.nanos());
            ticks = scheduler.every(DrainRule.TICK, this::tick);
        }

        private void tick() {
            long now = ticker.nanos();
            context.sweptAtNanos = now; // Connections note their use by this clock.
            List<DrainRule.Connection> connections = new ArrayList<>();
            for (OpenConnection each : context.connections) {
                connections.add(each.drains(!known.contains(each)));
            }
            switch (rule.next(now, connections)) {
                case WAIT -> {}
                case STOP_ACCEPTING -> stopAccepting.run();
                case CLOSE -> drained.complete(null);
            }
        }
    }
}

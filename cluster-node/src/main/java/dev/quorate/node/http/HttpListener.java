package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;
import dev.quorate.node.runtime.Scheduler;
import dev.quorate.node.runtime.Ticker;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import one.nio.os.NativeLibrary;
import org.jspecify.annotations.Nullable;

/**
 * A port on which HTTP/1.1 is answered.
 *
 * <p>Its selector threads read, parse and call the handler; a sweep on the scheduler ends what is
 * too slow. The order of stopping is {@link #stopAccepting}, {@link #drain}, {@link #close}.
 */
public final class HttpListener implements AutoCloseable {

    private static final int PORT_ATTEMPTS = 20;

    private final ListenerContext context;
    private final OneNioServer server;
    private final InetSocketAddress address;
    private final Ticker ticker;
    private final Scheduler.Cancellable sweep;
    private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
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
        sweep = scheduler.every(HttpDeadlines.SWEEP, this::sweep);
    }

    /**
     * Opens the port and answers from now on.
     *
     * @param host the address to listen at; {@code 0.0.0.0} or {@code ::} for all
     * @param port 0 for any free one
     * @param selectors threads that serve connections, at least 1; as many as cores is a good start
     * @param name of those threads, which get a number behind it
     * @throws IOException if the port cannot be had; the message names it
     */
    public static HttpListener start(
            String host,
            int port,
            int selectors,
            String name,
            HttpLimits limits,
            HttpHandler handler,
            Ticker ticker,
            Scheduler scheduler)
            throws IOException {
        ByteBudget own = new ByteBudget(limits.inputBudgetBytes() + limits.outputBudgetBytes());
        return start(host, port, selectors, name, limits, handler, own, ticker, scheduler);
    }

    /**
     * As the other, and with a share in a budget that others have a share in too.
     *
     * @param memory of which the limits' two budgets are parts
     */
    public static HttpListener start(
            String host,
            int port,
            int selectors,
            String name,
            HttpLimits limits,
            HttpHandler handler,
            ByteBudget memory,
            Ticker ticker,
            Scheduler scheduler)
            throws IOException {
        ListenerContext context = new ListenerContext(limits, handler, memory, ticker.nanos());
        int attempts = port == 0 ? PORT_ATTEMPTS : 1;
        while (true) {
            int actual = port == 0 ? freePort(host) : port;
            try {
                OneNioServer server = new OneNioServer(context, host, actual, selectors, name);
                server.start();
                InetSocketAddress address = new InetSocketAddress(host, actual);
                return new HttpListener(context, server, address, ticker, scheduler);
            } catch (IOException e) {
                if (--attempts == 0) {
                    BindException named =
                            new BindException(
                                    "cannot listen at " + host + ":" + actual + ": " + message(e));
                    named.initCause(e);
                    throw named;
                }
            }
        }
    }

    private static String message(IOException e) {
        String message = e.getMessage();
        return message == null ? e.toString() : message;
    }

    /** one-nio does not tell which port it got: one is found first, and then asked for. */
    private static int freePort(String host) throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return probe.getLocalPort();
        }
    }

    private void sweep() {
        long now = ticker.nanos();
        context.swept(now);
        boolean isBusy = false;
        for (OpenConnection connection : context.connections) {
            connection.sweep(now);
            isBusy |= context.draining && !connection.isIdle();
        }
        if (context.draining && !isBusy) {
            drained.complete(null);
        }
    }

    /** Where this listens. */
    public InetSocketAddress address() {
        return address;
    }

    public int port() {
        return address.getPort();
    }

    public ListenerStatistics statistics() {
        return context.statistics;
    }

    /** Connections that are open now. */
    public int openConnections() {
        return context.connections.size();
    }

    /** Bytes of request bodies held now. */
    public long inputBytes() {
        return context.bodies.usedBytes();
    }

    /** Bytes of unfinished heads held now. */
    public long headBytes() {
        return context.heads.usedBytes();
    }

    /** Bytes of small answers that wait for their readers now. */
    public long waitingBytes() {
        return context.waitingAnswers.own.usedBytes() + context.waitingAnswers.common.usedBytes();
    }

    /** Bytes of large answers and open streams held now. */
    public long outputBytes() {
        return context.outputBudget.usedBytes();
    }

    /** Which sockets are in use: {@code native epoll} or {@code java nio}. */
    public static String socketImplementation() {
        return NativeLibrary.IS_SUPPORTED ? "native epoll" : "java nio";
    }

    /** Why those: one clause, for a line of the log. */
    public static String socketReason() {
        if (NativeLibrary.IS_SUPPORTED) {
            return "one-nio's native library is loaded";
        }
        boolean isFor =
                System.getProperty("os.name", "").startsWith("Linux")
                        && System.getProperty("os.arch", "").equals("amd64");
        return isFor
                ? "one-nio's native library did not load"
                : "one-nio's native library is for Linux on x86-64";
    }

    /** Closes the port. Connections that are open go on. */
    public synchronized void stopAccepting() {
        if (accepting) {
            accepting = false;
            try {
                server.stopAccepting();
            } catch (IOException e) {
                throw new IllegalStateException("stopping cannot fail: nothing is opened", e);
            }
        }
    }

    /**
     * Makes every answer from now on the last of its connection.
     *
     * @return completed when no connection has a request in flight or bytes to send
     */
    public CompletableFuture<@Nullable Void> drain() {
        context.draining = true;
        return drained;
    }

    /** Closes the port and every connection, answered or not. */
    @Override
    public void close() {
        close(OpenConnection::close);
    }

    /** As {@link #close}, but clients see an error rather than an end, as of a process's death. */
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
        new ArrayList<>(context.connections).forEach(ending);
        server.stop();
    }
}

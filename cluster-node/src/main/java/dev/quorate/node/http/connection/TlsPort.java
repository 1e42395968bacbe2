package dev.quorate.node.http.connection;

import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.LineLimit;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shared parts of a listener's TLS connections. */
final class TlsPort implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TlsPort.class);

    /** Failures are logged at most once in this time: any client can cause them. */
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);

    private final String name;
    final Supplier<SSLEngine> engines;
    final ByteBudget input;
    final ByteBudget output;
    private final LongSupplier nowNanos;
    private final HandshakeQueue queue = new HandshakeQueue();
    private final ExecutorService pool;
    private final int threads;
    private final ListenerStatistics statistics;
    private final LineLimit lines;

    // Guarded by this.
    private int running;

    /**
     * @param name the listener's name
     * @param engines supplies each connection with an engine in server mode
     * @param input the budget of unfinished records
     * @param output the budget of records that the socket has not taken
     */
    TlsPort(
            String name,
            Supplier<SSLEngine> engines,
            ByteBudget input,
            ByteBudget output,
            ListenerStatistics statistics,
            LongSupplier nowNanos) {
        this.name = name;
        this.engines = engines;
        this.input = input;
        this.output = output;
        this.statistics = statistics;
        this.nowNanos = nowNanos;
        lines = new LineLimit(1, BETWEEN_LINES, nowNanos.getAsLong());
        // Half of the processors: the others serve clients after their handshake.
        threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        pool =
                Executors.newFixedThreadPool(
                        threads, Thread.ofPlatform().name(name + "-tls-", 0).daemon().factory());
    }

    /** Runs a costly step of a handshake when its turn has come. False if too many wait. */
    boolean submit(HandshakeQueue.Step step) {
        if (!queue.add(step)) {
            return false;
        }
        synchronized (this) {
            if (running == threads || pool.isShutdown()) {
                return true;
            }
            running++;
        }
        pool.execute(this::runSteps);
        return true;
    }

    private void runSteps() {
        for (HandshakeQueue.Step step = next(); step != null; step = next()) {
            boolean isLate =
                    nowNanos.getAsLong() - step.sinceNanos() > HandshakeQueue.PATIENCE_NANOS;
            if (isLate) {
                noteDropped();
            }
            try {
                (isLate ? step.drop() : step.work()).run();
            } catch (RuntimeException | Error e) {
                LOG.error("A step of a handshake failed", e); // A bug.
                step.drop().run();
            }
        }
    }

    /** The next step; null if this thread must end, so that a later step starts another. */
    private synchronized HandshakeQueue.@Nullable Step next() {
        HandshakeQueue.Step step = queue.next();
        running -= step == null ? 1 : 0;
        return step;
    }

    void cancel(HandshakeQueue.Step step) {
        if (queue.remove(step)) {
            noteDropped();
        }
    }

    long nowNanos() {
        return nowNanos.getAsLong();
    }

    void noteHandshake(String address, boolean isMember) {
        statistics.handshakes.increment();
        if (isMember) {
            queue.noteMember(address);
        }
    }

    void noteDropped() {
        statistics.droppedHandshakes.increment();
    }

    void noteFailure(String address, Exception why, long nowNanos) {
        statistics.failuresOfTls.increment();
        var _ =
                lines.write(
                        nowNanos,
                        more ->
                                LOG.warn(
                                        "TLS with {} at the port for {} failed: {}{}",
                                        address,
                                        name,
                                        reason(why),
                                        more == 0
                                                ? ""
                                                : " (and "
                                                        + more
                                                        + " more since the last of these lines)"));
    }

    /** The message, with those of the causes: the reason for a bad certificate path is in there. */
    private static String reason(Exception why) {
        StringBuilder reason = new StringBuilder(String.valueOf(why.getMessage()));
        for (Throwable cause = why.getCause(); cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (reason.indexOf(message) < 0) {
                reason.append(": ").append(message);
            }
        }
        return reason.toString();
    }

    @Override
    public void close() {
        pool.shutdown();
    }
}

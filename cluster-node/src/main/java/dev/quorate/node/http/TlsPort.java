package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the TLS connections of a listener share. */
final class TlsPort implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TlsPort.class);

    /** As many handshakes may wait for a thread. More than connections may be in one. */
    private static final int MAX_TASKS = 4_096;

    /** Failures are logged once in this time: anybody can cause them. */
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);

    private final String name;
    private final Supplier<SSLEngine> engines;
    private final ByteBudget input;
    private final ByteBudget output;
    private final ThreadPoolExecutor tasks;
    private final LongAdder handshakes = new LongAdder();
    private final LongAdder failures = new LongAdder();

    // Guarded by this.
    private long quietUntilNanos;
    private long unlogged;

    /**
     * @param name of the listener
     * @param engines in server mode, one for each connection
     * @param input the budget of unfinished records
     * @param output the budget of records that the socket has not taken
     */
    TlsPort(
            String name,
            Supplier<SSLEngine> engines,
            ByteBudget input,
            ByteBudget output,
            long nowNanos) {
        this.name = name;
        this.engines = engines;
        this.input = input;
        this.output = output;
        quietUntilNanos = nowNanos;
        // Half of the processors: the others answer those who are through.
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        tasks =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        1,
                        TimeUnit.MINUTES,
                        new ArrayBlockingQueue<>(MAX_TASKS),
                        Thread.ofPlatform().name(name + "-tls-", 0).daemon().factory());
        tasks.allowCoreThreadTimeOut(true);
    }

    SSLEngine newEngine() {
        return engines.get();
    }

    /** Runs the costly steps of handshakes. */
    Executor tasks() {
        return tasks;
    }

    ByteBudget input() {
        return input;
    }

    ByteBudget output() {
        return output;
    }

    void noteHandshake() {
        handshakes.increment();
    }

    long handshakes() {
        return handshakes.sum();
    }

    long failures() {
        return failures.sum();
    }

    void noteFailure(String address, Exception why, long nowNanos) {
        failures.increment();
        long more;
        synchronized (this) {
            if (nowNanos - quietUntilNanos < 0) {
                unlogged++;
                return;
            }
            quietUntilNanos = nowNanos + BETWEEN_LINES.toNanos();
            more = unlogged;
            unlogged = 0;
        }
        LOG.warn(
                "TLS with {} at the port for {} failed: {}{}",
                address,
                name,
                reason(why),
                more == 0 ? "" : " (and " + more + " more since the last of these lines)");
    }

    /** The message, and that of what caused it: the path of a certificate says why in there. */
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
        tasks.shutdown();
    }
}

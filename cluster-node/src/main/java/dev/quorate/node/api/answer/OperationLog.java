package dev.quorate.node.api.answer;

import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.LineLimit;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.token.Token;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs slow and failed operations with their explanation. A line has the key's token, not the key,
 * so that logs do not copy data. It contains no text from clients. Thread-safe.
 */
public final class OperationLog {

    /** Name of the logger for operations, including those that a replica logs. */
    public static final String NAME = "operations";

    public static final int LINES_PER_SECOND = 10;

    private static final Logger LOG = LoggerFactory.getLogger(NAME);

    private final long slowNanos;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final LineLimit limit;

    /**
     * @param slow the duration from which an operation is logged; 0 disables, also for failures
     * @param random creates trace ids
     */
    public OperationLog(Duration slow, Ticker ticker, RandomGenerator random) {
        this.slowNanos = slow.toNanos();
        this.ticker = ticker;
        this.random = random;
        this.limit = new LineLimit(LINES_PER_SECOND, Duration.ofSeconds(1), ticker.nanos());
    }

    /**
     * An operation to log.
     *
     * @param status the status of its answer
     * @param key null for a range
     * @param explanation null if no replica was asked, or its operation has none
     * @param nanos from the complete request to the answer
     */
    public record Line(
            Operation operation,
            int status,
            QuorumSpec replicas,
            byte @Nullable [] key,
            int bodyBytes,
            @Nullable TraceParent trace,
            @Nullable Explanation explanation,
            long nanos) {}

    /** Whether an outcome is logged regardless of its duration. */
    public static boolean isFailure(Outcome outcome) {
        return outcome instanceof Outcome.QuorumFailed || outcome instanceof Outcome.Undecided;
    }

    /** The explanation of an outcome: a failure has its own. */
    public static @Nullable Explanation explanation(Outcome outcome, @Nullable Explanation given) {
        return outcome instanceof Outcome.QuorumFailed failed ? failed.explanation() : given;
    }

    /** Whether an operation of this duration is logged. */
    public boolean isSlow(long nanos) {
        return nanos >= slowNanos && slowNanos > 0;
    }

    /** A trace for a request whose client sent none. */
    public TraceParent newTrace() {
        return TraceParent.make(random);
    }

    /** Whether an operation of this duration, or a failed one, is logged. */
    public boolean isLogged(long nanos, boolean isFailure) {
        return isSlow(nanos) || (isFailure && slowNanos > 0);
    }

    /** Writes the line unless there were too many; returns whether it did. */
    public boolean write(Line line) {
        return limit.write(ticker.nanos(), omitted -> write(line, omitted));
    }

    private void write(Line line, long omitted) {
        TraceParent trace = line.trace();
        Explanation explanation = line.explanation();
        LoggingEventBuilder event =
                LOG.atWarn()
                        .addKeyValue("op", ClientObserver.word(line.operation()))
                        .addKeyValue("status", line.status())
                        .addKeyValue("millis", Math.round(line.nanos() / 1e6))
                        .addKeyValue("replicas", line.replicas());
        byte[] key = line.key();
        if (key != null) {
            event = event.addKeyValue("token", Token.ofKey(key));
            event = event.addKeyValue("bytes", line.bodyBytes());
        }
        if (trace != null) {
            event = event.addKeyValue("trace", trace.id());
        }
        if (omitted > 0) {
            event = event.addKeyValue("omitted", omitted);
        }
        if (explanation != null) {
            event = event.addKeyValue("explanation", Explaining.line(explanation));
        }
        event.log(isSlow(line.nanos()) ? "An operation took long" : "An operation failed");
    }
}

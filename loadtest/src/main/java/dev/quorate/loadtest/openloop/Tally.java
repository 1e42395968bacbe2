package dev.quorate.loadtest.openloop;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * What one thread counts. It belongs to that thread, and to others when the thread has ended; the
 * latencies can be taken at any time. Times are in nanoseconds from the start of the load.
 */
final class Tally {

    /** As long as wrk and wrk2 wait before they complain. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long NANOS_PER_MICRO = 1_000;
    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;
    private static final int STATUSES = 1_000;
    private static final int FIRST_ERROR = 400;

    private final long countFromNanos;
    private final SingleWriterRecorder micros = new SingleWriterRecorder(1, MAX_MICROS, DIGITS);
    private final long[] answers = new long[STATUSES];
    private long lastAnswerNanos;
    private long socketErrors;
    private long strangeBodies;
    private @Nullable String problem;

    /** Counts from that time on; before it, only wrong bodies. */
    Tally(long countFromNanos) {
        this.countFromNanos = countFromNanos;
        this.lastAnswerNanos = countFromNanos;
    }

    /**
     * An answer has come.
     *
     * @param latencyNanos since it was due
     * @param waitedNanos since it was asked for
     */
    void answered(int status, long latencyNanos, long waitedNanos, long nowNanos) {
        if (nowNanos < countFromNanos) {
            return;
        }
        lastAnswerNanos = nowNanos;
        answers[status]++;
        micros.recordValue(Math.clamp(latencyNanos / NANOS_PER_MICRO, 0, MAX_MICROS));
        if (waitedNanos > PATIENCE_NANOS) {
            socketErrors++;
        }
    }

    /** An answer had a wrong body. */
    void recordWrongBody() {
        strangeBodies++;
    }

    /** A connection failed, or is still waited for. */
    void failed(long nowNanos) {
        if (nowNanos >= countFromNanos) {
            socketErrors++;
        }
    }

    /** What came was no answer. */
    void noAnswer(String what) {
        if (problem == null) {
            problem = what;
        }
    }

    /** How long the answers took, in microseconds. Can be taken from by another thread. */
    SingleWriterRecorder micros() {
        return micros;
    }

    /** When the last answer came that counted. */
    long lastAnswerNanos() {
        return lastAnswerNanos;
    }

    long socketErrors() {
        return socketErrors;
    }

    long wrongBodies() {
        return strangeBodies;
    }

    /** The first thing that came and was no answer; null if all were. */
    @Nullable String problem() {
        return problem;
    }

    /** Answers by status. */
    Map<Integer, Long> answers() {
        return IntStream.range(0, STATUSES)
                .filter(status -> answers[status] > 0)
                .boxed()
                .collect(Collectors.toMap(status -> status, status -> answers[status]));
    }

    /** Answers with a status above 399. */
    long statusErrors() {
        return Arrays.stream(answers, FIRST_ERROR, STATUSES).sum();
    }
}

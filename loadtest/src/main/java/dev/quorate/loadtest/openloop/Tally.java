package dev.quorate.loadtest.openloop;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one thread. Other threads may read them after its end, and the latencies at any
 * time. Times are in nanoseconds from the start of the load.
 */
final class Tally {

    /** The timeout of wrk and wrk2. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long NANOS_PER_MICRO = 1_000;
    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;
    private static final int STATUSES = 1_000;

    private final long countFromNanos;
    private final SingleWriterRecorder micros = new SingleWriterRecorder(1, MAX_MICROS, DIGITS);
    private final long[] answers = new long[STATUSES];
    private long lastAnswerNanos;
    private long socketErrors;
    private long strangeBodies;
    private @Nullable String problem;

    /** Counts from a time on; before it, counts only wrong bodies. */
    Tally(long countFromNanos) {
        this.countFromNanos = countFromNanos;
        this.lastAnswerNanos = countFromNanos;
    }

    /**
     * Counts an answer.
     *
     * @param latencyNanos the time since the request was due
     * @param waitedNanos the time since the request was sent
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

    void recordWrongBody() {
        strangeBodies++;
    }

    /** Counts a connection that failed or did not answer. */
    void failed(long nowNanos) {
        if (nowNanos >= countFromNanos) {
            socketErrors++;
        }
    }

    void noAnswer(String what) {
        if (problem == null) {
            problem = what;
        }
    }

    /** Latencies in microseconds. Another thread may read them at any time. */
    SingleWriterRecorder micros() {
        return micros;
    }

    long lastAnswerNanos() {
        return lastAnswerNanos;
    }

    long socketErrors() {
        return socketErrors;
    }

    long wrongBodies() {
        return strangeBodies;
    }

    /** The first invalid answer; null if all were valid. */
    @Nullable String problem() {
        return problem;
    }

    Map<Integer, Long> answers() {
        return IntStream.range(0, STATUSES)
                .filter(status -> answers[status] > 0)
                .boxed()
                .collect(Collectors.toMap(status -> status, status -> answers[status]));
    }

    /** Answers with a status above 399. */
    long statusErrors() {
        return Arrays.stream(answers, 400, STATUSES).sum();
    }
}

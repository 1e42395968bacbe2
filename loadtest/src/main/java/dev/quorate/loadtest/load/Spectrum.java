package dev.quorate.loadtest.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.HdrHistogram.Histogram;

/**
 * The latency distribution of answers.
 *
 * @param micros in microseconds; not changed any more
 */
public record Spectrum(Histogram micros) {

    private static final double MICROS_PER_MILLI = 1_000;

    /** The same as wrk2: points between a share and the middle of the rest. */
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    public long count() {
        return micros.getTotalCount();
    }

    /** The latency of the slowest answer; 0 without answers. */
    public double maxMillis() {
        return micros.getMaxValue() / MICROS_PER_MILLI;
    }

    /** The maximum latency of this share of the answers, in ms; 0 without answers. */
    public double millis(double share) {
        return micros.getValueAtPercentile(100 * share) / MICROS_PER_MILLI;
    }

    /** The distribution in milliseconds, in the text form of HdrHistogram ({@code .hgrm}). */
    public String table() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        micros.outputPercentileDistribution(
                new PrintStream(text, true, UTF_8), TICKS_PER_HALF_DISTANCE, MICROS_PER_MILLI);
        return text.toString(UTF_8);
    }
}

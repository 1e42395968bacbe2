package dev.quorate.loadtest.report.publish;

import java.io.ByteArrayOutputStream;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Histograms of one run, second by second, as HdrHistogram's tools read them. */
final class HistogramLog {

    private static final double MILLIS_PER_SECOND = 1_000;
    private static final double MICROS_PER_MILLI = 1_000;

    private HistogramLog() {}

    /**
     * Writes into memory: HdrHistogram's writer hides from its caller that a disk is full.
     *
     * @param seconds of microseconds, at least one
     */
    static byte[] write(List<Histogram> seconds) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter log = new HistogramLogWriter(bytes);
        long begin = seconds.getFirst().getStartTimeStamp();
        log.outputComment("[Values are microseconds; the maximum of an interval is milliseconds]");
        log.outputLogFormatVersion();
        log.outputStartTime(begin);
        log.outputBaseTime(begin);
        log.outputLegend();
        for (Histogram second : seconds) {
            log.outputIntervalHistogram(
                    (second.getStartTimeStamp() - begin) / MILLIS_PER_SECOND,
                    (second.getEndTimeStamp() - begin) / MILLIS_PER_SECOND,
                    second,
                    MICROS_PER_MILLI);
        }
        log.close();
        return bytes.toByteArray();
    }
}

package dev.quorate.loadtest.openloop;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Latencies in microseconds: of each second by itself, and of all together. */
final class Seconds {

    private static final int DIGITS = 3;

    private final List<Histogram> seconds = new ArrayList<>();
    private final Histogram total = new Histogram(DIGITS);

    /**
     * Takes what the threads have counted in another second.
     *
     * @param fromMillis when it began, since the epoch
     * @param toMillis when it ended
     */
    void take(List<Tally> tallies, long fromMillis, long toMillis) {
        // It grows as it needs to: of a run of many minutes there are many.
        Histogram second = new Histogram(DIGITS);
        for (Tally tally : tallies) {
            second.add(tally.micros().getIntervalHistogram());
        }
        second.setStartTimeStamp(fromMillis);
        second.setEndTimeStamp(toMillis);
        seconds.add(second);
        total.add(second);
    }

    List<Histogram> overTime() {
        return seconds;
    }

    Histogram total() {
        return total;
    }
}

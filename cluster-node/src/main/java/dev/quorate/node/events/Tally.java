package dev.quorate.node.events;

/**
 * How much a counter has grown, reported once a minute at most: a thousand refused requests are one
 * event. The first growth after a quiet minute is reported at once.
 */
final class Tally {

    private static final long REPORT_MILLIS = 60_000;

    private final long least;
    private long reported;
    private long reportedAtMillis;

    /**
     * @param least smaller growth is not reported yet
     */
    Tally(long least) {
        this.least = least;
    }

    /** What is to be reported now; 0 for nothing. */
    long next(long counter, long millis) {
        long grown = counter - reported;
        boolean isDue = reportedAtMillis == 0 || millis - reportedAtMillis >= REPORT_MILLIS;
        if (grown < least || !isDue) {
            return 0;
        }
        reported = counter;
        reportedAtMillis = millis;
        return grown;
    }
}

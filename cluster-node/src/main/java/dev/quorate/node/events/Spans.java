package dev.quorate.node.events;

import java.util.Locale;

/** Durations and numbers in the texts of events. */
final class Spans {

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private Spans() {}

    /** Such as {@code 0.3 s}, {@code 8 s}, {@code 2 min 5 s}, {@code 3 h 0 min}. */
    static String of(long millis) {
        long span = Math.max(millis, 0);
        if (span < 2 * SECOND) {
            return String.format(Locale.ROOT, "%.1f s", span / (double) SECOND);
        }
        if (span < MINUTE) {
            return span / SECOND + " s";
        }
        if (span < HOUR) {
            return span / MINUTE + " min " + span % MINUTE / SECOND + " s";
        }
        if (span < DAY) {
            return span / HOUR + " h " + span % HOUR / MINUTE + " min";
        }
        return span / DAY + " d " + span % DAY / HOUR + " h";
    }

    /** Such as {@code 1,204 writes} or {@code 1 write}. */
    static String count(long number, String one, String many) {
        return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : many);
    }
}

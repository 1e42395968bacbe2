package dev.quorate.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Checks of durations. */
final class Times {

    private static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(3_650);

    private Times() {}

    static void requireTimeToLive(Duration time) {
        boolean isWhole = time.equals(time.truncatedTo(ChronoUnit.SECONDS));
        if (!isWhole || time.toSeconds() < 1 || time.compareTo(MAX_TIME_TO_LIVE) > 0) {
            throw new IllegalArgumentException(
                    "A time to live is 1 to 315,360,000 whole seconds, not " + time + ".");
        }
    }

    static void requirePositive(String name, @Nullable Duration time) {
        if (time != null && (time.isNegative() || time.isZero())) {
            throw new IllegalArgumentException(
                    "'" + name + "' must be more than no time, but is " + time + ".");
        }
    }
}

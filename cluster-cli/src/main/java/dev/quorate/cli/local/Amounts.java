package dev.quorate.cli.local;

import java.util.List;
import java.util.Locale;

/** Amounts for people to read. */
public final class Amounts {

    private static final List<String> SIZES = List.of("B", "KiB", "MiB", "GiB", "TiB");
    private static final double KIBI = 1_024;

    private static final long MINUTE = 60;
    private static final long HOUR = 3_600;
    private static final long DAY = 86_400;

    private Amounts() {}

    /** Bytes in the largest unit of which there is at least one. */
    public static String bytes(double bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= KIBI && unit < SIZES.size() - 1) {
            value /= KIBI;
            unit++;
        }
        return String.format(
                Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, SIZES.get(unit));
    }

    /** A time in the largest unit of which there are at least two. */
    public static String time(double seconds) {
        long whole = Math.round(seconds);
        return whole < 2 * MINUTE
                ? whole + " s"
                : whole < 2 * HOUR
                        ? whole / MINUTE + " min"
                        : whole < 2 * DAY ? whole / HOUR + " h" : whole / DAY + " d";
    }
}

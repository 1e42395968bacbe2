package dev.quorate.testkit.history;

import dev.quorate.testkit.history.Operation.Moment;
import java.util.Locale;

/** Formats keys, values and times on one line. */
final class HistoryText {

    private HistoryText() {}

    /** The text in double quotes, with escapes that Java, JSON and EDN share. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c >= ' ' && c <= '~') {
                quoted.append(c);
            } else {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return quoted.append('"').toString();
    }

    /** The same as {@link #quoted} without the quotes. */
    static String plain(String text) {
        String quoted = quoted(text);
        return quoted.substring(1, quoted.length() - 1);
    }

    /** {@code " (version …)"}, or an empty text for an empty version. */
    static String version(String version) {
        return version.isEmpty() ? "" : " (version " + plain(version) + ")";
    }

    /** Milliseconds with six decimal places, that is with nanoseconds. */
    static String millis(Moment moment) {
        if (moment.equals(Moment.NEVER)) {
            return "never";
        }
        return String.format(
                Locale.ROOT,
                "%d.%06d ms",
                Math.floorDiv(moment.nanos(), 1_000_000L),
                Math.floorMod(moment.nanos(), 1_000_000L));
    }

    /** {@code "1 key"}, {@code "2 keys"}. */
    static String count(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}

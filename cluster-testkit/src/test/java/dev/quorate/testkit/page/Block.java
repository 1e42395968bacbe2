package dev.quorate.testkit.page;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fenced block.
 *
 * @param heading of the section that it is in; empty before the first
 * @param line of its first fence, from 1
 * @param language empty if it has none
 * @param text without the indentation of its fence
 * @param output what it prints: the {@code text} block directly after it
 * @param note the comment in the line before it
 */
public record Block(
        String heading,
        int line,
        String language,
        String text,
        Optional<String> output,
        Note note) {

    /** Differs from one run to the next: three dots, versions, times, durations. */
    private static final Pattern VARIES =
            Pattern.compile(
                    "(?<any>\\.\\.\\.)|(?<version>[0-9a-f]{16}-[0-9a-f]{8})"
                            + "|(?<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z)"
                            + "|(?<millis>(?<==)[0-9]+\\.[0-9]{3}(?=[;\\n]))");

    /** Whether it has commands of a shell. */
    public boolean hasCommands() {
        return language.equals("bash");
    }

    /** Whether a runner of its page is to run it. */
    public boolean isRun() {
        return hasCommands() && !(note instanceof Note.NotRun) && !(note instanceof Note.RunBy);
    }

    /**
     * Matches what the page says that a block prints, and nothing else. {@code ...} is anything
     * within a line; versions, times and durations may be others.
     */
    public static Pattern expected(String output) {
        StringBuilder pattern = new StringBuilder();
        Matcher varies = VARIES.matcher(output);
        int from = 0;
        while (varies.find()) {
            pattern.append(Pattern.quote(output.substring(from, varies.start())));
            if (varies.group("any") != null) {
                pattern.append(".*");
            } else if (varies.group("version") != null) {
                pattern.append("[0-9a-f]{16}-[0-9a-f]{8}");
            } else if (varies.group("time") != null) {
                pattern.append("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z");
            } else {
                pattern.append("[0-9]+\\.[0-9]{3}");
            }
            from = varies.end();
        }
        return Pattern.compile(pattern.append(Pattern.quote(output.substring(from))).toString());
    }
}

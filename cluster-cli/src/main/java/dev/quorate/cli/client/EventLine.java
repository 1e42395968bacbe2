package dev.quorate.cli.client;

import dev.quorate.cli.local.PrintableWriter;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of {@code /admin/events}.
 *
 * @param json the line, without control characters: a terminal would obey them
 * @param time as ISO 8601, so that the order of texts is that of times
 * @param text what has happened, without them too
 */
record EventLine(
        String json, String node, long sequence, String time, String severity, String text) {

    private static final String STRING = "\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"";
    private static final Pattern LINE =
            Pattern.compile(
                    "\\{\"node\":"
                            + STRING
                            + ",\"sequence\":([0-9]{1,18}),\"time\":\"([0-9TZ:.+-]{1,40})\","
                            + "\"kind\":\"[a-z-]{1,40}\",\"severity\":\"([a-z]{1,20})\","
                            + "(?:\"peer\":"
                            + STRING
                            + ",)?\"text\":"
                            + STRING
                            + "\\}");
    private static final int TEXT = 6;

    /** Parses a line. */
    static EventLine parse(String json) throws IOException {
        Matcher line = LINE.matcher(json);
        if (!line.matches()) {
            throw new IOException("a line of its answer is no event");
        }
        return new EventLine(
                PrintableWriter.printable(json),
                unquoted(line.group(1)),
                Long.parseLong(line.group(2)),
                line.group(3),
                line.group(4),
                unquoted(line.group(TEXT)));
    }

    private static String unquoted(String text) {
        return PrintableWriter.printable(text.replace("\\\"", "\"").replace("\\\\", "\\"));
    }

    /** For people. */
    String plain() {
        return "%s  %s  %-7s  %s".formatted(time, node, severity, text);
    }
}

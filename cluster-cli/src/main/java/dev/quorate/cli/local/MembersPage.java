package dev.quorate.cli.local;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The page {@code /admin/members} of a node, as text: the members, and the change in progress.
 *
 * @param node the node that has answered
 */
public record MembersPage(Node node, String text) {

    private static final String PATH = "/admin/members";
    private static final Pattern EPOCH = Pattern.compile("cluster .*, epoch ([0-9]{1,9})\\b");
    private static final Pattern ROW =
            Pattern.compile(
                    "(?m)^(\\S+) +\\S+ +[0-9]+ +\\S+ +(stays|joins|leaves|lost) +(\\S+)(.*)$");
    private static final Pattern DETAIL =
            Pattern.compile("\"detail\":\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"");

    public static Node.Answer ask(Node node, int timeoutMillis) throws IOException {
        return node.ask("GET", PATH, "text/plain", timeoutMillis);
    }

    /** The epoch; -1 if the text names none. */
    public int epoch() {
        Matcher epoch = EPOCH.matcher(text);
        return epoch.lookingAt() ? Integer.parseInt(epoch.group(1)) : -1;
    }

    /** Each member's part in the change of members: stays, joins, leaves or lost. */
    public Map<String, String> parts() {
        Map<String, String> parts = new LinkedHashMap<>();
        ROW.matcher(text).results().forEach(row -> parts.put(row.group(1), row.group(2)));
        return parts;
    }

    /** Each member's zone and weight, as printed; empty for the usual ones. */
    public Map<String, String> places() {
        Map<String, String> places = new LinkedHashMap<>();
        ROW.matcher(text).results().forEach(row -> places.put(row.group(1), row.group(4)));
        return places;
    }

    /** Whether a change of members is in progress. */
    public boolean isJoint() {
        return text.lines().limit(1).anyMatch(line -> line.contains("a change is in progress"));
    }

    /** Whether the node that has answered is one of the leaving members. */
    public boolean isOfLeaving() {
        return ROW.matcher(text)
                .results()
                .anyMatch(row -> row.group(2).equals("leaves") && row.group(3).equals("self"));
    }

    /** What the change in progress waits for, in sentences; empty if for nothing. */
    public String waits() {
        return text.lines()
                .filter(line -> line.startsWith("The change "))
                .collect(Collectors.joining(" "));
    }

    /**
     * Sends a change of this epoch.
     *
     * @param change JSON without the outer braces
     * @throws IOException if the answer is not complete in time; the change may be made
     */
    public Node.Answer change(String change, int timeoutMillis) throws IOException {
        return node.change(PATH, "\"" + epoch() + "\"", "{" + change + "}", timeoutMillis);
    }

    /** The JSON of a member. */
    public static String member(String name, String url) {
        return "{\"name\":\"%s\",\"url\":\"%s\"}".formatted(name, url);
    }

    /** Describes an answer other than a page in one sentence. */
    public static String said(Node node, Node.Answer answer) {
        Matcher detail = DETAIL.matcher(answer.text());
        return node.url()
                + " answers "
                + (detail.find()
                        ? answer.statusLine() + ": " + detail.group(1).replace("\\\"", "\"")
                        : answer.problem());
    }
}

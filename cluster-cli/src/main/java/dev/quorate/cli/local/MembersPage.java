package dev.quorate.cli.local;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /admin/members} of a node, as text: the members, and the change in progress.
 *
 * @param node the node that has answered
 */
public record MembersPage(Node node, String text) {

    private static final long POLL_NANOS = 1_000_000_000;
    public static final String PATH = "/admin/members";
    private static final Pattern EPOCH = Pattern.compile("cluster .*, epoch ([0-9]{1,9})\\b");
    private static final Pattern GAINED = Pattern.compile("which has ([0-9,]+) MiB of about");
    private static final Pattern TO_GAIN = Pattern.compile("MiB of about ([0-9,]+) MiB");
    private static final Pattern COPIES = Pattern.compile("cluster .*, ([0-9]{1,2}) cop");
    private static final Pattern ROW =
            Pattern.compile(
                    "(?m)^(\\S+) +\\S+ +[0-9]+ +\\S+ +(stays|joins|leaves|lost) +\\S+(.*)$");

    /** The row of a member that leaves, in its own answer. */
    private static final Pattern LEAVING =
            Pattern.compile("(?m)^\\S+ +\\S+ +[0-9]+ +\\S+ +leaves +self");

    public static Node.Answer ask(Node node, int timeoutMillis) throws IOException {
        return node.ask("GET", PATH, "text/plain", timeoutMillis);
    }

    /**
     * The page of the latest epoch. A leaving member does not count, because it does not use a
     * topology without it.
     *
     * @param enough no further node is asked after a page of this epoch or a later one
     * @throws LocalFailure if no node answers with a page
     */
    static MembersPage latest(List<Node> nodes, int enough, int timeoutMillis) throws LocalFailure {
        MembersPage latest = null;
        String why = "";
        for (Node node : nodes) {
            try {
                Node.Answer answer = ask(node, timeoutMillis);
                MembersPage page = new MembersPage(node, answer.text());
                if (answer.status() != 200) {
                    why = said(node, answer);
                } else if (!LEAVING.matcher(page.text()).find()
                        && (latest == null || page.epoch() > latest.epoch())) {
                    latest = page;
                }
            } catch (IOException e) {
                why = node.url() + " cannot be asked: " + Node.reason(e);
            }
            if (latest != null && latest.epoch() >= enough) {
                return latest;
            }
        }
        if (latest == null) {
            throw new LocalFailure(why);
        }
        return latest;
    }

    /** The epoch; -1 if the text names none. */
    public int epoch() {
        Matcher epoch = EPOCH.matcher(text);
        return epoch.lookingAt() ? Integer.parseInt(epoch.group(1)) : -1;
    }

    /**
     * Whether these members have joined or left; if none are given, whether no change is in
     * progress.
     */
    public boolean isAfter(Set<String> joining, Set<String> leaving) {
        if (joining.isEmpty() && leaving.isEmpty()) {
            return !isJoint();
        }
        Map<String, String> parts = parts();
        return joining.stream().noneMatch(each -> isOutside(parts.get(each)))
                && leaving.stream().allMatch(each -> isOutside(parts.get(each)));
    }

    /** Whether a member, with this part, is none yet or any more. */
    private static boolean isOutside(@Nullable String part) {
        return part == null || part.equals("joins");
    }

    /**
     * Waits until the change that has begun in this page is complete or cancelled.
     *
     * @param nodes the nodes to ask
     * @param out receives what the change waits for
     * @return the first page in which it has ended; in progress only if interrupted
     */
    public MembersPage end(
            Set<String> joining,
            Set<String> leaving,
            List<Node> nodes,
            int timeoutMillis,
            PrintWriter out) {
        MembersPage now = this;
        String shown = "";
        int polls = 0;
        long begunMebibytes = now.mebibytes(GAINED);
        while (now.isJoint() && !now.isAfter(joining, leaving)) {
            String waits = now.waits() + now.pace(begunMebibytes, polls);
            if (!shown.equals(waits)) {
                shown = waits;
                out.println(PrintableWriter.printable(shown));
            }
            out.flush();
            polls++;
            if (!Commands.sleepNanos(POLL_NANOS)) {
                return now;
            }
            try {
                MembersPage latest = latest(nodes, now.epoch(), timeoutMillis);
                now = latest.epoch() < now.epoch() ? now : latest;
            } catch (LocalFailure e) {
                // No node answers: they are asked again.
            }
        }
        return now;
    }

    /** The sum of numbers of mebibytes in what the change waits for. */
    private long mebibytes(Pattern number) {
        return number.matcher(text)
                .results()
                .mapToLong(each -> Long.parseLong(each.group(1).replace(",", "")))
                .sum();
    }

    /** The rate since the beginning, and the time that is left; empty if nothing has moved yet. */
    private String pace(long begunMebibytes, int seconds) {
        long gained = mebibytes(GAINED);
        double rate = (gained - begunMebibytes) / (double) Math.max(seconds, 1);
        long left = Math.max(mebibytes(TO_GAIN) - gained, 0);
        return rate <= 0
                ? ""
                : " %.0f MiB/s; about %.0f s left.".formatted(Math.ceil(rate), left / rate);
    }

    /** The replication factor; empty if the text has none. */
    public String copies() {
        Matcher copies = COPIES.matcher(text);
        return copies.lookingAt() ? copies.group(1) : "";
    }

    /** Each member's part in the change of members: stays, joins, leaves or lost. */
    public Map<String, String> parts() {
        return column(2);
    }

    /** Each member's zone and weight, as printed; empty for the usual ones. */
    public Map<String, String> places() {
        return column(3);
    }

    private Map<String, String> column(int group) {
        Map<String, String> column = new LinkedHashMap<>();
        ROW.matcher(text).results().forEach(row -> column.put(row.group(1), row.group(group)));
        return column;
    }

    /** Whether a change of members is in progress. */
    public boolean isJoint() {
        return text.lines().limit(1).anyMatch(line -> line.contains("a change is in progress"));
    }

    /** What the change in progress waits for, in sentences; empty if for nothing. */
    private String waits() {
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
        String said =
                answer.detail()
                        .map(
                                detail ->
                                        answer.statusLine()
                                                + ": "
                                                + detail
                                                + Node.advice(answer.status()))
                        .orElse(answer.problem());
        return node.url() + " answers " + said;
    }
}

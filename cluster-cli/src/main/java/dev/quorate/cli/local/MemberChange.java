package dev.quorate.cli.local;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A change of members that has begun.
 *
 * @param nodes the nodes to ask
 * @param joining the names of members that join
 * @param leaving the names of members that leave
 * @param out receives what the change waits for
 */
public record MemberChange(
        List<Node> nodes, Set<String> joining, Set<String> leaving, PrintWriter out) {

    private static final long POLL_NANOS = 1_000_000_000;

    /**
     * Whether all members that join have joined, and no member that leaves remains; if there are
     * none, whether no change is in progress.
     */
    public boolean isCompleteIn(MembersPage page) {
        Map<String, String> parts = page.parts();
        if (joining.isEmpty() && leaving.isEmpty()) {
            return !page.isJoint();
        }
        return joining.stream().noneMatch(each -> parts.getOrDefault(each, "joins").equals("joins"))
                && leaving.stream()
                        .allMatch(each -> parts.getOrDefault(each, "joins").equals("joins"));
    }

    /**
     * Waits until the change is complete or cancelled.
     *
     * @param begun the page in which it has begun
     * @return the first page in which it has ended; in progress only if interrupted
     */
    public MembersPage end(MembersPage begun, int timeoutMillis) {
        MembersPage now = begun;
        String shown = "";
        while (now.isJoint() && !isCompleteIn(now)) {
            if (!shown.equals(now.waits())) {
                shown = now.waits();
                out.println(PrintableWriter.printable(shown));
            }
            out.flush();
            if (!Commands.sleepNanos(POLL_NANOS)) {
                return now;
            }
            now = latest(now, timeoutMillis);
        }
        return now;
    }

    /**
     * The page of a node that is not in an earlier epoch. A leaving member is not asked, because it
     * does not use a topology without it. If no node answers, the page is the last one.
     */
    private MembersPage latest(MembersPage last, int timeoutMillis) {
        for (Node node : nodes) {
            try {
                Node.Answer answer = MembersPage.ask(node, timeoutMillis);
                MembersPage page = new MembersPage(node, answer.text());
                if (answer.status() == 200 && page.epoch() >= last.epoch() && !page.isOfLeaving()) {
                    return page;
                }
            } catch (IOException e) {
                // The next node is asked.
            }
        }
        return last;
    }
}

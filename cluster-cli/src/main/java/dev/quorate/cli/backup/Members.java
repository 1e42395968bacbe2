package dev.quorate.cli.backup;

import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.RingPage;
import dev.quorate.cli.local.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The members of a cluster, and those of them that a command can reach.
 *
 * @param reached by their names
 * @param missing the names of all others
 */
record Members(SortedMap<String, Node> reached, List<String> missing) {

    /**
     * Asks each node who it is, and who else there is.
     *
     * @throws CommandFailure if they are of different clusters, or one does not answer and is not
     *     among those that may be missing
     */
    static Members of(List<Node> nodes, Set<String> mayBeMissing, int timeoutMillis)
            throws CommandFailure {
        SortedMap<String, Node> reached = new TreeMap<>();
        Set<String> all = new TreeSet<>();
        List<String> problems = new ArrayList<>();
        for (Node node : nodes) {
            try {
                Node.Answer answer = node.ask("GET", "/v0/ring", timeoutMillis);
                RingPage ring = answer.status() == 200 ? RingPage.parse(answer.text()) : null;
                if (ring == null) {
                    problems.add(node.url() + " answers " + answer.problem());
                    continue;
                }
                reached.putIfAbsent(ring.self(), node);
                Set<String> members = new TreeSet<>(ring.members());
                if (!all.isEmpty() && !all.equals(members)) {
                    throw CommandFailure.usage(
                            node.url()
                                    + " is of another cluster than the one before: its members are "
                                    + String.join(", ", members)
                                    + ".");
                }
                all.addAll(members);
            } catch (IOException e) {
                problems.add(node.url() + " cannot be asked: " + Node.reason(e) + ".");
            }
        }
        List<String> missing = all.stream().filter(name -> !reached.containsKey(name)).toList();
        if (reached.isEmpty() || !mayBeMissing.containsAll(missing)) {
            if (!all.isEmpty()) {
                problems.add(
                        "No URL leads to "
                                + String.join(", ", missing)
                                + ". Start it, name each member's URL with --url, or continue"
                                + " without it by --without NAME.");
            }
            throw CommandFailure.unavailable(String.join(System.lineSeparator(), problems));
        }
        return new Members(reached, missing);
    }
}

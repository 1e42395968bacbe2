package dev.quorate.cli.local;

import java.io.PrintWriter;
import java.util.List;

/**
 * Repairs nodes one after the other, so that later nodes get the writes that the first nodes have
 * collected. Prints the progress.
 */
record RepairRun(NodeAccess access, PrintWriter out) {

    private static final long POLL_MILLIS = 250;

    /** Number of polls for each line of progress. */
    private static final int POLLS_PER_LINE = 8;

    /** The state of a node's repairs: see {@code admin.NodePages}. */
    private record RepairState(long round, String state, List<String> peers) {

        static RepairState of(String node, String text) throws LocalFailure {
            List<String> lines = text.lines().toList();
            String[] words = lines.isEmpty() ? new String[0] : lines.getFirst().split(" ", 3);
            if (words.length < 3 || !words[0].equals("round") || !words[1].matches("[0-9]{1,18}")) {
                throw new LocalFailure(node + " does not report its repair: " + text.strip());
            }
            return new RepairState(
                    Long.parseLong(words[1]), words[2], lines.subList(1, lines.size()));
        }
    }

    void run(List<String> nodes) throws LocalFailure, InterruptedException {
        int agreed = 0;
        for (String node : nodes) {
            agreed += repair(node) ? 1 : 0;
        }
        if (agreed < nodes.size()) {
            throw new LocalFailure("Not all replicas are known to agree.");
        }
        out.println("All replicas agree.");
        out.flush();
    }

    private boolean repair(String node) throws LocalFailure, InterruptedException {
        RepairState begun = ask("POST", node);
        RepairState now = begun;
        for (int polls = 1;
                now.round() == begun.round() && now.state().equals("running");
                polls++) {
            if (polls % POLLS_PER_LINE == 0) {
                now.peers().stream()
                        .filter(line -> line.contains(" running: "))
                        .forEach(line -> print(node, line));
            }
            NodeProcesses.pause(POLL_MILLIS);
            now = ask("GET", node);
        }
        now.peers().forEach(line -> print(node, line));
        return now.state().equals("agreed");
    }

    private void print(String node, String line) {
        out.println(node + " with " + PrintableWriter.printable(line));
        out.flush();
    }

    private RepairState ask(String method, String node) throws LocalFailure {
        Node.Answer answer = Node.ask(access, method, node, "/admin/repair");
        if (answer.status() / 100 != 2) {
            throw new LocalFailure(node + " answers " + answer.statusLine() + ".");
        }
        return RepairState.of(node, answer.text());
    }
}

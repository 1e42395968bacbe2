package dev.quorate.cli.client;

import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Asks every node for the same. */
final class EachNode {

    private EachNode() {}

    /**
     * Sends each node the same request, one after the other, and prints the lines of their answers.
     *
     * @param expected statuses of success
     * @param patientSeconds how long a node may take, unless the user says otherwise
     */
    static ExitCode ask(
            Invocation run,
            String method,
            String target,
            List<Integer> expected,
            int patientSeconds)
            throws IOException, CommandFailure {
        List<Node> nodes = run.members();
        int timeoutMillis = run.timeoutMillis(patientSeconds);
        List<Node> done = new ArrayList<>();
        for (Node node : nodes) {
            try {
                Node.Answer answer = node.ask(method, target, timeoutMillis);
                if (expected.contains(answer.status())) {
                    answer.text().lines().forEach(line -> print(run, node, line));
                    done.add(node);
                } else {
                    run.err().println(node.url() + " answers " + answer.problem());
                }
            } catch (IOException e) {
                run.err().println(node.url() + " cannot be asked: " + Node.reason(e) + ".");
            }
        }
        if (done.size() == nodes.size()) {
            return ExitCode.DONE;
        }
        return done.isEmpty() ? ExitCode.UNAVAILABLE : ExitCode.NOT_THERE;
    }

    private static void print(Invocation run, Node node, String line) {
        run.out().println(node.url() + "  " + PrintableWriter.printable(line));
        run.out().flush();
    }
}

package dev.quorate.cli.local;

import java.io.PrintWriter;
import java.util.List;

/** Prints what the whole cluster stores of a key, as one node reports it. */
final class WhyRun {

    /** No member stores anything of the key. */
    static final int NOT_FOUND = 1;

    /**
     * No node could be reached, or not all members have answered and none of those stores anything.
     */
    static final int NO_ANSWER = 2;

    private WhyRun() {}

    /**
     * Asks the first of these nodes that answers.
     *
     * @param encodedKey the key, percent-encoded
     * @throws LocalFailure with the exit code, if there is nothing
     */
    static void run(NodeAccess access, PrintWriter out, List<String> nodes, String encodedKey)
            throws LocalFailure {
        Node.Answer answer = ask(access, nodes, "/admin/why?id=" + encodedKey);
        if (List.of(200, 404, 504).contains(answer.status())) {
            out.print(PrintableWriter.printable(answer.text()));
            out.flush();
        }
        switch (answer.status()) {
            case 200 -> {}
            case 404 -> throw new LocalFailure("No member holds anything of this key.", NOT_FOUND);
            case 504 ->
                    throw new LocalFailure(
                            "None of those that answered holds anything of this key.", NO_ANSWER);
            default -> throw new LocalFailure("The node answers " + answer.problem(), NO_ANSWER);
        }
    }

    private static Node.Answer ask(NodeAccess access, List<String> nodes, String target)
            throws LocalFailure {
        StringBuilder why = new StringBuilder();
        for (String node : nodes) {
            try {
                return Node.ask(access, "GET", node, target);
            } catch (LocalFailure e) {
                why.append(why.isEmpty() ? "" : " ").append(e.getMessage());
            }
        }
        throw new LocalFailure(why.toString(), NO_ANSWER);
    }
}

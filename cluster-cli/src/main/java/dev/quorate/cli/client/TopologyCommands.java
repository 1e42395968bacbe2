package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** The commands {@code member list} and {@code member set}: the topology, and its change. */
final class TopologyCommands {

    private static final String PATH = "/admin/members";
    private static final String TO = "--to";
    private static final String DRY_RUN = "--dry-run";

    private static final String EXITS =
            "Exit codes: 0 done; 2 invalid arguments; 3 no node could do it, and nothing was changed;"
                    + " 4 refused, and nothing was changed; 5 it may be changed now or later.";

    private static final Pattern EPOCH = Pattern.compile("cluster .*, epoch ([0-9]{1,10})\\b");
    private static final Pattern DETAIL =
            Pattern.compile("\"detail\":\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"");

    private TopologyCommands() {}

    static void addTo(CommandLine commandLine, ClientCommands commands) {
        commandLine.addSubcommand(
                Commands.group(
                        "member",
                        "Shows the members of the cluster, and moves one.",
                        commands.command(
                                "list",
                                "Prints the cluster and its epoch, and of each member the name, the address,"
                                        + " the epoch in which it joined, the epoch that it uses, and whether"
                                        + " the node that answers reaches it.",
                                EXITS,
                                run -> print(run, page(run).answer())),
                        commands.command(
                                "set",
                                "Changes the address of a member: all members use it from then on.",
                                EXITS,
                                TopologyCommands::set,
                                Commands.parameter("NAME", "The member's name."),
                                Commands.requiredOption(
                                        TO,
                                        "ADDRESS",
                                        "Its new address, such as http://10.0.0.9:8080."),
                                flag(
                                        DRY_RUN,
                                        "Prints what would be proposed, and changes nothing."))));
    }

    private record Page(Node node, Node.Answer answer) {}

    /** The page of the first node that answers. */
    private static Page page(Invocation run) throws IOException, CommandFailure {
        for (Node node : run.nodes()) {
            try {
                Node.Answer answer = node.ask("GET", PATH, "text/plain", run.timeoutMillis());
                if (answer.status() == 200) {
                    return new Page(node, answer);
                }
                if (answer.status() < 500) {
                    throw new CommandFailure(ExitCode.REFUSED, said(node, answer));
                }
                run.err().println(said(node, answer));
            } catch (IOException e) {
                run.err().println(node.url() + " cannot be asked: " + Node.reason(e) + ".");
            }
        }
        throw CommandFailure.unavailable("No node could be asked.");
    }

    private static ExitCode set(Invocation run) throws IOException, CommandFailure {
        String name = String.valueOf(run.positional(0));
        if (!name.matches(RingPage.NAME)) {
            throw CommandFailure.usage("NAME is the name of a member, such as n2.");
        }
        String to = String.valueOf(run.option(TO));
        Page before = page(run);
        var _ = Invocation.valid(() -> Node.parse(to, before.node().access()));
        Matcher epoch = EPOCH.matcher(before.answer().text());
        if (!epoch.lookingAt()) {
            throw CommandFailure.unavailable(
                    "The answer of " + before.node().url() + " names no epoch.");
        }
        String json =
                "{\"set\":[{\"name\":\"%s\",\"url\":\"%s\"}],\"dryRun\":%s}"
                        .formatted(name, to, run.has(DRY_RUN));
        Node.Answer answer;
        try {
            String match = "\"" + epoch.group(1) + "\"";
            answer = before.node().change(PATH, match, json, run.timeoutMillis());
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.UNKNOWN,
                    "%s did not answer: %s. The address may be changed now or later: ./quorate member list"
                            .formatted(before.node().url(), Node.reason(e)));
        }
        if (answer.status() == 200) {
            return print(run, answer);
        }
        boolean isUndone = answer.text().contains("Nothing was ");
        throw new CommandFailure(
                answer.status() < 500 || answer.status() == 501
                        ? ExitCode.REFUSED
                        : isUndone ? ExitCode.UNAVAILABLE : ExitCode.UNKNOWN,
                said(before.node(), answer));
    }

    private static ExitCode print(Invocation run, Node.Answer answer) {
        PrintableWriter.printable(answer.text()).lines().forEach(run.out()::println);
        return ExitCode.DONE;
    }

    private static String said(Node node, Node.Answer answer) {
        Matcher detail = DETAIL.matcher(answer.text());
        return node.url()
                + " answers "
                + (detail.find()
                        ? answer.statusLine() + ": " + detail.group(1).replace("\\\"", "\"")
                        : answer.problem());
    }
}

package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.MemberChange;
import dev.quorate.cli.local.MembersPage;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The commands {@code member}: the members of the cluster, and their change. A change of members is
 * complete in its second epoch, which the cluster chooses once every member has the keys that it
 * gains.
 */
final class TopologyCommands {

    private static final String TO = "--to";
    private static final String DRY_RUN = "--dry-run";
    private static final String NO_WAIT = "--no-wait";

    private static final String EXITS =
            "Exit codes: 0 done; 2 invalid arguments; 3 no node could do it, and nothing was changed;"
                    + " 4 refused or cancelled, and nothing was changed; 5 it may be changed now or"
                    + " later.";

    private TopologyCommands() {}

    static void addTo(CommandLine commandLine, ClientCommands commands) {
        commandLine.addSubcommand(
                Commands.group(
                        "member",
                        "Shows the members of the cluster, and changes them.",
                        commands.command(
                                        "list",
                                        "Prints the cluster and its epoch, and of each member the name,"
                                                + " the address, the epoch in which it joined, the epoch"
                                                + " that it uses, its part in a change, and whether the"
                                                + " node that answers reaches it. Prints what a change in"
                                                + " progress waits for.",
                                        EXITS,
                                        run -> print(run, page(run).text()))
                                .aliases("status"),
                        commands.command(
                                "add",
                                "Adds members, which run already with empty directories. Waits until they"
                                        + " have all of their keys.",
                                EXITS,
                                TopologyCommands::add,
                                Commands.parameters(
                                        "NAME=URL",
                                        "A new member, such as n4=http://10.0.0.4:8080."),
                                noWait(),
                                dryRun()),
                        commands.command(
                                "remove",
                                "Removes members. Waits until the others have all of their keys; then the"
                                        + " removed nodes can be stopped.",
                                EXITS,
                                TopologyCommands::remove,
                                Commands.parameters("NAME", "A member, such as n2."),
                                noWait(),
                                dryRun()),
                        commands.command(
                                "cancel",
                                "Cancels the change in progress: the members are those before it.",
                                EXITS,
                                TopologyCommands::cancel,
                                dryRun()),
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
                                dryRun())));
    }

    private static OptionSpec dryRun() {
        return flag(DRY_RUN, "Prints what would be proposed, and changes nothing.");
    }

    private static OptionSpec noWait() {
        return flag(NO_WAIT, "Returns when the change has begun.");
    }

    /** The page of the first node that answers. */
    private static MembersPage page(Invocation run) throws IOException, CommandFailure {
        for (Node node : run.nodes()) {
            try {
                Node.Answer answer = MembersPage.ask(node, run.timeoutMillis());
                if (answer.status() == 200) {
                    return new MembersPage(node, answer.text());
                }
                if (answer.status() < 500) {
                    throw new CommandFailure(ExitCode.REFUSED, MembersPage.said(node, answer));
                }
                run.err().println(MembersPage.said(node, answer));
            } catch (IOException e) {
                run.err().println(node.url() + " cannot be asked: " + Node.reason(e) + ".");
            }
        }
        throw CommandFailure.unavailable("No node could be asked.");
    }

    private static String name(String typed) throws CommandFailure {
        if (!typed.matches(RingPage.NAME)) {
            throw CommandFailure.usage("NAME is the name of a member, such as n2.");
        }
        return typed;
    }

    private static ExitCode set(Invocation run) throws IOException, CommandFailure {
        String name = name(String.valueOf(run.positional(0)));
        String to = String.valueOf(run.option(TO));
        MembersPage before = page(run);
        var _ = Invocation.valid(() -> Node.parse(to, before.node().access()));
        return print(
                run, change(run, before, "\"set\":[" + MembersPage.member(name, to) + "]").text());
    }

    private static ExitCode add(Invocation run) throws IOException, CommandFailure {
        MembersPage before = page(run);
        Set<String> names = new LinkedHashSet<>();
        List<String> members = new ArrayList<>();
        for (String each : run.positionals()) {
            String[] words = each.split("=", 2);
            if (words.length < 2 || !names.add(name(words[0]))) {
                throw CommandFailure.usage(
                        "A new member is given once, such as n4=http://10.0.0.4:8080.");
            }
            requireAnswer(run, words[0], words[1], before.node());
            members.add(MembersPage.member(words[0], words[1]));
        }
        String json = "\"add\":[" + String.join(",", members) + "]";
        return begin(run, before, json, names, Set.of());
    }

    /** Refuses a new member that does not run: the change would wait for it. */
    private static void requireAnswer(Invocation run, String name, String url, Node asked)
            throws CommandFailure {
        Node joiner = Invocation.valid(() -> asked.peer(url));
        String why;
        try {
            Node.Answer answer = joiner.ask("GET", "/livez", run.timeoutMillis());
            if (answer.status() == 200) {
                return;
            }
            why = answer.statusLine();
        } catch (IOException e) {
            why = Node.reason(e);
        }
        throw new CommandFailure(
                ExitCode.REFUSED,
                "%s does not answer at %s: start it first (%s). Nothing was changed."
                        .formatted(name, joiner.url(), why));
    }

    private static ExitCode remove(Invocation run) throws IOException, CommandFailure {
        Set<String> names = new LinkedHashSet<>();
        for (String each : run.positionals()) {
            names.add(name(each));
        }
        String json = "\"remove\":[\"" + String.join("\",\"", names) + "\"]";
        return begin(run, page(run), json, Set.of(), names);
    }

    private static ExitCode cancel(Invocation run) throws IOException, CommandFailure {
        MembersPage before = page(run);
        if (!before.isJoint()) {
            throw new CommandFailure(
                    ExitCode.REFUSED, "No change of members is in progress. Nothing was changed.");
        }
        return print(run, change(run, before, "\"cancel\":true").text());
    }

    /** Begins a change of members, and waits for its end unless the user does not. */
    private static ExitCode begin(
            Invocation run,
            MembersPage before,
            String json,
            Set<String> joining,
            Set<String> leaving)
            throws IOException, CommandFailure {
        if (joining.isEmpty() && leaving.isEmpty()) {
            throw CommandFailure.usage("Name a member.");
        }
        List<Node> nodes = run.members();
        MembersPage begun = change(run, before, json);
        if (run.has(DRY_RUN)) {
            return print(run, begun.text());
        }
        run.err()
                .println(
                        "The change goes on without this command; ./quorate member cancel ends it.");
        if (run.has(NO_WAIT)) {
            return print(run, begun.text());
        }
        MemberChange change = new MemberChange(nodes, joining, leaving, run.err());
        MembersPage end = change.end(begun, run.timeoutMillis());
        if (!change.isCompleteIn(end)) {
            throw new CommandFailure(
                    ExitCode.REFUSED,
                    "The change was cancelled: epoch %d has the members %s."
                            .formatted(end.epoch(), String.join(", ", end.parts().keySet())));
        }
        return print(run, end.text());
    }

    /** Sends a change, or what would be proposed, and returns the page of the next epoch. */
    private static MembersPage change(Invocation run, MembersPage before, String json)
            throws CommandFailure {
        Node node = before.node();
        if (before.epoch() < 0) {
            throw CommandFailure.unavailable("The answer of " + node.url() + " names no epoch.");
        }
        Node.Answer answer;
        try {
            String whole = json + ",\"dryRun\":" + run.has(DRY_RUN);
            answer = before.change(whole, run.timeoutMillis());
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.UNKNOWN,
                    "%s did not answer: %s. The members may be changed now or later: ./quorate member list"
                            .formatted(node.url(), Node.reason(e)));
        }
        if (answer.status() == 200) {
            return new MembersPage(node, answer.text());
        }
        boolean isUndone = answer.text().contains("Nothing was ");
        throw new CommandFailure(
                answer.status() < 500 || answer.status() == 501
                        ? ExitCode.REFUSED
                        : isUndone ? ExitCode.UNAVAILABLE : ExitCode.UNKNOWN,
                MembersPage.said(node, answer));
    }

    private static ExitCode print(Invocation run, String page) {
        PrintableWriter.printable(page).lines().forEach(run.out()::println);
        return ExitCode.DONE;
    }
}

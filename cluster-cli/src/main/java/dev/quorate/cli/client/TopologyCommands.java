package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.MembersPage;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
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
    private static final String LOST = "--lost";
    private static final String ACCEPT_LOSS = "--accept-loss";
    private static final String IGNORE_ROOM = "--ignore-room";
    private static final String BY = "--by";

    /** How long to wait while the change before is not over. */
    private static final long EARLY_NANOS = 500_000_000;

    private static final String ZONE = "--zone";
    private static final String WEIGHT = "--weight";
    private static final String REPLICATION = "--replication";

    private static final String EXITS =
            "Exit codes: 0 done; 2 invalid arguments; 3 no node could do it, and nothing was changed;"
                    + " 4 refused or cancelled, and nothing was changed; 5 it may be changed now or"
                    + " later.";

    private TopologyCommands() {}

    static void addTo(CommandLine commandLine, ClientCommands commands, Ticker ticker) {
        commandLine.addSubcommand(
                Commands.group(
                        "member",
                        "Shows the members of the cluster, changes and restarts them.",
                        RestartCommand.spec(commands, ticker),
                        commands.command(
                                        "list",
                                        "Prints the cluster and its epoch, and of each member the name,"
                                                + " the address, the epoch in which it joined, the epoch"
                                                + " that it uses, its part in a change, and whether the"
                                                + " node that answers reaches it. Prints what a change in"
                                                + " progress waits for.",
                                        EXITS,
                                        TopologyCommands::list)
                                .aliases("status"),
                        commands.command(
                                "add",
                                "Adds members, which run already with empty directories. Waits until they"
                                        + " have all of their keys.",
                                EXITS,
                                run -> begin(run, run.positionals(), List.of()),
                                changing(
                                        Commands.parameters(
                                                "NAME=URL",
                                                "A new member, such as n4=http://10.0.0.4:8080."))),
                        commands.command(
                                "remove",
                                "Removes members. Waits until the others have all of their keys; then the"
                                        + " removed nodes can be stopped.",
                                EXITS,
                                run -> begin(run, List.of(), run.positionals()),
                                losing(Commands.parameters("NAME", "A member, such as n2."))),
                        commands.command(
                                "replace",
                                "Replaces a member by another, which runs already with an empty directory,"
                                        + " in one change.",
                                EXITS,
                                run ->
                                        begin(
                                                run,
                                                List.of(String.valueOf(run.option(BY))),
                                                List.of(String.valueOf(run.positional(0)))),
                                losing(
                                        Commands.parameter("NAME", "The member to replace."),
                                        Commands.requiredOption(
                                                BY,
                                                "NAME=URL",
                                                "The new member, such as n4=http://10.0.0.4:8080."))),
                        commands.command(
                                "invite",
                                "Prints a token with which a node of this name joins: once, within an"
                                        + " hour, and until the node that made it restarts.",
                                EXITS,
                                TopologyCommands::invite,
                                Commands.parameter("NAME", "The name of the new member.")),
                        commands.command(
                                "cancel",
                                "Cancels the change in progress: the members are those before it.",
                                EXITS,
                                TopologyCommands::cancel,
                                dryRun()),
                        commands.command(
                                "set",
                                "Changes the address of a member, which all members use from then on; or its"
                                        + " zone, its weight or both, for which keys move. Without a"
                                        + " member, changes the replication factor.",
                                EXITS,
                                TopologyCommands::set,
                                changing(
                                        Commands.optionalParameter(0, "NAME", "The member's name."),
                                        Commands.option(
                                                TO,
                                                "ADDRESS",
                                                "Its new address, such as http://10.0.0.9:8080."),
                                        Commands.option(
                                                ZONE,
                                                "ZONE",
                                                "Its new zone. Copies of a key are in different zones while there"
                                                        + " are enough."),
                                        Commands.option(
                                                WEIGHT,
                                                "NUMBER",
                                                "Its new weight, 0.25 to 8: a member of weight 2 has twice the"
                                                        + " keys.")))));
    }

    /** The options of a command that changes members, after its own. */
    private static ArgSpec[] changing(ArgSpec... own) {
        return Commands.both(
                own,
                Commands.option(
                        REPLICATION,
                        "COPIES",
                        "The new replication factor: copies of a key where a request specifies none."),
                flag(
                        IGNORE_ROOM,
                        "Continues although a member's disk seems to have too little room for its keys."),
                flag(NO_WAIT, "Returns when the change has begun."),
                dryRun());
    }

    /** The same, if members leave. */
    private static ArgSpec[] losing(ArgSpec... own) {
        return changing(
                Commands.both(
                        own,
                        flag(LOST, "The member is lost for good: nobody waits for what it has."),
                        flag(
                                ACCEPT_LOSS,
                                "Goes on without writes that only lost members have, if as many are"
                                        + " lost as a majority of a key's owners.")));
    }

    private static OptionSpec dryRun() {
        return flag(DRY_RUN, "Prints what would be proposed, and changes nothing.");
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
        String typed = run.positional(0);
        String to = run.option(TO);
        String zone = run.option(ZONE);
        String weight = run.option(WEIGHT);
        boolean isOfMember = typed != null || to != null || zone != null || weight != null;
        if (isOfMember == (run.option(REPLICATION) != null)) {
            throw CommandFailure.usage("Give either --replication, or a member and what changes.");
        }
        if (!isOfMember) {
            String json = json(run, List.of());
            return begin(run, page(run), json, Set.of(), Set.of());
        }
        String name = name(typed == null ? "" : typed);
        if ((to == null) == (zone == null && weight == null)) {
            throw CommandFailure.usage("Give either --to, or --zone, --weight or both.");
        }
        MembersPage before = page(run);
        if (to != null) {
            var _ = Invocation.valid(() -> Node.parse(to, before.node().access()));
            String member = MembersPage.member(name, to);
            return print(run, change(run, before, "\"set\":[" + member + "]").text());
        }
        if (!(zone == null ? "" : zone).matches(RingPage.NAME + "|")
                || !(weight == null ? "1" : weight).matches("[0-9](\\.[0-9]{1,2})?")) {
            throw CommandFailure.usage(
                    "ZONE is written as a name, and NUMBER is 0.25 to 8, with at most two digits after"
                            + " the point.");
        }
        String json =
                "\"set\":[{\"name\":\"%s\"%s%s}]"
                        .formatted(
                                name,
                                zone == null ? "" : ",\"zone\":\"" + zone + "\"",
                                weight == null ? "" : ",\"weight\":" + weight);
        return begin(run, before, json, Set.of(), Set.of());
    }

    private static ExitCode invite(Invocation run) throws IOException, CommandFailure {
        String target = "/admin/invite?name=" + name(String.valueOf(run.positional(0)));
        Node node = page(run).node();
        Node.Answer answer = node.ask("POST", target, run.timeoutMillis());
        if (answer.status() != 200) {
            throw new CommandFailure(ExitCode.REFUSED, MembersPage.said(node, answer));
        }
        return print(run, answer.text());
    }

    /** Begins a change in which members join and leave. */
    private static ExitCode begin(Invocation run, List<String> added, List<String> removed)
            throws IOException, CommandFailure {
        MembersPage before = page(run);
        Set<String> names = new LinkedHashSet<>();
        List<String> members = new ArrayList<>();
        for (String each : added) {
            String[] words = each.split("=", 2);
            if (words.length < 2 || !names.add(name(words[0]))) {
                throw CommandFailure.usage(
                        "A new member is given once, such as n4=http://10.0.0.4:8080.");
            }
            requireAnswer(run, words[0], words[1], before.node());
            members.add(MembersPage.member(words[0], words[1]));
        }
        Set<String> leaving = new LinkedHashSet<>();
        for (String each : removed) {
            leaving.add(name(each));
        }
        if (names.isEmpty() && leaving.isEmpty()) {
            throw CommandFailure.usage("Name a member.");
        }
        List<String> json = new ArrayList<>();
        if (!members.isEmpty()) {
            json.add("\"add\":[" + String.join(",", members) + "]");
        }
        if (!leaving.isEmpty()) {
            String list = run.has(LOST) ? "\"lost\"" : "\"remove\"";
            json.add(list + ":[\"" + String.join("\",\"", leaving) + "\"]");
        }
        if (run.has(ACCEPT_LOSS)) {
            json.add("\"acceptLoss\":true");
        }
        return begin(run, before, json(run, json), names, leaving);
    }

    private static String json(Invocation run, List<String> changes) throws CommandFailure {
        String copies = run.option(REPLICATION);
        if (copies == null) {
            return String.join(",", changes);
        }
        if (!copies.matches("[1-9][0-9]?")) {
            throw CommandFailure.usage("COPIES is a number, such as 3.");
        }
        return String.join(",", changes)
                + (changes.isEmpty() ? "" : ",")
                + "\"replication\":"
                + copies;
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
        List<Node> nodes = run.members();
        MembersPage begun = change(run, before, json);
        if (run.has(DRY_RUN)) {
            return print(run, begun.text());
        }
        run.err()
                .println(
                        "The change continues if this command ends; ./quorate member cancel cancels it.");
        if (run.has(NO_WAIT)) {
            return print(run, begun.text());
        }
        MembersPage end = begun.end(joining, leaving, nodes, run.timeoutMillis(), run.err());
        boolean isPlaced =
                !joining.isEmpty() || !leaving.isEmpty() || end.places().equals(begun.places());
        String copies = run.option(REPLICATION);
        boolean isCopied = copies == null || copies.equals(end.copies());
        if (!end.isAfter(joining, leaving) || !isPlaced || !isCopied) {
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
            String room = run.has(IGNORE_ROOM) ? ",\"ignoreRoom\":true" : "";
            String whole = json + room + ",\"dryRun\":" + run.has(DRY_RUN);
            answer = before.change(whole, run.timeoutMillis());
            if (isEarly(answer) && !run.has(NO_WAIT)) {
                run.err().println(MembersPage.said(node, answer) + " Waiting for its end.");
                while (isEarly(answer) && Commands.sleepNanos(EARLY_NANOS)) {
                    answer = before.change(whole, run.timeoutMillis());
                }
            }
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

    /** Whether members still delete entries of keys that moved in the change before. */
    private static boolean isEarly(Node.Answer answer) {
        return answer.status() == 409 && answer.text().contains("The change before is not over");
    }

    private static ExitCode list(Invocation run) throws IOException, CommandFailure {
        MembersPage page = page(run);
        if (!run.json()) {
            return print(run, page.text());
        }
        Node node = page.node();
        Node.Answer answer = node.ask("GET", MembersPage.PATH, run.timeoutMillis());
        if (answer.status() != 200) {
            throw CommandFailure.unavailable(MembersPage.said(node, answer));
        }
        run.out().println(PrintableWriter.printable(answer.text()).strip());
        return ExitCode.DONE;
    }

    private static ExitCode print(Invocation run, String page) {
        List<String> lines = PrintableWriter.printable(page).lines().toList();
        if (run.json()) {
            run.out().println(Invocation.lines(lines, ""));
        } else {
            lines.forEach(run.out()::println);
        }
        return ExitCode.DONE;
    }
}

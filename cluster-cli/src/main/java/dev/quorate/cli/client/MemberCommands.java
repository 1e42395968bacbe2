package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.optionalParameter;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands that send the same request to each member: {@code checkpoint NAME}, {@code
 * checkpoint list}, {@code checkpoint remove NAME}, {@code log-level} and {@code metrics}.
 */
final class MemberCommands {

    private static final String CHECKPOINT_PATH = "/admin/checkpoint";

    /** Long, because a node may have to flush much data first. */
    private static final int PATIENT_SECONDS = 600;

    private static final String LOGGER = "--logger";
    private static final String LEVELS = "error|warn|info|debug|trace|inherited";

    private static final String EXITS =
            "Exit codes: 0 done on each node; 1 on some nodes; 2 invalid arguments; 3 on no node.";

    private MemberCommands() {}

    static void addTo(CommandLine commandLine, ClientCommands commands) {
        addCheckpoint(commandLine, commands);
        addLogLevel(commandLine, commands);
        Commands.add(
                commandLine,
                SecretCommand.spec(commands),
                commands.command(
                        "metrics",
                        "Prints the metrics of each node, each line after the node's URL.",
                        EXITS,
                        run -> ask(run, "GET", "/metrics", 200, 10)));
    }

    private static void addCheckpoint(CommandLine commandLine, ClientCommands commands) {
        // Not required by picocli, because "list" would then need it too.
        CommandSpec make =
                commands.command(
                        "checkpoint",
                        "Makes a checkpoint on each node: a copy of its data by hard links, in"
                                + " checkpoints/NAME of its data directory. It contains all writes"
                                + " acknowledged before. Nodes make it one after the other; without"
                                + " --timeout each may take ten minutes.",
                        EXITS,
                        run -> change(run, "POST", 201),
                        optionalParameter(
                                0,
                                "NAME",
                                "The checkpoint's name: 1 to 64 of a-z, 0-9 and the hyphen."));
        CommandSpec list =
                commands.command(
                        "list",
                        "Prints the checkpoints of each node: name, start, and bytes.",
                        EXITS,
                        run -> ask(run, "GET", CHECKPOINT_PATH, 200, PATIENT_SECONDS));
        CommandSpec remove =
                commands.command(
                        "remove",
                        "Removes a checkpoint from each node.",
                        EXITS,
                        run -> change(run, "DELETE", 200),
                        optionalParameter(0, "NAME", "Its name."));
        CommandLine line = new CommandLine(make);
        Commands.add(line, list, remove);
        commandLine.addSubcommand(make.name(), line);
    }

    private static ExitCode change(Invocation run, String method, int expected)
            throws IOException, CommandFailure {
        String name = run.positional(0);
        if (name == null || !name.matches("[a-z0-9-]{1,64}")) {
            throw CommandFailure.usage("NAME is needed: 1 to 64 of a-z, 0-9 and the hyphen.");
        }
        return ask(run, method, CHECKPOINT_PATH + "?name=" + name, expected, PATIENT_SECONDS);
    }

    private static void addLogLevel(CommandLine commandLine, ClientCommands commands) {
        Commands.add(
                commandLine,
                commands.command(
                        "log-level",
                        "Without LEVEL, prints the levels of each node's loggers. With LEVEL, changes"
                                + " one on each node until the node restarts.",
                        EXITS,
                        MemberCommands::logLevel,
                        optionalParameter(0, "LEVEL", "One of " + LEVELS.replace("|", ", ") + "."),
                        Commands.option(
                                LOGGER,
                                "NAME",
                                "A package or class, such as dev.quorate.router.transport; the default is"
                                        + " root.")));
    }

    private static ExitCode logLevel(Invocation run) throws IOException, CommandFailure {
        String level = run.positional(0);
        String logger = run.option(LOGGER);
        if (logger != null && (level == null || !logger.matches("[A-Za-z0-9_.-]{1,200}"))) {
            throw CommandFailure.usage(LOGGER + " is the name of a logger, and needs LEVEL.");
        }
        if (level != null && !level.matches(LEVELS)) {
            throw CommandFailure.usage("LEVEL is one of " + LEVELS.replace("|", ", ") + ".");
        }
        String change = level == null ? "" : "?level=" + level;
        String of = logger == null ? "" : "&logger=" + logger;
        String method = level == null ? "GET" : "PUT";
        return ask(run, method, "/admin/log-level" + change + of, 200, 10);
    }

    /**
     * Sends the same request to one member after the other, and prints the lines of their answers.
     *
     * @param expected the status of success
     */
    private static ExitCode ask(
            Invocation run, String method, String target, int expected, int patientSeconds)
            throws IOException, CommandFailure {
        List<Node> nodes = run.members();
        int timeoutMillis = run.timeoutMillis(patientSeconds);
        int done = 0;
        for (Node node : nodes) {
            try {
                Node.Answer answer = node.ask(method, target, timeoutMillis);
                if (answer.status() == expected) {
                    List<String> lines = PrintableWriter.printable(answer.text()).lines().toList();
                    if (run.json()) {
                        run.out().println(Invocation.lines(lines, node.url()));
                    } else {
                        lines.forEach(text -> run.out().println(node.url() + "  " + text));
                    }
                    run.out().flush();
                    done++;
                } else {
                    run.err().println(node.url() + " answers " + answer.problem());
                }
            } catch (IOException e) {
                run.err().println(node.url() + " cannot be asked: " + Node.reason(e) + ".");
            }
        }
        return Invocation.exit(nodes.size() - done, nodes.size());
    }
}

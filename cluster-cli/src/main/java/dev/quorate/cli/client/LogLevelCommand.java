package dev.quorate.cli.client;

import dev.quorate.cli.local.Commands;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code log-level}, which shows the levels of each node's loggers, or changes one. */
final class LogLevelCommand {

    private static final String PATH = "/admin/log-level";
    private static final String LOGGER = "--logger";
    private static final String LEVELS = "error|warn|info|debug|trace|inherited";

    /** Logger names are packages and classes. */
    private static final String NAMES = "[A-Za-z0-9_.-]{1,200}";

    private static final int TIMEOUT_SECONDS = 10;

    private LogLevelCommand() {}

    static void addTo(CommandLine commandLine, ClientCommands commands) {
        CommandSpec spec =
                commands.command(
                        "log-level",
                        "Without LEVEL prints the levels of each node's loggers; with LEVEL changes"
                                + " one on each node, until that starts again.",
                        Invocation.EXITS_OF_EACH,
                        LogLevelCommand::run);
        spec.addPositional(
                Commands.optionalParameter(
                        0, "LEVEL", "One of " + LEVELS.replace("|", ", ") + "."));
        spec.addOption(
                Commands.option(
                        LOGGER,
                        "NAME",
                        "A package or class, such as dev.quorate.node.transport; the default is"
                                + " root."));
        Commands.add(commandLine, spec);
    }

    private static ExitCode run(Invocation run) throws IOException, CommandFailure {
        String level = run.positional(0);
        String logger = run.option(LOGGER);
        if (logger != null && (level == null || !logger.matches(NAMES))) {
            throw CommandFailure.usage(LOGGER + " is the name of a logger, and needs LEVEL.");
        }
        if (level != null && !level.matches(LEVELS)) {
            throw CommandFailure.usage("LEVEL is one of " + LEVELS.replace("|", ", ") + ".");
        }
        String change = level == null ? "" : "?level=" + level;
        String of = logger == null ? "" : "&logger=" + logger;
        return run.askEach(level == null ? "GET" : "PUT", PATH + change + of, 200, TIMEOUT_SECONDS);
    }
}

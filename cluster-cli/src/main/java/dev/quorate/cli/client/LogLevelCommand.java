package dev.quorate.cli.client;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The command {@code log-level}, which shows the levels of each node's loggers, or changes one. */
final class LogLevelCommand {

    private static final String EXITS =
            "Exit codes: 0 each node has done it; 1 some have; 2 the arguments make no sense; 3 no"
                    + " node has.";
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
                        EXITS,
                        LogLevelCommand::run);
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0")
                        .arity("0..1")
                        .type(String.class)
                        .paramLabel("LEVEL")
                        .description("One of " + LEVELS.replace("|", ", ") + ".")
                        .build());
        spec.addOption(
                OptionSpec.builder(LOGGER)
                        .type(String.class)
                        .paramLabel("NAME")
                        .description(
                                "A package or class, such as dev.quorate.node.transport; the"
                                        + " default is root.")
                        .build());
        commandLine.addSubcommand(spec.name(), new CommandLine(spec));
    }

    private static ExitCode run(Invocation run) throws IOException, CommandFailure {
        String level = run.positional(0);
        String logger = run.option(LOGGER);
        if (logger != null && (level == null || !logger.matches(NAMES))) {
            throw new CommandFailure(
                    ExitCode.USAGE, LOGGER + " is the name of a logger, and needs LEVEL.");
        }
        if (level != null && !level.matches(LEVELS)) {
            throw new CommandFailure(
                    ExitCode.USAGE, "LEVEL is one of " + LEVELS.replace("|", ", ") + ".");
        }
        String change = level == null ? "" : "?level=" + level;
        String of = logger == null ? "" : "&logger=" + logger;
        return EachNode.ask(
                run,
                level == null ? "GET" : "PUT",
                PATH + change + of,
                List.of(200),
                TIMEOUT_SECONDS);
    }
}

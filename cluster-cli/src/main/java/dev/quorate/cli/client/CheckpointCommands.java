package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.optionalParameter;

import dev.quorate.cli.local.Commands;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command {@code checkpoint NAME}, which has each node make a checkpoint, and {@code checkpoint
 * list} and {@code checkpoint remove NAME}.
 */
final class CheckpointCommands {

    private static final String PATH = "/admin/checkpoint";
    private static final String NAMES = "[a-z0-9-]{1,64}";

    /** A node with much to write to disk first answers late. */
    private static final int PATIENT_SECONDS = 600;

    private CheckpointCommands() {}

    static void addTo(CommandLine commandLine, ClientCommands commands) {
        CommandSpec make =
                commands.command(
                        "checkpoint",
                        "Has each node make a checkpoint: a copy of its data by hard links, in"
                                + " checkpoints/NAME of its data directory. It has every write that"
                                + " was acknowledged before. The next node begins when the one"
                                + " before has finished; without --timeout each may take ten"
                                + " minutes.",
                        Invocation.EXITS_OF_EACH,
                        run -> change(run, "POST", 201));
        // Not required, or "list" would need one too.
        make.addPositional(
                optionalParameter(
                        0, "NAME", "The checkpoint's name: 1 to 64 of a-z, 0-9 and the hyphen."));
        CommandSpec list =
                commands.command(
                        "list",
                        "Prints the checkpoints of each node: name, when it was begun, and bytes.",
                        Invocation.EXITS_OF_EACH,
                        CheckpointCommands::list);
        CommandSpec remove =
                commands.command(
                        "remove",
                        "Removes a checkpoint from each node.",
                        Invocation.EXITS_OF_EACH,
                        run -> change(run, "DELETE", 200));
        remove.addPositional(optionalParameter(0, "NAME", "Its name."));
        CommandLine line = new CommandLine(make);
        Commands.add(line, list);
        Commands.add(line, remove);
        commandLine.addSubcommand(make.name(), line);
    }

    private static ExitCode change(Invocation run, String method, int expected)
            throws IOException, CommandFailure {
        String name = run.positional(0);
        if (name == null || !name.matches(NAMES)) {
            throw CommandFailure.usage("NAME is needed: 1 to 64 of a-z, 0-9 and the hyphen.");
        }
        return run.askEach(method, PATH + "?name=" + name, expected, PATIENT_SECONDS);
    }

    private static ExitCode list(Invocation run) throws IOException, CommandFailure {
        return run.askEach("GET", PATH, 200, PATIENT_SECONDS);
    }
}

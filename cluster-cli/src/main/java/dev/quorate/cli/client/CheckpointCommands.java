package dev.quorate.cli.client;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The command {@code checkpoint NAME}, which has each node make a checkpoint, and {@code checkpoint
 * list} and {@code checkpoint remove NAME}.
 */
final class CheckpointCommands {

    private static final String EXITS =
            "Exit codes: 0 each node has done it; 1 some have; 2 the arguments make no sense; 3 no"
                    + " node has.";
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
                        EXITS,
                        run -> change(run, "POST", 201));
        make.addPositional(name("The checkpoint's name: 1 to 64 of a-z, 0-9 and the hyphen."));
        CommandSpec list =
                commands.command(
                        "list",
                        "Prints the checkpoints of each node: name, when it was begun, and bytes.",
                        EXITS,
                        CheckpointCommands::list);
        CommandSpec remove =
                commands.command(
                        "remove",
                        "Removes a checkpoint from each node.",
                        EXITS,
                        run -> change(run, "DELETE", 200));
        remove.addPositional(name("Its name."));
        CommandLine line = new CommandLine(make);
        line.addSubcommand(list.name(), new CommandLine(list));
        line.addSubcommand(remove.name(), new CommandLine(remove));
        commandLine.addSubcommand(make.name(), line);
    }

    /** Not required, or {@code list} would need one too. */
    private static PositionalParamSpec name(String description) {
        return PositionalParamSpec.builder()
                .index("0")
                .arity("0..1")
                .type(String.class)
                .paramLabel("NAME")
                .description(description)
                .build();
    }

    private static ExitCode change(Invocation run, String method, int expected)
            throws IOException, CommandFailure {
        String name = run.positional(0);
        if (name == null || !name.matches(NAMES)) {
            throw new CommandFailure(
                    ExitCode.USAGE, "NAME is needed: 1 to 64 of a-z, 0-9 and the hyphen.");
        }
        return EachNode.ask(
                run, method, PATH + "?name=" + name, List.of(expected), PATIENT_SECONDS);
    }

    private static ExitCode list(Invocation run) throws IOException, CommandFailure {
        return EachNode.ask(run, "GET", PATH, List.of(200), PATIENT_SECONDS);
    }
}

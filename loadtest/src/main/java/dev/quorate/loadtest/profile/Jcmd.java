package dev.quorate.loadtest.profile;

import dev.quorate.harness.Command;
import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.NodeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The JDK's {@code jcmd}, which asks a process of Java to do something. */
public final class Jcmd {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path program;
    private final Command command;

    /**
     * That of the JDK that runs this.
     *
     * @param scratch a folder for what is of no use afterwards
     */
    public Jcmd(Path scratch) {
        program = Path.of(System.getProperty("java.home", ""), "bin", "jcmd");
        command = new Command(scratch.resolve("jcmd.out"));
    }

    /**
     * Asks a node.
     *
     * @throws CommandException if it refuses, or does not answer
     */
    public void run(NodeProcess node, String... arguments) throws CommandException {
        List<String> line = new ArrayList<>(List.of(program.toString(), Long.toString(node.pid())));
        line.addAll(List.of(arguments));
        Command.Result result = command.run(line, LIMIT);
        if (result.exit() != 0) {
            throw new CommandException(
                    "jcmd failed for " + node.name() + ": " + result.output().strip());
        }
    }
}

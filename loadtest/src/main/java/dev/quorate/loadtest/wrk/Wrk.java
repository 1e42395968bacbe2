package dev.quorate.loadtest.wrk;

import dev.quorate.loadtest.process.Command;
import dev.quorate.loadtest.process.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/** The program wrk, with a script of ours that makes the requests. */
public final class Wrk implements LoadGenerator {

    /** As many as leave a machine of two processors something for the nodes. */
    private static final int THREADS = 2;

    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final String SCRIPT = "bench.lua";

    private final Path program;
    private final Path script;
    private final Command command;

    /**
     * Puts the script where wrk can read it.
     *
     * @param program the executable
     * @param scratch a folder for the script and the output
     */
    public Wrk(Path program, Path scratch) throws IOException {
        this.program = program;
        this.script = scratch.resolve(SCRIPT);
        this.command = new Command(scratch.resolve("wrk.out"));
        try (InputStream in = Wrk.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IllegalStateException(SCRIPT + " is not in the jar");
            }
            Files.copy(in, script, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** What the program says it is, such as "wrk 4.1.0". */
    public String version() throws CommandException {
        String banner = command.run(List.of(program.toString(), "-v"), GRACE).output();
        return banner.lines().findFirst().orElse("").replaceFirst(" \\[.*", "");
    }

    @Override
    public WrkResult run(Load load) throws CommandException {
        List<String> arguments =
                List.of(
                        program.toString(),
                        "--threads=" + THREADS,
                        "--connections=" + load.connections(),
                        "--duration=" + load.seconds() + "s",
                        "--latency",
                        "--script=" + script,
                        load.url(),
                        "--",
                        "operation=" + load.operation().word(),
                        "threads=" + THREADS,
                        "connections=" + load.connections(),
                        "keys=" + load.keys(),
                        "value-bytes=" + load.valueBytes(),
                        "replicas=" + load.replicas(),
                        "in-order=" + load.inOrder(),
                        "checked=" + load.checked());
        Duration limit = Duration.ofSeconds(load.seconds()).plus(GRACE);
        return WrkOutput.parse(command.run(arguments, limit).output());
    }
}

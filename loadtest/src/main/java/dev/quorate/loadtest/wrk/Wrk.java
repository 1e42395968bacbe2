package dev.quorate.loadtest.wrk;

import dev.quorate.loadtest.process.Command;
import dev.quorate.loadtest.process.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The program wrk, with a script of ours that makes the requests; and wrk2, which takes the same
 * script, where a rate is given.
 */
public final class Wrk implements LoadGenerator {

    /** As many as leave a machine of two processors something for the nodes. */
    private static final int THREADS = 2;

    /**
     * Seconds at the beginning of a run of wrk2 whose latencies it throws away: ten, and five
     * milliseconds for each connection of a thread.
     */
    private static final int CALIBRATION_SECONDS = 11;

    private static final int CONNECTIONS_A_SECOND_OF_CALIBRATION = 400;

    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final String SCRIPT = "bench.lua";

    private final Path wrk;
    private final Optional<Path> wrk2;
    private final Path script;
    private final Command command;

    /**
     * Puts the script where the programs can read it.
     *
     * @param wrk the executable
     * @param wrk2 that of wrk2, without which no load can have a rate
     * @param scratch a folder for the script and the output
     */
    public Wrk(Path wrk, Optional<Path> wrk2, Path scratch) throws IOException {
        this.wrk = wrk;
        this.wrk2 = wrk2;
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
        String banner = command.run(List.of(wrk.toString(), "-v"), GRACE).output();
        return banner.lines().findFirst().orElse("").replaceFirst(" \\[.*", "");
    }

    /** How long a run takes that counts for so many seconds. */
    public static int totalSeconds(int seconds, int connections, boolean hasRate) {
        return hasRate
                ? seconds + CALIBRATION_SECONDS + connections / CONNECTIONS_A_SECOND_OF_CALIBRATION
                : seconds;
    }

    @Override
    public WrkResult run(Load load) throws CommandException {
        Load.Requests requests = load.requests();
        boolean hasRate = load.rate() > 0;
        int seconds = totalSeconds(load.seconds(), requests.connections(), hasRate);
        List<String> line = new ArrayList<>();
        if (hasRate) {
            line.add(wrk2.orElseThrow().toString());
            line.add("--rate=" + load.rate());
        } else {
            line.add(wrk.toString());
        }
        line.addAll(
                List.of(
                        "--threads=" + THREADS,
                        "--connections=" + requests.connections(),
                        "--duration=" + seconds + "s",
                        "--latency",
                        "--script=" + script,
                        load.url(),
                        "--",
                        "operation=" + requests.operation().word(),
                        "threads=" + THREADS,
                        "connections=" + requests.connections(),
                        "keys=" + requests.keys(),
                        "value-bytes=" + requests.valueBytes(),
                        "replicas=" + requests.replicas(),
                        "in-order=" + (load.manner() == Load.Manner.EVERY_KEY),
                        "checked=" + load.manner().checks()));
        Duration limit = Duration.ofSeconds(seconds).plus(GRACE);
        return WrkOutput.parse(command.run(line, limit).output());
    }
}

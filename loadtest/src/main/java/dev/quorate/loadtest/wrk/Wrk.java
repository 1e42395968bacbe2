package dev.quorate.loadtest.wrk;

import dev.quorate.harness.Command;
import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
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

    /**
     * Seconds at the beginning of a run of wrk2 whose latencies it throws away: ten, and five
     * milliseconds for each connection of a thread.
     */
    private static final int CALIBRATION_SECONDS = 11;

    private static final int CONNECTIONS_A_SECOND_OF_CALIBRATION = 200;

    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final String SCRIPT = "bench.lua";

    /** So that a warm-up does not put the new keys of the run that counts. */
    private static final String WARM_UP_SERIES = "w";

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

    /** The program's own name and version, such as "wrk 4.1.0". */
    public String version() throws CommandException {
        String banner = command.run(List.of(wrk.toString(), "-v"), GRACE).output();
        return banner.lines().findFirst().orElse("").replaceFirst(" \\[.*", "");
    }

    /** How long a run takes that counts for so many seconds. */
    public static int totalSeconds(int seconds, Load.Clients clients, boolean hasRate) {
        return hasRate ? seconds + calibrationSeconds(clients) : seconds;
    }

    private static int calibrationSeconds(Load.Clients clients) {
        return CALIBRATION_SECONDS
                + clients.connections() / clients.threads() / CONNECTIONS_A_SECOND_OF_CALIBRATION;
    }

    /**
     * See {@link LoadGenerator#run}. A warm-up is a run by itself, unless the time that wrk2 throws
     * away is as long.
     */
    @Override
    public LoadResult run(Load load) throws CommandException {
        boolean hasRate = load.timing().rate() > 0;
        int warmUpSeconds = load.timing().warmUpSeconds();
        if (warmUpSeconds > (hasRate ? calibrationSeconds(load.clients()) : 0)) {
            send(load, warmUpSeconds, WARM_UP_SERIES);
        }
        int seconds = totalSeconds(load.timing().seconds(), load.clients(), hasRate);
        return WrkOutput.parse(send(load, seconds, ""));
    }

    /** What the program prints. */
    private String send(Load load, int seconds, String seriesSuffix) throws CommandException {
        Load.Requests requests = load.requests();
        Load.Clients clients = load.clients();
        List<String> line = new ArrayList<>();
        if (load.timing().rate() > 0) {
            line.add(wrk2.orElseThrow().toString());
            line.add("--rate=" + load.timing().rate());
        } else {
            line.add(wrk.toString());
        }
        line.addAll(
                List.of(
                        "--threads=" + clients.threads(),
                        "--connections=" + clients.connections(),
                        "--duration=" + seconds + "s",
                        "--latency",
                        "--script=" + script,
                        load.url(),
                        "--",
                        "operation=" + requests.operation().word(),
                        "threads=" + clients.threads(),
                        "connections=" + clients.connections(),
                        "keys=" + requests.keys(),
                        "value-bytes=" + requests.valueBytes(),
                        "query=" + requests.query(),
                        "series=" + requests.series() + seriesSuffix,
                        "in-order=" + load.inOrder(),
                        "checked=" + load.manner().checks()));
        Duration limit = Duration.ofSeconds(seconds).plus(GRACE);
        return command.run(line, limit).output();
    }
}

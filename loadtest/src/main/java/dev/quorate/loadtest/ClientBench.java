package dev.quorate.loadtest;

import static dev.quorate.harness.OptionRange.violation;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.ProcessCluster;
import dev.quorate.loadtest.client.ClientReads;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench client}: what a read through the Java client costs that asks the owner of
 * the key, beside plain HTTP through one node.
 *
 * <p>Exit status: 0 if everything was measured; 1 if a cluster did not start or broke; 2 if the
 * arguments make no sense or there is nothing to start.
 */
@CommandLine.Command(
        name = "client",
        description = "GETs of 1/1 through the Java client, beside plain HTTP through one node.")
final class ClientBench implements Callable<Integer> {

    private static final int NODES = 3;
    private static final int FIRST_PORT = 18_380;
    private static final int VALUE_BYTES = 100;
    private static final int KEYS = 10_000;
    private static final int MAX_SECONDS = 600;
    private static final int MAX_THREADS = 1_000;
    private static final int TURNS = 5;

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Of each turn of each case. The default is ${DEFAULT-VALUE}.")
    private int seconds = 5;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Each has one read under way. The default is ${DEFAULT-VALUE}.")
    private int threads = 16;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(FIRST_PORT);

    ClientBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Optional<String> complaint =
                where.complaint(home)
                        .or(() -> violation("--seconds", seconds, 1, MAX_SECONDS))
                        .or(() -> violation("--threads", threads, 1, MAX_THREADS));
        return BenchOutcome.of(err, complaint, this::measure);
    }

    private boolean measure() throws IOException, CommandException {
        try (ScratchFolder scratch = where.scratch(home, "client-");
                ProcessCluster cluster = scratch.start(NODES, where.port(), List.of())) {
            List<URI> nodes =
                    Stream.of("n1", "n2", "n3").map(cluster::url).map(URI::create).toList();
            ClientReads.Plan plan =
                    new ClientReads.Plan(threads, KEYS, VALUE_BYTES, seconds, TURNS);
            out.printf(
                    "GET 1/1 of %d bytes, %d threads, three nodes and the threads on %d processors:"
                            + " the median of %d turns of %d s.%n%n",
                    VALUE_BYTES,
                    threads,
                    Runtime.getRuntime().availableProcessors(),
                    TURNS,
                    seconds);
            out.print(new ClientReads(nodes, plan, System::nanoTime).run());
            return true;
        }
    }
}

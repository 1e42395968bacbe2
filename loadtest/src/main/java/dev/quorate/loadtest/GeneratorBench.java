package dev.quorate.loadtest;

import static dev.quorate.harness.OptionRange.violation;

import dev.quorate.harness.Command;
import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.harness.ProcessCluster;
import dev.quorate.loadtest.agreement.Agreement;
import dev.quorate.loadtest.agreement.AgreementPlan;
import dev.quorate.loadtest.agreement.AgreementReport;
import dev.quorate.loadtest.agreement.GeneratorComparison;
import dev.quorate.loadtest.agreement.GeneratorComparison.Named;
import dev.quorate.loadtest.bench.BenchPlan;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.bench.StoredKeys;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import dev.quorate.loadtest.wrk.Wrk;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench generators}: whether our own load generator measures what wrk2 does.
 *
 * <p>Exit status: 0 if all figures of the two agree; 1 if they do not, a cluster did not start, or
 * a single answer was not the right one; 2 if the arguments make no sense or wrk2 is not installed.
 */
@CommandLine.Command(
        name = "generators",
        description = "Our own load generator beside wrk2, on the same loads.")
final class GeneratorBench implements Callable<Integer> {

    private static final int FIRST_PORT = 18_380;
    private static final int NODES = 3;
    private static final int MAX_SECONDS = 3_600;
    private static final int MAX_CONNECTIONS = 10_000;
    private static final int MAX_THREADS = 64;
    private static final int MAX_RATE = 1_000_000;
    private static final int MAX_KEYS = 1_000_000;
    private static final int MAX_TURNS = 100;

    /** As long as wrk2 throws away at least. */
    private static final int WARM_UP_SECONDS = 10;

    private static final String REFERENCE = "wrk2";
    private static final String OTHER = "own";

    private final Map<String, String> environment;
    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Requests a second. The default is ${DEFAULT-VALUE}.")
    private int rate = 10_000;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "The default is ${DEFAULT-VALUE}.")
    private int connections = 64;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Of either load generator. The default is ${DEFAULT-VALUE}.")
    private int threads = 2;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Of each run that count. The default is ${DEFAULT-VALUE}.")
    private int seconds = 20;

    @Option(
            names = "--turns",
            paramLabel = "N",
            description = "Runs of each load by each of the two. The default is ${DEFAULT-VALUE}.")
    private int turns = 2;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Keys that are there. The default is ${DEFAULT-VALUE}.")
    private int keys = 10_000;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(FIRST_PORT);

    GeneratorBench(Map<String, String> environment, Path home, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Optional<String> complaint =
                where.complaint(home)
                        .or(() -> violation("--rate", rate, 1, MAX_RATE))
                        .or(() -> violation("--threads", threads, 1, MAX_THREADS))
                        .or(() -> violation("--connections", connections, threads, MAX_CONNECTIONS))
                        .or(() -> violation("--seconds", seconds, 1, MAX_SECONDS))
                        .or(() -> violation("--turns", turns, 1, MAX_TURNS))
                        .or(() -> violation("--keys", keys, threads, MAX_KEYS));
        Optional<Path> wrk2 = Command.find("wrk2", environment.getOrDefault("PATH", ""));
        if (complaint.isEmpty() && wrk2.isEmpty()) {
            complaint = Optional.of("needs wrk2, which is not on the PATH.");
        }
        return BenchOutcome.of(err, complaint, () -> measure(wrk2.orElseThrow()));
    }

    /** Whether all figures agree. */
    private boolean measure(Path program)
            throws IOException, CommandException, RefusedFigureException {
        AgreementPlan plan =
                new AgreementPlan(
                        keys,
                        new Load.Clients(threads, connections),
                        rate,
                        WARM_UP_SECONDS,
                        seconds,
                        turns);
        try (ScratchFolder scratch = where.scratch(home, "generators-");
                NodeClient client = new NodeClient();
                ProcessCluster cluster = scratch.start(NODES, where.port(), List.of())) {
            Wrk wrk2 = new Wrk(program, Optional.of(program), scratch.path());
            OpenLoopGenerator own = new OpenLoopGenerator();
            new StoredKeys(
                            new BenchPlan(List.of(), BenchPlan.QUICK, keys),
                            NODES,
                            cluster.url(),
                            own,
                            Probe.of(client),
                            err::println)
                    .fill(AgreementPlan.VALUE_BYTES);
            List<Agreement> agreements =
                    new GeneratorComparison(
                                    new Named(REFERENCE, wrk2), new Named(OTHER, own), err::println)
                            .run(plan, cluster.url());
            out.println(circumstances());
            out.println();
            out.print(AgreementReport.table(agreements, REFERENCE, OTHER));
            long agreeing = agreements.stream().filter(each -> each.verdict().agrees()).count();
            out.printf("%n%d of %d figures agree.%n", agreeing, agreements.size());
            return agreeing == agreements.size();
        }
    }

    /** What a reader needs to know to believe the figures, or not to. */
    private String circumstances() {
        return ("%d processors for three nodes and the load generator together, Java %s. %d requests"
                        + " a second over %d connections to one node by %d threads, %d keys, values of"
                        + " %d bytes. %d runs of %d s each, by turns.")
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        Runtime.version(),
                        rate,
                        connections,
                        threads,
                        keys,
                        AgreementPlan.VALUE_BYTES,
                        turns,
                        seconds);
    }
}

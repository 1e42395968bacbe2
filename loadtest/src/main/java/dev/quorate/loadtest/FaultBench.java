package dev.quorate.loadtest;

import static dev.quorate.harness.OptionRange.violation;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.Command;
import dev.quorate.harness.CommandException;
import dev.quorate.harness.FaultKind;
import dev.quorate.harness.NanoClock;
import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.fault.FaultBenchmark;
import dev.quorate.loadtest.fault.FaultPlan;
import dev.quorate.loadtest.fault.FaultReport;
import dev.quorate.loadtest.fault.FaultResult;
import dev.quorate.loadtest.fault.LocalBreakableCluster;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.wrk.Wrk;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench faults}: what a cluster of three does while one node is paused, killed or
 * far away, and when it comes back.
 *
 * <p>Exit status: 0 if everything was measured; 1 if a cluster did not start, or a healthy run had
 * an error; 2 if the arguments make no sense, or wrk is not installed. The ratios are for the
 * reader to judge.
 */
@CommandLine.Command(
        name = "faults",
        description = "One of three nodes paused, killed or far away, and back.")
final class FaultBench implements Callable<Integer> {

    private static final int FIRST_PORT = 18_280;
    private static final int NODES = 3;
    private static final int MAX_SECONDS = 3_600;
    private static final int MAX_CONNECTIONS = 10_000;
    private static final int MAX_PAIRS = 1_000;

    private static final List<FaultKind> KINDS =
            List.of(FaultKind.PAUSE, FaultKind.KILL, FaultKind.DELAY);

    private static final List<Operation> OPERATIONS = List.of(Operation.GET, Operation.PUT);

    /** Few keys, so that wrk's script needs little memory. */
    private static final int KEYS = 20_000;

    private final Map<String, String> environment;
    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--kinds",
            paramLabel = "KIND",
            split = ",",
            converter = KindConverter.class,
            completionCandidates = KindNames.class,
            description = "Of faults: ${COMPLETION-CANDIDATES}. The default is all.")
    private List<FaultKind> kinds = KINDS;

    @Option(
            names = "--operations",
            paramLabel = "OPERATION",
            split = ",",
            description = "GET or PUT, one after the other. The default is both.")
    private List<Operation> operations = OPERATIONS;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "Of runs, before and with the fault. The default is ${DEFAULT-VALUE}.")
    private int pairs = 5;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Of each of them. The default is ${DEFAULT-VALUE}.")
    private int seconds = 4;

    @Option(
            names = "--back-seconds",
            paramLabel = "N",
            description = "Of the run when the node is back. The default is ${DEFAULT-VALUE}.")
    private int backSeconds = 3;

    @Option(
            names = "--warm-up-seconds",
            paramLabel = "N",
            description = "Of each operation, at first. The default is ${DEFAULT-VALUE}.")
    private int warmUpSeconds = 20;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Requests under way at any time. The default is ${DEFAULT-VALUE}.")
    private int connections = 64;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the figures there too, an object for each.")
    private @Nullable Path json;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(FIRST_PORT);

    FaultBench(Map<String, String> environment, Path home, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Optional<String> complaint =
                where.complaint(home)
                        .or(() -> violation("--pairs", pairs, 1, MAX_PAIRS))
                        .or(() -> violation("--seconds", seconds, 1, MAX_SECONDS))
                        .or(() -> violation("--back-seconds", backSeconds, 1, MAX_SECONDS))
                        .or(() -> violation("--warm-up-seconds", warmUpSeconds, 1, MAX_SECONDS))
                        .or(() -> violation("--connections", connections, 2, MAX_CONNECTIONS));
        if (complaint.isEmpty() && !OPERATIONS.containsAll(operations)) {
            complaint = Optional.of("--operations must be get or put.");
        }
        Optional<Path> wrk = Command.find("wrk", environment.getOrDefault("PATH", ""));
        if (complaint.isEmpty() && wrk.isEmpty()) {
            complaint = Optional.of(ClusterBench.NEEDS_WRK);
        }
        return BenchOutcome.of(err, complaint, json, () -> measure(wrk.orElseThrow()));
    }

    /** Whether everything has a figure. */
    private boolean measure(Path program) throws IOException, CommandException {
        FaultPlan plan =
                new FaultPlan(
                        kinds,
                        operations,
                        connections,
                        KEYS,
                        warmUpSeconds,
                        seconds,
                        backSeconds,
                        pairs);
        try (ScratchFolder scratch = where.scratch(home, "faults-");
                NodeClient client = new NodeClient()) {
            Wrk wrk = new Wrk(program, Optional.empty(), scratch.path());
            FaultResult result =
                    new FaultBenchmark(
                                    kind ->
                                            LocalBreakableCluster.start(
                                                    kind,
                                                    where.port(),
                                                    flags ->
                                                            scratch.start(
                                                                    NODES, where.port(), flags),
                                                    NanoClock.SYSTEM),
                                    wrk,
                                    Probe.of(client),
                                    NanoClock.SYSTEM,
                                    err::println)
                            .run(plan);
            FaultReport report = new FaultReport(result);
            out.println(circumstances(wrk));
            out.println();
            out.print(report.table());
            if (json != null) {
                Files.writeString(json, report.json(), UTF_8);
            }
            return result.refusals().isEmpty();
        }
    }

    /** What a reader needs to know to believe the figures, or not to. */
    private String circumstances(Wrk wrk) throws CommandException {
        return ("%d processors for the nodes and %s together, Java %s. %d keys, values of 100 bytes,"
                        + " %d connections to n1. %d pairs: %d s healthy, n3 fails, one second more,"
                        + " %d s; it is back, %d s. Warmed up for %d s of each.")
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        wrk.version(),
                        Runtime.version(),
                        KEYS,
                        connections,
                        pairs,
                        seconds,
                        seconds,
                        backSeconds,
                        warmUpSeconds);
    }

    /** The names of the faults on the command line. */
    static final class KindNames extends ArrayList<String> {

        private static final long serialVersionUID = 1;

        KindNames() {
            KINDS.forEach(kind -> add(kind.participle().toUpperCase(Locale.ROOT)));
        }
    }

    /** Reads the name of a fault, in upper or lower case. */
    static final class KindConverter implements CommandLine.ITypeConverter<FaultKind> {

        @Override
        public FaultKind convert(String name) {
            for (FaultKind kind : KINDS) {
                if (kind.participle().equalsIgnoreCase(name)) {
                    return kind;
                }
            }
            throw new CommandLine.TypeConversionException(
                    "expected one of "
                            + new KindNames()
                            + " (case-insensitive) but was '"
                            + name
                            + "'");
        }
    }
}

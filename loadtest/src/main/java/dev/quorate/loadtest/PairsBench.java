package dev.quorate.loadtest;

import static dev.quorate.cli.local.Commands.violation;

import com.google.common.math.Quantiles;
import dev.quorate.cli.process.CommandException;
import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.RefusedFigureException;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench pairs}: compares this build with another one on one machine.
 *
 * <p>Three nodes of each build run at the same time, but only one cluster has load. The order
 * within a pair alternates. The JIT compiler decides differently in each start, which can change a
 * rate more than a new build does. So both clusters are restarted several times, in alternating
 * order, and each start contributes its median ratio.
 *
 * <p>Exit status: 0 if this build is not slower in any operation; 1 if it is slower, or a
 * measurement failed; 2 if the arguments are invalid or a build is missing.
 */
@CommandLine.Command(
        name = "pairs",
        description = "Compares this build with another one, operation by operation.")
final class PairsBench implements Callable<Integer> {

    /** The measured operations, at {@code 2/3}. */
    enum Kind {
        GET(Load.Operation.GET),
        PUT(Load.Operation.PUT),
        CAS(Load.Operation.PUT_IF_MATCH);

        private final Load.Operation operation;

        Kind(Load.Operation operation) {
            this.operation = operation;
        }
    }

    private static final int NODES = 3;
    private static final int MAX_PAIRS = 1_000;
    private static final int MAX_SECONDS = 600;

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;
    private final LoadGenerator generator = new OpenLoopGenerator();

    @Option(
            names = "--against",
            required = true,
            paramLabel = "FOLDER",
            description = "A checkout that is built, or an unpacked release.")
    private @Nullable Path against;

    @Option(
            names = "--operations",
            split = ",",
            paramLabel = "OPERATION",
            description = "get, put and cas (a PUT with If-Match). Default: all three.")
    private Set<Kind> operations = Set.of(Kind.values());

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "Pairs for each operation and start. Default: ${DEFAULT-VALUE}.")
    private int pairs = 4;

    @Option(
            names = "--starts",
            paramLabel = "N",
            description = "Number of starts of both clusters. Default: ${DEFAULT-VALUE}.")
    private int starts = 6;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Seconds of each half of a pair. Default: ${DEFAULT-VALUE}.")
    private int seconds = 3;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description =
                    "Seconds of load before each operation counts. Default: ${DEFAULT-VALUE}.")
    private int warmUpSeconds = 15;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Requests in progress at any time. Default: ${DEFAULT-VALUE}.")
    private int connections = 64;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(18_380);

    PairsBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Path other = against == null ? home : against;
        Optional<String> complaint =
                where.complaint(home)
                        .or(() -> ClusterOptions.missing(other))
                        .or(() -> violation("--pairs", pairs, 1, MAX_PAIRS))
                        .or(() -> violation("--starts", starts, PairedRatios.MIN, MAX_PAIRS))
                        .or(() -> violation("--seconds", seconds, 1, MAX_SECONDS))
                        .or(() -> violation("--warm-up", warmUpSeconds, 1, MAX_SECONDS))
                        .or(() -> violation("--connections", connections, 2, 1_000));
        if (complaint.isPresent()) {
            err.println(complaint.get());
            return 2;
        }
        try {
            return measure(other) ? 0 : 1;
        } catch (CommandException | IOException e) {
            err.println("No figures: " + e.getMessage());
            return 1;
        }
    }

    private boolean measure(Path other) throws IOException, CommandException {
        Map<Kind, List<Double>> ratios = new EnumMap<>(Kind.class);
        operations.forEach(each -> ratios.put(each, new ArrayList<>()));
        int port = where.port();
        try (ScratchFolder ourFolder = where.scratch(home, "pairs-");
                ScratchFolder theirFolder = where.scratch(other, "pairs-")) {
            for (int start = 0; start < starts; start++) {
                boolean isNewFirst = start % 2 == 0;
                ScratchFolder firstFolder = isNewFirst ? ourFolder : theirFolder;
                ScratchFolder secondFolder = isNewFirst ? theirFolder : ourFolder;
                int firstPort = isNewFirst ? port : port + NODES;
                int secondPort = isNewFirst ? port + NODES : port;
                try (ProcessCluster first = firstFolder.start(NODES, firstPort);
                        ProcessCluster second = secondFolder.start(NODES, secondPort)) {
                    ProcessCluster ours = isNewFirst ? first : second;
                    ProcessCluster theirs = isNewFirst ? second : first;
                    measure(ours.url(), theirs.url(), ratios);
                }
            }
        }
        boolean isNotSlower = true;
        for (Map.Entry<Kind, List<Double>> each : ratios.entrySet()) {
            PairedRatios result = new PairedRatios(each.getValue());
            out.println(name(each.getKey()) + ": " + result.text());
            isNotSlower &= result.isNotSlower();
        }
        return isNotSlower;
    }

    /** Adds the median ratio of one start to the list of each operation. */
    private void measure(String ours, String theirs, Map<Kind, List<Double>> medians)
            throws CommandException {
        for (String url : List.of(ours, theirs)) {
            generator.run(load(url, Load.Operation.PUT, Load.Manner.EVERY_KEY, warmUpSeconds));
        }
        for (Map.Entry<Kind, List<Double>> each : medians.entrySet()) {
            Kind kind = each.getKey();
            List<Double> ratios = new ArrayList<>();
            rate(kind, ours, warmUpSeconds);
            rate(kind, theirs, warmUpSeconds);
            for (int pair = 0; pair < pairs; pair++) {
                boolean isNewFirst = pair % 2 == 0;
                double first = rate(kind, isNewFirst ? ours : theirs, seconds);
                double second = rate(kind, isNewFirst ? theirs : ours, seconds);
                double ratio = isNewFirst ? first / second : second / first;
                ratios.add(ratio);
                err.printf(
                        Locale.ROOT,
                        "%s: %,.0f/s new, %,.0f/s old, %.3f%n",
                        name(kind),
                        isNewFirst ? first : second,
                        isNewFirst ? second : first,
                        ratio);
            }
            each.getValue().add(Quantiles.median().compute(ratios));
        }
    }

    private double rate(Kind kind, String url, int duration) throws CommandException {
        var result = generator.run(load(url, kind.operation, Load.Manner.TIMED, duration));
        if (result.statusErrors() + result.socketErrors() > 0) {
            throw new RefusedFigureException(
                    "%s: %d requests failed at %s"
                            .formatted(
                                    name(kind),
                                    result.statusErrors() + result.socketErrors(),
                                    url));
        }
        return result.requestsPerSecond();
    }

    private Load load(String url, Load.Operation operation, Load.Manner manner, int duration) {
        return Load.unbounded(
                url,
                Load.Requests.of(operation, "2/3", 10_000, 100),
                Load.Clients.of(connections),
                manner,
                duration);
    }

    private static String name(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Ratios of paired measurements: the median and its 95 % confidence interval.
     *
     * <p>The interval is that of the sign test (two order statistics, chosen by the binomial
     * distribution with p = ½), so it assumes no distribution of the ratios.
     *
     * @param ratios new divided by old, one for each start
     */
    record PairedRatios(List<Double> ratios) {

        /** With fewer ratios, no two order statistics enclose the median with 95 %. */
        static final int MIN = 6;

        private static final double TAIL = 0.025;
        private static final double NOT_SLOWER_MEDIAN = 0.98;
        private static final double NOT_SLOWER_LOW = 0.95;

        public PairedRatios {
            if (ratios.size() < MIN) {
                throw new IllegalArgumentException(ratios.size() + " ratios");
            }
            ratios = ratios.stream().sorted().toList();
        }

        public double median() {
            return Quantiles.median().compute(ratios);
        }

        public double low() {
            return ratios.get(cut());
        }

        public double high() {
            return ratios.get(ratios.size() - 1 - cut());
        }

        /**
         * Whether the new build counts as not slower: the median is at least 0.98, or the interval
         * contains 1 and begins at 0.95 or later.
         */
        public boolean isNotSlower() {
            return median() >= NOT_SLOWER_MEDIAN
                    || (low() >= NOT_SLOWER_LOW && low() <= 1 && high() >= 1);
        }

        public String text() {
            return String.format(
                    Locale.ROOT,
                    "median %.3f, 95 %% interval %.3f to %.3f, %d starts: %s",
                    median(),
                    low(),
                    high(),
                    ratios.size(),
                    isNotSlower() ? "not slower" : "slower");
        }

        /** The number of ratios to omit at either end. */
        private int cut() {
            int count = ratios.size();
            double probability = Math.pow(0.5, count);
            double below = probability;
            int cut = -1;
            for (int i = 0; below <= TAIL; i++) {
                cut = i;
                probability *= (double) (count - i) / (i + 1);
                below += probability;
            }
            return cut;
        }
    }
}

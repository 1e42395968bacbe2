package dev.quorate.loadtest;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.ProcessCluster;
import dev.quorate.loadtest.pressure.OpenLoop;
import dev.quorate.loadtest.pressure.Overload;
import dev.quorate.loadtest.pressure.PressurePlan;
import dev.quorate.loadtest.pressure.Ranges;
import dev.quorate.loadtest.pressure.SlowKind;
import dev.quorate.loadtest.pressure.SlowTrial;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench pressure}: what a cluster does with clients that send too much, or too
 * slowly.
 *
 * <p>Exit status: 0 if everything was measured; 1 if a cluster did not start, broke, or did not
 * take the keys; 2 if the arguments make no sense or there is nothing to start. It judges nothing:
 * the figures are for the reader.
 */
@CommandLine.Command(
        name = "pressure",
        description = "Too many requests, slow clients, and ranges larger than the heap.")
final class PressureBench implements Callable<Integer> {

    private static final int BROKEN = 1;
    private static final int CANNOT_BEGIN = 2;
    private static final int NODES = 3;
    private static final int FIRST_PORT = 18_180;

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--cases",
            paramLabel = "CASE",
            split = ",",
            description =
                    "overload-get, overload-put, overload-mix, overload-large (PUTs of 64 KiB),"
                            + " slow, ranges. The default is all.")
    private List<String> cases = PressurePlan.CASES;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Of an overload. The default is ${DEFAULT-VALUE}.")
    private int connections = 1_024;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Of each stretch under too much load. The default is ${DEFAULT-VALUE}.")
    private int seconds = 15;

    @Option(
            names = "--multiples",
            paramLabel = "X",
            split = ",",
            description = "Of the peak, that are offered. The default is 1,2,5.")
    private List<Double> multiples = List.of(1.0, 2.0, 5.0);

    @Option(
            names = "--sockets",
            paramLabel = "N",
            description =
                    "Of slow clients, of each kind, and of readers of ranges that read nothing. The"
                            + " default is ${DEFAULT-VALUE}.")
    private int sockets = 5_000;

    @Option(
            names = "--slow",
            paramLabel = "KIND",
            split = ",",
            description = "Kinds of slow clients: ${COMPLETION-CANDIDATES}. The default is all.")
    private List<SlowKind> kinds = List.of(SlowKind.values());

    @Option(
            names = "--range-mib",
            paramLabel = "N",
            description = "What there is to be read as a range. The default is ${DEFAULT-VALUE}.")
    private int rangeMebibytes = 2_048;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(FIRST_PORT);

    PressureBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Optional<String> complaint = where.complaint(home).or(this::complaint);
        if (complaint.isPresent()) {
            err.println("quorate bench: " + complaint.get());
            return CANNOT_BEGIN;
        }
        try (ScratchFolder scratch = where.scratch(home, "pressure-")) {
            for (String each : cases) {
                try (ProcessCluster _ = scratch.start(NODES, where.port(), List.of())) {
                    measure(each);
                }
            }
            return 0;
        } catch (CommandException | IOException | UncheckedIOException e) {
            err.println("quorate bench: no figures: " + e.getMessage());
            return BROKEN;
        }
    }

    private Optional<String> complaint() {
        for (String each : cases) {
            if (!PressurePlan.CASES.contains(each)) {
                return Optional.of(
                        "there is no case '%s': the cases are %s."
                                .formatted(each, String.join(", ", PressurePlan.CASES)));
            }
        }
        if (connections < 1 || seconds < 1 || sockets < 1 || rangeMebibytes < 1) {
            return Optional.of(
                    "--connections, --seconds, --sockets and --range-mib must be at least 1.");
        }
        return multiples.stream().anyMatch(multiple -> !(multiple > 0))
                ? Optional.of("--multiples must be above 0.")
                : Optional.empty();
    }

    private void measure(String each) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        List<InetSocketAddress> nodes =
                IntStream.range(0, NODES)
                        .mapToObj(node -> new InetSocketAddress(here, where.port() + node))
                        .toList();
        switch (each) {
            case "slow" -> {
                SlowTrial trial = new SlowTrial(nodes, out::println);
                for (SlowKind kind : kinds) {
                    trial.run(kind, sockets);
                }
            }
            case "ranges" -> {
                Ranges ranges = new Ranges(nodes, out::println);
                ranges.fill(rangeMebibytes);
                ranges.readAll();
                ranges.leaveLying(16);
                ranges.leaveLying(64);
                ranges.crowd(sockets);
                ranges.breakOff(16);
            }
            default -> {
                out.println(each + ", " + connections + " connections");
                PressurePlan plan = PressurePlan.of(each);
                try (OpenLoop load = new OpenLoop(nodes.getFirst(), 64)) {
                    plan.fill(load);
                }
                Overload.Plan overload = plan.overload(connections, seconds, multiples);
                new Overload(nodes, out::println).run(overload, plan.requests());
            }
        }
    }
}

package dev.quorate.loadtest;

import static dev.quorate.harness.OptionRange.violation;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench warmup}: how fast three nodes are from the moment they are ready, second
 * by second.
 *
 * <p>Exit status: 0 if everything was measured; 1 if a cluster did not start or broke; 2 if the
 * arguments make no sense or there is nothing to start.
 */
@CommandLine.Command(
        name = "warmup",
        description = "Three nodes that have just started: throughput and latency over time.")
final class WarmUpBench implements Callable<Integer> {

    private static final int NODES = 3;
    private static final int FIRST_PORT = 18_280;
    private static final int KEYS = 100_000;
    private static final int VALUE_BYTES = 100;
    private static final int CONNECTIONS = 64;
    private static final int GENERATOR_SECONDS = 8;
    private static final int MAX_SECONDS = 3_600;
    private static final int MAX_RATE = 1_000_000;

    /** The throughput in the end is that of so many last seconds. */
    private static final int LAST_SECONDS = 5;

    private static final int SLICE_SECONDS = 10;
    private static final double MICROS_PER_MILLI = 1_000;

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Of each load. The default is ${DEFAULT-VALUE}.")
    private int seconds = 60;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Requests a second at a fixed rate. The default is ${DEFAULT-VALUE}.")
    private int rate = 10_000;

    @CommandLine.Mixin private final ClusterOptions where = new ClusterOptions(FIRST_PORT);

    WarmUpBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        Optional<String> complaint =
                where.complaint(home)
                        .or(() -> violation("--seconds", seconds, SLICE_SECONDS, MAX_SECONDS))
                        .or(() -> violation("--rate", rate, 1, MAX_RATE));
        return BenchOutcome.of(err, complaint, this::measure);
    }

    private boolean measure() throws IOException, CommandException {
        try (ScratchFolder scratch = where.scratch(home, "warmup-")) {
            LoadGenerator generator = new OpenLoopGenerator();
            warm(generator, scratch);
            out.print(throughput(run(generator, scratch, Load.Operation.MIXED, 0)));
            out.print(latency(run(generator, scratch, Load.Operation.PUT, rate)));
            return true;
        }
    }

    /** So that what is measured is not how Java compiles the load generator. */
    private void warm(LoadGenerator generator, ScratchFolder scratch) throws CommandException {
        try (RunningCluster cluster = scratch.running(1, where.port())) {
            generator.run(load(cluster.url(), Load.Operation.PUT, "1/1", GENERATOR_SECONDS, 0));
        }
    }

    private LoadResult run(
            LoadGenerator generator, ScratchFolder scratch, Load.Operation operation, int perSecond)
            throws CommandException {
        try (RunningCluster cluster = scratch.running(NODES, where.port())) {
            return generator.run(load(cluster.url(), operation, "2/3", seconds, perSecond));
        }
    }

    private static Load load(
            String url, Load.Operation operation, String replicas, int seconds, int perSecond) {
        return new Load(
                url,
                Load.Requests.of(operation, replicas, KEYS, VALUE_BYTES),
                Load.Clients.of(CONNECTIONS),
                Load.Manner.TIMED,
                new Load.Timing(0, seconds, perSecond));
    }

    /** The throughput of each second, and what it is of that in the end. */
    static String throughput(LoadResult result) {
        long[] counts = result.overTime().stream().mapToLong(Histogram::getTotalCount).toArray();
        double last =
                Arrays.stream(counts)
                        .skip(Math.max(0, counts.length - LAST_SECONDS))
                        .average()
                        .orElse(0);
        StringBuilder text =
                new StringBuilder(
                        "GET and PUT 2/3 by turns, 64 connections, from when three nodes were"
                                + " ready:%n".formatted());
        text.append(String.format(Locale.ROOT, "%,.0f/s in the last %d s%n", last, LAST_SECONDS));
        for (int i = 0; i < counts.length; i++) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "second %d: %,d/s, %.2f of the last%n",
                            i + 1,
                            counts[i],
                            counts[i] / Math.max(1, last)));
        }
        return text.toString();
    }

    /** The latency of every ten seconds. */
    private String latency(LoadResult result) {
        StringBuilder text =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "PUT 2/3 at %,d/s, 64 connections, from when three nodes were"
                                        + " ready:%n",
                                rate));
        List<Histogram> all = result.overTime();
        for (int from = 0; from < all.size(); from += SLICE_SECONDS) {
            int to = Math.min(from + SLICE_SECONDS, all.size());
            Histogram slice = new Histogram(3);
            all.subList(from, to).forEach(slice::add);
            text.append(
                    String.format(
                            Locale.ROOT,
                            "seconds %d to %d: %,d/s, p50 %.1f, p99 %.1f, p99.9 %.1f, max %.1f"
                                    + " ms%n",
                            from + 1,
                            to,
                            slice.getTotalCount() / (to - from),
                            slice.getValueAtPercentile(50) / MICROS_PER_MILLI,
                            slice.getValueAtPercentile(99) / MICROS_PER_MILLI,
                            slice.getValueAtPercentile(99.9) / MICROS_PER_MILLI,
                            slice.getMaxValue() / MICROS_PER_MILLI));
        }
        return text.toString();
    }
}

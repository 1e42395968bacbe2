package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.late.LateBenchmark;
import dev.quorate.loadtest.late.LatePlan;
import dev.quorate.loadtest.late.LateReport;
import dev.quorate.loadtest.late.LateResult;
import dev.quorate.loadtest.late.NodeRecordings;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** {@code ./quorate bench cluster --late}. */
final class LateRun {

    private final Path home;
    private final ClusterOptions where;
    private final PrintStream out;
    private final PrintStream err;

    LateRun(Path home, ClusterOptions where, PrintStream out, PrintStream err) {
        this.home = home;
        this.where = where;
        this.out = out;
        this.err = err;
    }

    /** Whether every case has its figures. */
    boolean measure(LatePlan plan, Optional<Path> json) throws IOException, CommandException {
        try (ScratchFolder scratch = where.scratch(home, "late-");
                NodeClient client = new NodeClient()) {
            LateResult result =
                    new LateBenchmark(
                                    count -> scratch.running(count, where.port()),
                                    new OpenLoopGenerator(),
                                    Probe.of(client),
                                    nodes -> new NodeRecordings(nodes, scratch.path()),
                                    err::println)
                            .run(plan);
            LateReport report = new LateReport(result);
            out.println(circumstances(plan));
            out.println();
            out.print(report.text());
            if (json.isPresent()) {
                Files.writeString(json.get(), report.json(), UTF_8);
            }
            return result.refusals().isEmpty();
        }
    }

    /** What a reader needs to know to believe the figures, or not to. */
    private static String circumstances(LatePlan plan) {
        return String.format(
                Locale.ROOT,
                "%d processors for the nodes and the load generator together, Java %s. %,d requests a"
                        + " second over %d connections to one node, %,d keys, values of %d bytes; %d s,"
                        + " after %d s as fast as they were answered. The nodes' Flight Recorders"
                        + " recorded, which costs something.",
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                plan.rate(),
                plan.clients().connections(),
                plan.keys(),
                plan.valueBytes(),
                plan.pace().seconds(),
                plan.pace().warmUpSeconds());
    }
}

package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.beside.BesideBenchmark;
import dev.quorate.loadtest.beside.BesidePlan;
import dev.quorate.loadtest.beside.BesideResult;
import dev.quorate.loadtest.beside.OtherStore;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** {@code ./quorate bench cluster --beside}. */
final class BesideRun {

    private final Path home;
    private final ClusterOptions where;
    private final PrintStream out;
    private final PrintStream err;

    BesideRun(Path home, ClusterOptions where, PrintStream out, PrintStream err) {
        this.home = home;
        this.where = where;
        this.out = out;
        this.err = err;
    }

    /** Whether every case has its figures. */
    boolean measure(BesidePlan plan, OtherStore.Kind kind, String url, Optional<Path> json)
            throws IOException, CommandException {
        try (NodeClient client = new NodeClient()) {
            OtherStore other = OtherStore.ask(kind, url, client);
            err.println("Beside " + other.description() + ".");
            try (ScratchFolder scratch = where.scratch(home, "beside-")) {
                BesideResult result =
                        new BesideBenchmark(
                                        count -> scratch.running(count, where.port()),
                                        new OpenLoopGenerator(),
                                        Probe.of(client),
                                        err::println)
                                .run(plan, other);
                out.println(circumstances(plan, other));
                out.println();
                out.print(result.text());
                if (json.isPresent()) {
                    Files.writeString(json.get(), result.json(), UTF_8);
                }
                return result.refusals().isEmpty();
            }
        }
    }

    /** What a reader needs to know to believe the figures, or not to. */
    private static String circumstances(BesidePlan plan, OtherStore other) {
        return String.format(
                Locale.ROOT,
                "%d processors here, for our nodes and the load generator together, Java %s. Beside %s"
                        + " at %s. %,d keys, values of %d bytes, %d connections to one node or server%s."
                        + " %d turns of %d s each, after %d s.",
                Runtime.getRuntime().availableProcessors(),
                Runtime.version(),
                other.description(),
                other.url(),
                plan.keys(),
                plan.valueBytes(),
                plan.clients().connections(),
                plan.rate() == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %,d requests a second", plan.rate()),
                plan.pace().turns(),
                plan.pace().seconds(),
                plan.pace().warmUpSeconds());
    }
}

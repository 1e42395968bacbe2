package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.NodeClient;
import dev.quorate.harness.ProcessCluster;
import dev.quorate.loadtest.beside.OtherStore;
import dev.quorate.loadtest.conditional.ConditionalBenchmark;
import dev.quorate.loadtest.conditional.ConditionalPlan;
import dev.quorate.loadtest.conditional.ConditionalResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** {@code ./quorate bench cluster --conditional}. */
final class ConditionalRun {

    private static final int NODES = 3;

    private final Path home;
    private final ClusterOptions where;
    private final PrintStream out;
    private final PrintStream err;

    ConditionalRun(Path home, ClusterOptions where, PrintStream out, PrintStream err) {
        this.home = home;
        this.where = where;
        this.out = out;
        this.err = err;
    }

    /** Whether every case has its figures. */
    boolean measure(ConditionalPlan plan, Optional<String> etcd, Optional<Path> json)
            throws IOException, CommandException {
        Optional<OtherStore> other = Optional.empty();
        if (etcd.isPresent()) {
            try (NodeClient client = new NodeClient()) {
                other = Optional.of(OtherStore.ask(OtherStore.Kind.ETCD, etcd.get(), client));
            }
        }
        try (ScratchFolder scratch = where.scratch(home, "conditional-");
                ProcessCluster cluster = scratch.start(NODES, where.port(), List.of())) {
            List<String> nodes = List.of(cluster.url("n1"), cluster.url("n2"), cluster.url("n3"));
            ConditionalResult result =
                    new ConditionalBenchmark(
                                    nodes,
                                    other.map(OtherStore::url),
                                    System::nanoTime,
                                    err::println)
                            .run(plan);
            out.println(circumstances(plan));
            other.ifPresent(store -> out.println("Beside " + store.description() + "."));
            out.println();
            out.print(result.text());
            if (json.isPresent()) {
                Files.writeString(json.get(), result.json(), UTF_8);
            }
            return result.refusals().isEmpty();
        }
    }

    /** What a reader needs to know to believe the figures, or not to. */
    private static String circumstances(ConditionalPlan plan) {
        return ("%d processors for three nodes and the clients together, Java %s. PUTs of %d bytes"
                        + " through one node, each client with a key of its own; increments of one"
                        + " key. Medians of %d turns of %d s, after %d s; the longest wait is that of"
                        + " all turns.")
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        Runtime.version(),
                        plan.valueBytes(),
                        plan.pace().turns(),
                        plan.pace().seconds(),
                        plan.pace().warmUpSeconds());
    }
}

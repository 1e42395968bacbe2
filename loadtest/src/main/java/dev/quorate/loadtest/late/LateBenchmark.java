package dev.quorate.loadtest.late;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.BenchPlan;
import dev.quorate.loadtest.bench.ClusterBenchmark;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.bench.RunCheck;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.bench.StoredKeys;
import dev.quorate.loadtest.late.LatePlan.Case;
import dev.quorate.loadtest.late.LatePlan.Loading;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Span;
import dev.quorate.loadtest.metrics.NodeFigures;
import dev.quorate.loadtest.openloop.NotedLoad;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends loads at a fixed rate, and names what happened when requests were late.
 *
 * <p>Each case is warmed up by a load of which every answer is checked. The recordings of the nodes
 * have begun by then, so that their start is not what is measured.
 */
public final class LateBenchmark {

    private static final int UNAVAILABLE = 503;
    private static final int CREATED = 201;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final int LOADING_CONNECTIONS = 16;

    /** Beyond what it takes at the given rate. */
    private static final int LOADING_GRACE_SECONDS = 60;

    private final ClusterBenchmark.Starter starter;
    private final OpenLoopGenerator generator;
    private final Probe probe;
    private final Recorder recorder;
    private final Consumer<String> progress;

    /**
     * Measures clusters.
     *
     * @param progress receives a line for each step
     */
    public LateBenchmark(
            ClusterBenchmark.Starter starter,
            OpenLoopGenerator generator,
            Probe probe,
            Recorder recorder,
            Consumer<String> progress) {
        this.starter = starter;
        this.generator = generator;
        this.probe = probe;
        this.recorder = recorder;
        this.progress = progress;
    }

    /**
     * Measures everything.
     *
     * @throws CommandException if a cluster, a recording or the load generator does not do its part
     */
    public LateResult run(LatePlan plan) throws CommandException {
        List<LateResult.Figures> figures = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        for (int nodes : plan.cases().stream().map(Case::nodes).distinct().toList()) {
            List<Case> cases = plan.only(each -> each.nodes() == nodes).cases();
            progress.accept(cases.getFirst().name().replaceAll(",.*", "") + ": starting");
            try (RunningCluster cluster = starter.start(nodes)) {
                fill(plan, nodes, cluster.url());
                for (Case each : cases) {
                    try {
                        figures.add(new CaseRun(plan, each, cluster).measure());
                    } catch (RefusedFigureException e) {
                        refusals.add(each.name() + ": no figure: " + e.sentence());
                        progress.accept(refusals.getLast());
                    }
                }
            } catch (RefusedFigureException e) {
                refusals.add("no figures of %d nodes: %s".formatted(nodes, e.sentence()));
            }
        }
        return new LateResult(figures, refusals);
    }

    private void fill(LatePlan plan, int nodes, String url)
            throws RefusedFigureException, CommandException {
        new StoredKeys(
                        new BenchPlan(List.of(), BenchPlan.QUICK, plan.keys()),
                        nodes,
                        url,
                        generator,
                        probe,
                        progress)
                .fill(plan.valueBytes());
    }

    private final class CaseRun {

        private final LatePlan plan;
        private final Case each;
        private final RunningCluster cluster;

        CaseRun(LatePlan plan, Case each, RunningCluster cluster) {
            this.plan = plan;
            this.each = each;
            this.cluster = cluster;
        }

        /** What may be refused while more is written than the nodes can merge. */
        private Set<Integer> tolerated() {
            return each.loading().isNone() ? Set.of() : Set.of(UNAVAILABLE);
        }

        private Load load(Load.Manner manner, int seconds, int rate) {
            return new Load(
                    cluster.url(),
                    Load.Requests.of(
                            each.operation(), each.replicas(), plan.keys(), plan.valueBytes()),
                    plan.clients(),
                    manner,
                    new Load.Timing(0, seconds, rate));
        }

        LateResult.Figures measure() throws RefusedFigureException, CommandException {
            Recorder.Recording recording = recorder.start(cluster.nodes());
            NotedLoad noted;
            LateResult.@Nullable Loaded loaded = null;
            List<Span> stolen;
            List<Happening> happenings;
            try {
                warmUp();
                try (HostWatch host = HostWatch.start()) {
                    if (each.loading().isNone()) {
                        noted = timed();
                    } else {
                        Beside beside = new Beside(each.loading(), cluster.url());
                        noted = timed();
                        loaded = beside.finish();
                    }
                    stolen = host.stolen();
                }
            } finally {
                happenings = new ArrayList<>(recording.stop(plan.limit().dividedBy(2)));
            }
            stolen.forEach(when -> happenings.add(new Happening(Cause.STOLEN, when, "host")));
            noted.ownDelays()
                    .forEach(
                            when ->
                                    happenings.add(
                                            new Happening(Cause.GENERATOR, when, "generator")));
            LateResult.Figures figures =
                    new LateResult.Figures(
                            each.name(),
                            plan.rate(),
                            noted.result(),
                            LateCauses.of(plan.limit(), noted.late(), happenings),
                            noted.uncounted(),
                            noted.result().answers().getOrDefault(UNAVAILABLE, 0L),
                            Optional.ofNullable(loaded));
            progress.accept(sentence(noted));
            return figures;
        }

        private void warmUp() throws RefusedFigureException, CommandException {
            Load load = load(Load.Manner.CHECKED, plan.pace().warmUpSeconds(), 0);
            RunCheck.requireRight(load, generator.run(load), tolerated());
        }

        private NotedLoad timed() throws RefusedFigureException, CommandException {
            Load load = load(Load.Manner.TIMED, plan.seconds(each), plan.rate());
            NotedLoad noted = generator.runNoting(load, plan.limit());
            RunCheck.requireRight(load, noted.result(), tolerated());
            return noted;
        }

        private String sentence(NotedLoad noted) {
            return String.format(
                    Locale.ROOT,
                    "%s: p99 %.2f ms, %,d late",
                    each.name(),
                    noted.result().latency().millis(0.99),
                    noted.late().size() + noted.uncounted());
        }
    }

    /** Puts values while a case runs. */
    private final class Beside {

        private final Loading loading;
        private final InetSocketAddress node;
        private final NodeFigures before;
        private final CompletableFuture<LoadResult> result;

        Beside(Loading loading, String url) throws CommandException {
            this.loading = loading;
            URI uri = URI.create(url);
            this.node = new InetSocketAddress(uri.getHost(), uri.getPort());
            this.before = figures();
            Load load =
                    new Load(
                            url,
                            Load.Requests.of(
                                    Load.Operation.PUT,
                                    "2/3",
                                    loading.keys(),
                                    LatePlan.LOADED_VALUE_BYTES),
                            Load.Clients.of(LOADING_CONNECTIONS),
                            Load.Manner.EVERY_KEY,
                            new Load.Timing(
                                    0,
                                    loading.seconds() + LOADING_GRACE_SECONDS,
                                    loading.keysPerSecond()));
            result =
                    CompletableFuture.supplyAsync(
                            () -> run(load),
                            task -> Thread.ofPlatform().name("loading").daemon().start(task));
        }

        private LoadResult run(Load load) {
            try {
                return generator.run(load);
            } catch (CommandException e) {
                throw new CompletionException(e);
            }
        }

        private NodeFigures figures() throws CommandException {
            try {
                return NodeFigures.of(node);
            } catch (IOException e) {
                throw new CommandException("the metrics of " + node + ": " + e, e);
            }
        }

        LateResult.Loaded finish() throws CommandException {
            NodeFigures after = figures();
            long stored;
            try {
                stored = result.join().answers().getOrDefault(CREATED, 0L);
            } catch (CompletionException e) {
                throw new CommandException("Loading broke off: " + e.getCause(), e);
            }
            return new LateResult.Loaded(
                    stored * LatePlan.LOADED_VALUE_BYTES / BYTES_PER_MIB,
                    loading.mebibytes(),
                    grown(after, "quorate_flush_bytes_total"),
                    grown(after, "quorate_compaction_bytes_total{dir=\"written\"}"));
        }

        private double grown(NodeFigures after, String name) {
            return (after.value(name).orElse(0) - before.value(name).orElse(0)) / BYTES_PER_MIB;
        }
    }
}

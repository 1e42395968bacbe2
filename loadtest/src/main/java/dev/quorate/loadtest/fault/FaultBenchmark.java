package dev.quorate.loadtest.fault;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.FaultKind;
import dev.quorate.harness.NanoClock;
import dev.quorate.loadtest.bench.BenchPlan;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.bench.RunCheck;
import dev.quorate.loadtest.bench.StoredKeys;
import dev.quorate.loadtest.fault.BreakableCluster.Watching;
import dev.quorate.loadtest.fault.FaultMeasurement.Pair;
import dev.quorate.loadtest.fault.FaultMeasurement.Run;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Carries out a plan: for each fault a cluster, keys that are put and read back, a warm-up that
 * checks every answer, and then, for each operation, pairs of runs.
 *
 * <p>A run with the fault is compared to the healthy one right before it, since a virtual machine
 * can be twice as fast in one minute as in the next. In the first second of the fault there is the
 * same load: what piles up then is there when it counts. An error in a healthy run, and there is no
 * figure; those with the fault are counted and reported, and are no throughput.
 */
public final class FaultBenchmark {

    private static final int NODES = 3;

    /** From the fault on, in which anything may happen. */
    private static final int FIRST_SECONDS = 1;

    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final BreakableCluster.Starter starter;
    private final LoadGenerator generator;
    private final Probe probe;
    private final NanoClock clock;
    private final Consumer<String> progress;

    /**
     * Measures clusters.
     *
     * @param progress receives a line for each step
     */
    public FaultBenchmark(
            BreakableCluster.Starter starter,
            LoadGenerator generator,
            Probe probe,
            NanoClock clock,
            Consumer<String> progress) {
        this.starter = starter;
        this.generator = generator;
        this.probe = probe;
        this.clock = clock;
        this.progress = progress;
    }

    /**
     * Measures everything.
     *
     * @throws CommandException if a cluster or the load generator does not do its part
     */
    public FaultResult run(FaultPlan plan) throws CommandException {
        List<FaultMeasurement> measurements = new ArrayList<>();
        List<FaultResult.Refusal> refusals = new ArrayList<>();
        for (FaultKind kind : plan.kinds()) {
            progress.accept(kind.participle() + ": starting");
            try (BreakableCluster cluster = starter.start(kind)) {
                new ClusterRun(plan, kind, cluster).measureAll(measurements, refusals);
            }
        }
        return new FaultResult(measurements, refusals);
    }

    /** All that is measured with one fault. */
    private final class ClusterRun {

        private final FaultPlan plan;
        private final FaultKind kind;
        private final BreakableCluster cluster;

        ClusterRun(FaultPlan plan, FaultKind kind, BreakableCluster cluster) {
            this.plan = plan;
            this.kind = kind;
            this.cluster = cluster;
        }

        void measureAll(List<FaultMeasurement> measurements, List<FaultResult.Refusal> refusals)
                throws CommandException {
            try {
                prepare();
            } catch (RefusedFigureException e) {
                refuse(refusals, kind.participle(), e);
                return;
            }
            for (Operation operation : plan.operations()) {
                String name = kind.participle() + ", " + operation + " " + FaultPlan.REPLICAS;
                try {
                    measurements.add(measure(name, operation));
                } catch (RefusedFigureException e) {
                    refuse(refusals, name, e);
                }
            }
        }

        private void refuse(
                List<FaultResult.Refusal> refusals, String name, RefusedFigureException refused) {
            refusals.add(new FaultResult.Refusal(name, refused.sentence()));
            progress.accept(name + ": no figure: " + refused.sentence());
        }

        private void prepare() throws RefusedFigureException, CommandException {
            BenchPlan keys = new BenchPlan(List.of(), BenchPlan.QUICK, plan.keys());
            new StoredKeys(
                            keys,
                            NODES,
                            cluster.url(),
                            generator,
                            probe,
                            sentence -> progress.accept(kind.participle() + ": " + sentence))
                    .fill(FaultPlan.VALUE_BYTES);
            for (Operation operation : plan.operations().reversed()) {
                Load load = load(operation, Load.Manner.CHECKED, plan.warmUpSeconds());
                RunCheck.requireRight(load, generator.run(load));
            }
        }

        private FaultMeasurement measure(String name, Operation operation)
                throws RefusedFigureException, CommandException {
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < plan.pairs(); i++) {
                Pair pair = pair(operation);
                pairs.add(pair);
                progress.accept(line(name, pair));
            }
            return new FaultMeasurement(name, pairs);
        }

        private Pair pair(Operation operation) throws RefusedFigureException, CommandException {
            Load timed = load(operation, Load.Manner.TIMED, plan.seconds());
            Run healthy = watched(timed);
            RunCheck.requireRight(timed, healthy.result());
            Run failing;
            cluster.fail();
            try {
                generator.run(load(operation, Load.Manner.TIMED, FIRST_SECONDS));
                failing = watched(timed);
            } finally {
                cluster.recover();
            }
            Run back = watched(load(operation, Load.Manner.TIMED, plan.backSeconds()));
            return new Pair(healthy, failing, back, settle());
        }

        private Run watched(Load load) throws RefusedFigureException, CommandException {
            try (Watching watching = cluster.watch()) {
                LoadResult result = generator.run(load);
                if (result.requests() == 0) {
                    throw new RefusedFigureException("nothing was answered.");
                }
                return new Run(result, watching.peaks());
            }
        }

        /** See {@link Pair#settledMillis}. */
        private long settle() throws CommandException {
            long begun = clock.nanos();
            while (!cluster.sample().isSettled()) {
                long now = clock.nanos();
                if (now - begun > SETTLE_NANOS) {
                    return -1;
                }
                clock.awaitNanos(now + SAMPLE_NANOS);
            }
            return TimeUnit.NANOSECONDS.toMillis(clock.nanos() - begun);
        }

        private Load load(Operation operation, Load.Manner manner, int seconds) {
            Load.Requests requests =
                    Load.Requests.of(
                            operation, FaultPlan.REPLICAS, plan.keys(), FaultPlan.VALUE_BYTES);
            Load.Clients clients = Load.Clients.of(plan.connections());
            return Load.unbounded(cluster.url(), requests, clients, manner, seconds);
        }
    }

    private static String line(String name, Pair pair) {
        return String.format(
                Locale.ROOT,
                "%s: %,.0f/s, p99 %.1f ms; with the fault %,.0f/s = %.2f, p99 %.1f ms = %.1fx,"
                        + " %d errors; back %,.0f/s = %.2f, p99 %.1f ms = %.1fx, %d errors",
                name,
                pair.healthy().goodPerSecond(),
                pair.healthy().p99Millis(),
                pair.failing().goodPerSecond(),
                FaultMeasurement.throughputRatio(pair),
                pair.failing().p99Millis(),
                FaultMeasurement.p99Ratio(pair),
                pair.failing().errors(),
                pair.back().goodPerSecond(),
                FaultMeasurement.backRatio(pair),
                pair.back().p99Millis(),
                FaultMeasurement.backP99Ratio(pair),
                pair.back().errors());
    }
}

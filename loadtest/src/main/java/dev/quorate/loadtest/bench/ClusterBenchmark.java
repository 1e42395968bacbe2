package dev.quorate.loadtest.bench;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.BenchPlan.ClusterPlan;
import dev.quorate.loadtest.bench.BenchResult.Refusal;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out a plan.
 *
 * <p>Keys are put, and every one is read back, before anything counts. Each case is warmed up by a
 * run that counts its answers by status and compares their bodies. The runs that count do without,
 * so that the load generator costs less; in them a status above 399 is noticed all the same, the
 * node's own count of its answers is asked for any other, and afterwards some keys are read back.
 * Before each of them the static answer is measured again: a virtual machine can be twice as fast
 * in one minute as in the next, and a ratio across minutes would measure that more than the
 * cluster. One wrong answer or broken connection and the case has no figure at all, since an error
 * is often faster than an answer; nor have those that are compared to it.
 */
public final class ClusterBenchmark {

    /** Starts a cluster with that many nodes and no data. */
    @FunctionalInterface
    public interface Starter {
        RunningCluster start(int nodes) throws CommandException;
    }

    private final Starter starter;
    private final LoadGenerator generator;
    private final Probe probe;
    private final Profiler profiler;
    private final Consumer<String> progress;

    /**
     * Measures clusters.
     *
     * @param profiler is at work during the runs that count
     * @param progress receives a line for each step
     */
    public ClusterBenchmark(
            Starter starter,
            LoadGenerator generator,
            Probe probe,
            Profiler profiler,
            Consumer<String> progress) {
        this.starter = starter;
        this.generator = generator;
        this.probe = probe;
        this.profiler = profiler;
        this.progress = progress;
    }

    /**
     * Measures everything.
     *
     * @throws CommandException if a cluster or the load generator does not do its part
     */
    public BenchResult run(BenchPlan plan) throws CommandException {
        List<Measurement> measurements = new ArrayList<>();
        List<Refusal> refusals = new ArrayList<>();
        for (ClusterPlan cluster : plan.clusters()) {
            progress.accept(cluster.name() + ": starting");
            try (RunningCluster running = starter.start(cluster.nodes())) {
                new ClusterRun(plan, cluster, running).measureAll(measurements, refusals);
            }
        }
        return new BenchResult(measurements, refusals);
    }

    /** All cases of one cluster. */
    private final class ClusterRun {

        private final BenchPlan plan;
        private final ClusterPlan cluster;
        private final RunningCluster running;
        private final String url;
        private final StoredKeys keys;
        private final Map<BenchCase, Measurement> measured = new HashMap<>();

        /** Tolerated ones of the case that is being measured. */
        private long refusals;

        ClusterRun(BenchPlan plan, ClusterPlan cluster, RunningCluster running) {
            this.plan = plan;
            this.cluster = cluster;
            this.running = running;
            this.url = running.url();
            this.keys =
                    new StoredKeys(
                            plan,
                            cluster.nodes(),
                            url,
                            generator,
                            probe,
                            sentence -> progress.accept(cluster.name() + ": " + sentence));
        }

        void measureAll(List<Measurement> measurements, List<Refusal> refusals)
                throws CommandException {
            for (BenchCase each : cluster.cases()) {
                try {
                    Measurement measurement = measure(each);
                    measured.put(each, measurement);
                    measurements.add(measurement);
                    progress.accept(figure(measurement));
                } catch (RefusedFigureException e) {
                    refusals.add(new Refusal(each.name(), e.sentence()));
                    progress.accept(each.name() + ": no figure: " + e.sentence());
                }
            }
        }

        private Measurement measure(BenchCase each)
                throws RefusedFigureException, CommandException {
            BenchCase reference = cluster.referenceOf(each);
            if (!each.equals(reference)) {
                requireMeasured(reference);
            }
            int rate = rate(each);
            keys.fillFor(each);
            Load warmUp =
                    Load.unbounded(
                            url,
                            requests(each),
                            Load.Clients.of(each.connections()),
                            Load.Manner.CHECKED,
                            plan.pace().warmUpSeconds());
            RunCheck.requireRight(warmUp, generator.run(warmUp), each.toleratedStatuses());
            List<LoadResult> runs = new ArrayList<>();
            refusals = 0;
            double ratioBeside = timedRuns(each, reference, rate, runs);
            keys.checkAfter(each);
            Long refused = each.toleratedStatuses().isEmpty() ? null : refusals;
            return new Measurement(each.name(), reference.name(), rate, runs, ratioBeside, refused);
        }

        /** See {@link Measurement#ratioBeside}. */
        private double timedRuns(
                BenchCase each, BenchCase reference, int rate, List<LoadResult> runs)
                throws RefusedFigureException, CommandException {
            // In a profile of the case, the static answer would only be in the way.
            int besideSeconds =
                    profiler.equals(Profiler.NONE) ? plan.pace().secondsBeside(each) : 0;
            List<Double> ratios = new ArrayList<>();
            try (Profiler.Recording _ = profiler.start(each.name(), running)) {
                for (int run = 0; run < plan.pace().runs(); run++) {
                    double beside =
                            besideSeconds == 0
                                    ? Double.POSITIVE_INFINITY
                                    : timedRun(reference, besideSeconds, 0).requestsPerSecond();
                    LoadResult result = timedRun(each, plan.pace().runSeconds(), rate);
                    ratios.add(result.requestsPerSecond() / beside);
                    runs.add(result);
                }
            }
            Collections.sort(ratios);
            return ratios.get(ratios.size() / 2);
        }

        private LoadResult timedRun(BenchCase each, int seconds, int rate)
                throws RefusedFigureException, CommandException {
            Load timed =
                    new Load(
                            url,
                            requests(each),
                            Load.Clients.of(each.connections()),
                            Load.Manner.TIMED,
                            new Load.Timing(0, seconds, rate));
            AnswerCounts before = AnswerCounts.of(probe, url);
            LoadResult result = generator.run(timed);
            RunCheck.requireRight(timed, result, each.toleratedStatuses());
            refusals +=
                    AnswerCounts.of(probe, url)
                            .requireOnly(
                                    each.operation().expectedStatuses(),
                                    each.toleratedStatuses(),
                                    before);
            return result;
        }

        private Load.Requests requests(BenchCase each) {
            return Load.Requests.of(
                    each.operation(),
                    each.replicas(),
                    plan.keys(each.valueBytes()),
                    each.valueBytes());
        }

        private int rate(BenchCase each) throws RefusedFigureException {
            double highest =
                    each.rate() == Rate.HALF
                            ? requireMeasured(cluster.highestOf(each)).median().requestsPerSecond()
                            : 0;
            return each.rate().perSecond(highest);
        }

        private Measurement requireMeasured(BenchCase other) throws RefusedFigureException {
            @Nullable Measurement measurement = measured.get(other);
            if (measurement == null) {
                throw new RefusedFigureException("there is no figure for " + other.name() + ".");
            }
            return measurement;
        }
    }

    private static String figure(Measurement measurement) {
        LoadResult median = measurement.median();
        return String.format(
                Locale.ROOT,
                "%s: %,.0f requests/s, p99 %.2f ms",
                measurement.name(),
                median.requestsPerSecond(),
                median.latency().millis(0.99));
    }
}

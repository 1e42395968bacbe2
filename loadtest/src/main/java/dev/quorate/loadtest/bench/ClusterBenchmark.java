package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.bench.BenchPlan.BenchCase;
import dev.quorate.loadtest.bench.BenchPlan.ClusterPlan;
import dev.quorate.loadtest.process.CommandException;
import dev.quorate.loadtest.wrk.Load;
import dev.quorate.loadtest.wrk.LoadGenerator;
import dev.quorate.loadtest.wrk.WrkResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Carries out a plan.
 *
 * <p>Each cluster is filled, and every key is read back, before anything counts. Each case is
 * warmed up by a run that counts its answers by status: all have to have the one that is right. The
 * runs that count do without, so that the load generator costs less; in them a status above 399 is
 * noticed all the same. One wrong answer or broken connection anywhere and there is no figure at
 * all, since an error is often faster than an answer.
 */
public final class ClusterBenchmark {

    /** Starts a cluster with that many nodes and no data. */
    @FunctionalInterface
    public interface Starter {
        RunningCluster start(int nodes) throws CommandException;
    }

    /** Filling a cluster, or reading it back, is tried with that many seconds first … */
    private static final int FIRST_FILL_SECONDS = 2;

    /** … and with twice as many until it is enough, or more than this. */
    private static final int MOST_FILL_SECONDS = 256;

    private final Starter starter;
    private final LoadGenerator generator;
    private final Consumer<String> progress;

    public ClusterBenchmark(Starter starter, LoadGenerator generator, Consumer<String> progress) {
        this.starter = starter;
        this.generator = generator;
        this.progress = progress;
    }

    /**
     * Measures everything.
     *
     * @throws RefusedException if an answer was not the right one
     * @throws CommandException if a cluster or the load generator does not do its part
     */
    public List<Measurement> run(BenchPlan plan) throws RefusedException, CommandException {
        List<Measurement> measurements = new ArrayList<>();
        for (ClusterPlan cluster : plan.clusters()) {
            progress.accept(cluster.name() + ": starting");
            try (RunningCluster running = starter.start(cluster.nodes())) {
                fill(plan, cluster, running.url());
                for (BenchCase each : cluster.cases()) {
                    Measurement measurement = measure(plan, cluster, each, running.url());
                    progress.accept(
                            "%s: %,.0f requests/s"
                                    .formatted(
                                            measurement.name(),
                                            measurement.median().requestsPerSecond()));
                    measurements.add(measurement);
                }
            }
        }
        return measurements;
    }

    private void fill(BenchPlan plan, ClusterPlan cluster, String url)
            throws RefusedException, CommandException {
        for (Load.Operation operation : List.of(Load.Operation.PUT, Load.Operation.GET)) {
            String name = cluster.name() + ", " + operation + " of all keys";
            int seconds = FIRST_FILL_SECONDS;
            while (!reachesEveryKey(name, fillLoad(plan, cluster, url, operation, seconds))) {
                seconds *= 2;
                if (seconds > MOST_FILL_SECONDS) {
                    throw new RefusedException(
                            "%s: not all of %d keys were answered within %d seconds."
                                    .formatted(name, plan.keys(), MOST_FILL_SECONDS));
                }
            }
        }
        progress.accept(cluster.name() + ": " + plan.keys() + " keys put and read back");
    }

    private boolean reachesEveryKey(String name, Load load)
            throws RefusedException, CommandException {
        WrkResult result = generator.run(load);
        requireRight(name, load, result);
        return result.everyKey();
    }

    private static Load fillLoad(
            BenchPlan plan,
            ClusterPlan cluster,
            String url,
            Load.Operation operation,
            int seconds) {
        String everywhere = cluster.nodes() + "/" + cluster.nodes();
        return new Load(
                url,
                operation,
                everywhere,
                plan.keys(),
                plan.valueBytes(),
                plan.connections(),
                seconds,
                true,
                true);
    }

    private Measurement measure(BenchPlan plan, ClusterPlan cluster, BenchCase each, String url)
            throws RefusedException, CommandException {
        String name = cluster.name() + ", " + each.name();
        Load counted = load(plan, each, url, plan.pace().warmUpSeconds(), true);
        requireRight(name, counted, generator.run(counted));
        Load timed = load(plan, each, url, plan.pace().runSeconds(), false);
        List<WrkResult> runs = new ArrayList<>();
        for (int run = 0; run < plan.pace().runs(); run++) {
            WrkResult result = generator.run(timed);
            requireRight(name, timed, result);
            runs.add(result);
        }
        String reference = cluster.name() + ", " + cluster.cases().getFirst().name();
        return new Measurement(name, reference, runs);
    }

    private static Load load(
            BenchPlan plan, BenchCase each, String url, int seconds, boolean checked) {
        return new Load(
                url,
                each.operation(),
                each.replicas(),
                plan.keys(),
                plan.valueBytes(),
                plan.connections(),
                seconds,
                false,
                checked);
    }

    private static void requireRight(String name, Load load, WrkResult result)
            throws RefusedException {
        if (result.requests() == 0) {
            throw new RefusedException(name + ": nothing was answered.");
        }
        if (result.socketErrors() > 0) {
            throw new RefusedException(
                    "%s: %d connections failed, broke or were kept waiting for two seconds."
                            .formatted(name, result.socketErrors()));
        }
        if (result.statusErrors() > 0 && !load.checked()) {
            throw new RefusedException(
                    "%s: %d of %d answers had a status above 399."
                            .formatted(name, result.statusErrors(), result.requests()));
        }
        int expected = load.operation().expectedStatus();
        if (load.checked() && !result.answers().keySet().equals(Set.of(expected))) {
            throw new RefusedException(
                    "%s: every answer should have status %d, and these came: %s."
                            .formatted(name, expected, describe(result.answers())));
        }
    }

    private static String describe(Map<Integer, Long> answers) {
        List<String> parts =
                answers.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(answer -> answer.getValue() + " with " + answer.getKey())
                        .toList();
        return parts.isEmpty() ? "none" : String.join(", ", parts);
    }
}

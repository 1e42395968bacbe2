package dev.quorate.loadtest.beside;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.BenchPlan;
import dev.quorate.loadtest.bench.ClusterBenchmark;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.bench.RunCheck;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.bench.StoredKeys;
import dev.quorate.loadtest.beside.BesidePlan.Case;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Sends the same loads to clusters of ours and to another store, by turns: who begins changes from
 * turn to turn. Both run all the time. One wrong answer, and a case has no figures.
 */
public final class BesideBenchmark {

    private final ClusterBenchmark.Starter starter;
    private final LoadGenerator generator;
    private final Probe probe;
    private final Consumer<String> progress;

    /**
     * Measures clusters.
     *
     * @param progress receives a line for each step
     */
    public BesideBenchmark(
            ClusterBenchmark.Starter starter,
            LoadGenerator generator,
            Probe probe,
            Consumer<String> progress) {
        this.starter = starter;
        this.generator = generator;
        this.probe = probe;
        this.progress = progress;
    }

    /**
     * Measures everything.
     *
     * @throws CommandException if a cluster, the other store or the load generator does not do its
     *     part
     */
    public BesideResult run(BesidePlan plan, OtherStore other) throws CommandException {
        List<BesideResult.Figures> figures = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        boolean isFilled = false;
        for (int nodes : plan.cases().stream().map(Case::nodes).distinct().toList()) {
            List<Case> cases = plan.only(each -> each.nodes() == nodes).cases();
            try (RunningCluster cluster = starter.start(nodes)) {
                Store ours = new Store("Quorate", cluster.url(), Load.Api.REPLICAS);
                Store theirs = new Store(other.kind().label(), other.url(), other.kind().api());
                ours.fill(plan, nodes + "/" + nodes);
                if (!isFilled) {
                    theirs.fill(plan, "1/1");
                    isFilled = true;
                }
                for (Case each : cases) {
                    try {
                        figures.add(measure(plan, each, ours, theirs));
                        progress.accept(figures.getLast().name() + ": measured");
                    } catch (RefusedFigureException e) {
                        refusals.add(each.name() + ": no figures: " + e.sentence());
                        progress.accept(refusals.getLast());
                    }
                }
            } catch (RefusedFigureException e) {
                refusals.add(cases.getFirst().name() + " and more: no figures: " + e.sentence());
            }
        }
        return new BesideResult(other, plan.rate(), figures, refusals);
    }

    private BesideResult.Figures measure(BesidePlan plan, Case each, Store ours, Store theirs)
            throws RefusedFigureException, CommandException {
        List<LoadResult> our = new ArrayList<>();
        List<LoadResult> their = new ArrayList<>();
        int warmUp = plan.pace().warmUpSeconds();
        ours.run(plan, each, Load.Manner.CHECKED, warmUp, 0);
        theirs.run(plan, each, Load.Manner.CHECKED, warmUp, 0);
        int seconds = plan.pace().seconds();
        for (int turn = 0; turn < plan.pace().turns(); turn++) {
            if (turn % 2 == 0) {
                our.add(ours.run(plan, each, Load.Manner.TIMED, seconds, plan.rate()));
                their.add(theirs.run(plan, each, Load.Manner.TIMED, seconds, plan.rate()));
            } else {
                their.add(theirs.run(plan, each, Load.Manner.TIMED, seconds, plan.rate()));
                our.add(ours.run(plan, each, Load.Manner.TIMED, seconds, plan.rate()));
            }
        }
        return new BesideResult.Figures(each.name(), our, their);
    }

    /** One of the two. */
    private final class Store {

        private final String name;
        private final String url;
        private final Load.Api api;

        Store(String name, String url, Load.Api api) {
            this.name = name;
            this.url = url;
            this.api = api;
        }

        void fill(BesidePlan plan, String replicas)
                throws RefusedFigureException, CommandException {
            try {
                new StoredKeys(
                                new BenchPlan(List.of(), BenchPlan.QUICK, plan.keys()),
                                replicas,
                                api,
                                url,
                                generator,
                                probe,
                                sentence -> progress.accept(name + ": " + sentence))
                        .fill(plan.valueBytes());
            } catch (RefusedFigureException e) {
                throw new RefusedFigureException(name + ": " + e.sentence());
            }
        }

        LoadResult run(BesidePlan plan, Case each, Load.Manner manner, int seconds, int rate)
                throws RefusedFigureException, CommandException {
            Load load =
                    new Load(
                            url,
                            new Load.Requests(
                                    each.operation(),
                                    each.replicas(),
                                    api,
                                    plan.keys(),
                                    plan.valueBytes(),
                                    0),
                            plan.clients(),
                            manner,
                            new Load.Timing(0, seconds, rate));
            LoadResult result = generator.run(load);
            try {
                RunCheck.requireRight(load, result);
            } catch (RefusedFigureException e) {
                throw new RefusedFigureException(name + ": " + e.sentence());
            }
            if (manner == Load.Manner.TIMED) {
                progress.accept(
                        String.format(
                                Locale.ROOT,
                                "%s, %s: %,.0f requests/s, p99 %.2f ms",
                                each.name(),
                                name,
                                result.requestsPerSecond(),
                                result.latency().millis(0.99)));
            }
            return result;
        }
    }
}

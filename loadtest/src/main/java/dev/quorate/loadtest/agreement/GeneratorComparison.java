package dev.quorate.loadtest.agreement;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.agreement.AgreementPlan.Case;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.bench.RunCheck;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Has two load generators send the same loads to the same cluster, one after the other and again,
 * since a machine may be faster in one minute than in the next.
 */
public final class GeneratorComparison {

    /** A load generator and what it is called. */
    public record Named(String name, LoadGenerator generator) {}

    private record Percentile(String name, double share) {}

    private static final List<Percentile> PERCENTILES =
            List.of(
                    new Percentile("p50", 0.5),
                    new Percentile("p90", 0.9),
                    new Percentile("p99", 0.99),
                    new Percentile("p99.9", 0.999));

    private final Named reference;
    private final Named other;
    private final Consumer<String> progress;

    /**
     * Compares one to the other.
     *
     * @param progress receives the figures of each run
     */
    public GeneratorComparison(Named reference, Named other, Consumer<String> progress) {
        this.reference = reference;
        this.other = other;
        this.progress = progress;
    }

    /**
     * Sends everything.
     *
     * @param url of a node that has the keys of the plan
     * @return for each load, four percentiles in milliseconds
     * @throws RefusedFigureException if a single answer of a run was not the right one
     */
    public List<Agreement> run(AgreementPlan plan, String url)
            throws RefusedFigureException, CommandException {
        List<Agreement> agreements = new ArrayList<>();
        for (Case each : AgreementPlan.CASES) {
            Load warmUp = plan.warmUp(each, url);
            RunCheck.requireRight(warmUp, other.generator().run(warmUp));
            List<LoadResult> ofReference = new ArrayList<>();
            List<LoadResult> ofOther = new ArrayList<>();
            for (int turn = 0; turn < plan.turns(); turn++) {
                ofReference.add(measure(each, plan.run(each, url), reference));
                ofOther.add(measure(each, plan.run(each, url), other));
            }
            for (Percentile percentile : PERCENTILES) {
                ToDoubleFunction<LoadResult> millis =
                        result -> result.latency().millis(percentile.share());
                agreements.add(
                        new Agreement(
                                each.name() + ", " + percentile.name(),
                                figures(ofReference, millis),
                                figures(ofOther, millis)));
            }
        }
        return agreements;
    }

    private LoadResult measure(Case each, Load load, Named by)
            throws RefusedFigureException, CommandException {
        LoadResult result = by.generator().run(load);
        RunCheck.requireRight(load, result);
        progress.accept(
                String.format(
                        Locale.ROOT,
                        "%s, %s: %,.0f requests/s, p50 %.2f, p90 %.2f, p99 %.2f, p99.9 %.2f, max"
                                + " %.1f ms",
                        each.name(),
                        by.name(),
                        result.requestsPerSecond(),
                        result.latency().millis(0.5),
                        result.latency().millis(0.9),
                        result.latency().millis(0.99),
                        result.latency().millis(0.999),
                        result.latency().maxMillis()));
        return result;
    }

    private static GeneratorFigures figures(
            List<LoadResult> results, ToDoubleFunction<LoadResult> millis) {
        return new GeneratorFigures(results.stream().map(millis::applyAsDouble).toList());
    }
}

package dev.quorate.loadtest.conditional;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.conditional.ConditionalPlan.Case;
import dev.quorate.loadtest.conditional.Tally.Turn;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Measures the cases of a plan by turns, on one cluster: each is compared to the first in the same
 * turn. One wrong answer, and a case has no figures.
 */
public final class ConditionalBenchmark {

    private final List<URI> nodes;
    private final Optional<URI> etcd;
    private final LongSupplier nanos;
    private final Consumer<String> progress;

    /**
     * Measures a cluster that runs.
     *
     * @param nodes their URLs
     * @param etcd the URL of an etcd, for its cases
     * @param nanos the time
     * @param progress receives a line for each step
     */
    public ConditionalBenchmark(
            List<String> nodes,
            Optional<String> etcd,
            LongSupplier nanos,
            Consumer<String> progress) {
        this.nodes = nodes.stream().map(URI::create).toList();
        this.etcd = etcd.map(URI::create);
        this.nanos = nanos;
        this.progress = progress;
    }

    /**
     * Measures everything.
     *
     * @throws CommandException if a node does not answer
     */
    public ConditionalResult run(ConditionalPlan plan) throws CommandException {
        Map<Case, List<Turn>> turns = new LinkedHashMap<>();
        Map<Case, String> refusals = new LinkedHashMap<>();
        plan.cases().forEach(each -> turns.put(each, new ArrayList<>()));
        // The first turn warms everything up.
        for (int turn = 0; turn <= plan.pace().turns(); turn++) {
            for (Case each : plan.cases()) {
                int seconds = turn == 0 ? plan.pace().warmUpSeconds() : plan.pace().seconds();
                if (refusals.containsKey(each)) {
                    continue;
                }
                try {
                    Turn measured =
                            new Clients(connections(each), each, plan.valueBytes(), nanos)
                                    .run(seconds);
                    progress.accept(
                            String.format(
                                    Locale.ROOT,
                                    "%s: %,.0f/s%s",
                                    each.name(),
                                    measured.perSecond(),
                                    turn == 0 ? ", warming up" : ""));
                    if (turn > 0) {
                        turns.getOrDefault(each, List.of()).add(measured);
                    }
                } catch (RefusedFigureException e) {
                    refusals.put(each, each.name() + ": no figures: " + e.sentence());
                    progress.accept(refusals.getOrDefault(each, ""));
                }
            }
        }
        turns.keySet().removeAll(refusals.keySet());
        List<ConditionalResult.Figures> figures = new ArrayList<>();
        turns.forEach(
                (each, measured) ->
                        figures.add(new ConditionalResult.Figures(each.name(), measured)));
        return new ConditionalResult(figures, List.copyOf(refusals.values()));
    }

    private Clients.Connections connections(Case each) {
        return each.isElsewhere()
                ? client -> new EtcdConnection(etcd.orElseThrow())
                : client ->
                        new QuorateConnection(
                                nodes.get(client % each.nodes()), each.kind().parameters());
    }
}

package dev.quorate.loadtest.scenario;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.RefusedFigureException;
import dev.quorate.loadtest.load.RunCheck;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.ScenarioResult.BreakingPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs scenarios against one node: warms it up, finds the breaking point, and measures runs, each
 * with a run of the static answer at the same rate. A scenario with a wrong answer has no figures,
 * because errors are often faster than answers.
 */
final class ScenarioRunner {

    /** The maximum length of a node's static answer. */
    private static final int MAX_STATIC_BYTES = 1 << 16;

    private final LoadGenerator generator;
    private final LoadTarget target;
    private final LoadPace pace;
    private final Limits limits;
    private final Consumer<String> progress;

    /** Distinguishes the new keys of each load. */
    private int series;

    ScenarioRunner(
            LoadGenerator generator,
            LoadTarget target,
            LoadPace pace,
            Limits limits,
            Consumer<String> progress) {
        this.generator = generator;
        this.target = target;
        this.pace = pace;
        this.limits = limits;
        this.progress = progress;
    }

    /** Sends reads and writes with the parameters of a scenario until the cluster is warm. */
    void warmUp(Scenario scenario) throws CommandException {
        progress.accept("Warming up for " + pace.warmUpSeconds() + " seconds");
        Load.Operation both = Load.Operation.MIXED;
        generator.run(load(scenario, both, Manner.TIMED, pace.warmUpSeconds(), 0));
    }

    /**
     * Runs a scenario.
     *
     * @throws CommandException if the load generator fails, or there is no answer
     */
    ScenarioResult run(Scenario scenario) throws CommandException {
        if (scenario.startsFresh()) {
            return runFresh(scenario);
        }
        List<LoadResult> runs = new ArrayList<>();
        List<LoadResult> statics = new ArrayList<>();
        BreakingPoint breakingPoint = null;
        int rate = 0;
        Load.Operation operation = scenario.operation();
        try {
            checked(scenario, load(scenario, operation, Manner.CHECKED, pace.highestSeconds(), 0));
            if (scenario.needsBreakingPoint()) {
                breakingPoint = breakingPoint(scenario);
                requireFound(breakingPoint);
            }
            rate =
                    breakingPoint == null
                            ? 0
                            : (int) Math.max(1, breakingPoint.perSecond() * limits.share());
            for (int i = 0; i < pace.runs(); i++) {
                statics.add(timed(scenario, Load.Operation.STATIC, rate));
                runs.add(timed(scenario, operation, rate));
            }
            progress.accept(figures(scenario, runs));
        } catch (RefusedFigureException e) {
            return refused(scenario, breakingPoint, rate, e);
        }
        return new ScenarioResult(scenario, breakingPoint, rate, runs, statics, null);
    }

    private ScenarioResult runFresh(Scenario scenario) throws CommandException {
        Load.Timing timing = new Load.Timing(0, pace.freshSeconds(), 0);
        Load fromStart = load(scenario, scenario.operation(), Manner.TIMED, timing);
        try {
            List<LoadResult> runs = List.of(checked(scenario, fromStart));
            progress.accept(figures(scenario, runs));
            return new ScenarioResult(scenario, null, 0, runs, List.of(), null);
        } catch (RefusedFigureException e) {
            return refused(scenario, null, 0, e);
        }
    }

    private ScenarioResult refused(
            Scenario scenario,
            @Nullable BreakingPoint breakingPoint,
            int rate,
            RefusedFigureException reason) {
        progress.accept(scenario.title() + ": no figures: " + reason.getMessage());
        return new ScenarioResult(
                scenario, breakingPoint, rate, List.of(), List.of(), reason.getMessage());
    }

    /** Sends the requests of a scenario for some time and ignores the result. */
    void load(Scenario scenario, double perSecond, int seconds) throws CommandException {
        generator.run(load(scenario, scenario.operation(), Manner.TIMED, seconds, (int) perSecond));
    }

    private static String figures(Scenario scenario, List<LoadResult> runs) {
        LoadResult last = runs.getLast();
        return String.format(
                Locale.ROOT,
                "%s: %,.0f a second, p99 %.2f ms",
                scenario.title(),
                last.requestsPerSecond(),
                last.latency().millis(0.99));
    }

    private BreakingPoint breakingPoint(Scenario scenario) throws CommandException {
        Load highest = load(scenario, scenario.operation(), Manner.TIMED, pace.highestSeconds(), 0);
        double reached = checked(scenario, highest).requestsPerSecond();
        BreakingPointSearch search = new BreakingPointSearch(reached, pace.mostSteps());
        List<BreakingPoint.Step> steps = new ArrayList<>();
        OptionalInt next = search.next();
        while (next.isPresent()) {
            BreakingPoint.Step step = step(scenario, next.getAsInt());
            steps.add(step);
            progress.accept(
                    String.format(
                            Locale.ROOT,
                            "%s: of %,.0f a second, %,.0f were answered, p99 %.1f ms: %s",
                            scenario.title(),
                            step.asked(),
                            step.achieved(),
                            step.p99Millis(),
                            step.held() ? "holds" : "does not hold"));
            search.tried(step.held());
            next = search.next();
        }
        return new BreakingPoint(search.found(), limits.p99Millis(), steps);
    }

    private static void requireFound(BreakingPoint point) throws RefusedFigureException {
        if (point.perSecond() == 0) {
            throw new RefusedFigureException(
                    String.format(
                            Locale.ROOT,
                            "no rate held, down to %,.0f a second, with a 99th percentile of at most"
                                    + " %.0f ms.",
                            point.steps().isEmpty() ? 0 : point.steps().getLast().asked(),
                            point.p99LimitMillis()));
        }
    }

    private BreakingPoint.Step step(Scenario scenario, int rate) throws CommandException {
        Load load = load(scenario, scenario.operation(), Manner.TIMED, pace.stepSeconds(), rate);
        LoadResult result = generator.run(load);
        double p99 = result.latency().millis(0.99);
        boolean held = limits.hold(rate, result.requestsPerSecond(), p99);
        try {
            RunCheck.requireRight(load, result, scenario.tolerated());
        } catch (RefusedFigureException e) {
            held = false; // an overloaded cluster refuses requests
        }
        return new BreakingPoint.Step(rate, result.requestsPerSecond(), p99, held);
    }

    private LoadResult timed(Scenario scenario, Load.Operation operation, int rate)
            throws CommandException {
        return checked(scenario, load(scenario, operation, Manner.TIMED, pace.runSeconds(), rate));
    }

    private LoadResult checked(Scenario scenario, Load load) throws CommandException {
        LoadResult result = generator.run(load);
        try {
            RunCheck.requireRight(load, result, scenario.tolerated());
        } catch (RefusedFigureException e) {
            boolean isStatic = load.requests().operation() != scenario.operation();
            throw new RefusedFigureException(
                    (isStatic ? "the static answer: " : "") + e.getMessage());
        }
        return result;
    }

    private Load load(
            Scenario scenario, Load.Operation operation, Manner manner, int seconds, int rate) {
        Load.Timing timing = new Load.Timing(pace.settleSeconds(), seconds, rate);
        return load(scenario, operation, manner, timing);
    }

    private Load load(
            Scenario scenario, Load.Operation operation, Manner manner, Load.Timing timing) {
        return new Load(
                target.url(),
                new Load.Requests(
                        operation,
                        scenario.replicas(),
                        target.api(),
                        target.keys(scenario.valueBytes()),
                        operation == Load.Operation.STATIC
                                ? Math.min(scenario.valueBytes(), MAX_STATIC_BYTES)
                                : scenario.valueBytes(),
                        ++series),
                scenario.clients(),
                manner,
                timing);
    }

    /**
     * Searches the highest sustainable rate in a few steps. It begins below the rate that was
     * reached without a limit, decreases the rate by a quarter until one is sustainable, and then
     * halves the gap between the highest sustainable and the lowest other rate.
     *
     * <p>Pure: it returns the next rate to try, and receives the result.
     */
    static final class BreakingPointSearch {

        /** Upper limit: an open loop reaches no higher rate, except for noise. */
        private static final double CEILING = 1.05;

        private static final double FIRST = 0.9;
        private static final double DOWN = 0.75;

        /** The search ends when the gap is at most this share of the rate. */
        private static final double CLOSE_ENOUGH = 0.05;

        private final int mostSteps;
        private int steps;
        private double held;
        private double notHeld;
        private int tried;

        /**
         * @param reached requests a second without a limit
         * @param mostSteps the maximum number of rates to try
         */
        BreakingPointSearch(double reached, int mostSteps) {
            this.notHeld = reached * CEILING;
            this.mostSteps = mostSteps;
            this.tried = rounded(reached * FIRST);
        }

        /** The next rate to try, in requests a second; empty at the end of the search. */
        OptionalInt next() {
            boolean isFound = held > 0 && notHeld - held <= CLOSE_ENOUGH * held;
            return isFound || steps == mostSteps || tried < 1
                    ? OptionalInt.empty()
                    : OptionalInt.of(tried);
        }

        /** Records the result of the rate that {@link #next} returned. */
        void tried(boolean hasHeld) {
            steps++;
            if (hasHeld) {
                held = Math.max(held, tried);
            } else {
                notHeld = Math.min(notHeld, tried);
            }
            int next = rounded(held > 0 ? (held + notHeld) / 2 : tried * DOWN);
            boolean isNew = next > held && next < notHeld;
            tried = isNew ? next : 0;
        }

        /** The highest sustainable rate; 0 if there was none. */
        int found() {
            return (int) held;
        }

        /** Rounds down to three digits: measurements are not more exact. */
        private static int rounded(double rate) {
            int unit = 1;
            while (rate / unit >= 1_000) {
                unit *= 10;
            }
            return (int) (Math.floor(rate / unit) * unit);
        }
    }
}

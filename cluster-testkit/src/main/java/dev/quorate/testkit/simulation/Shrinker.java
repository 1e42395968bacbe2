package dev.quorate.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/**
 * Shrinks a failing simulation to less time, fewer faults and fewer requests that still fail.
 *
 * <p>An omission does not change the draws of the rest: each strike and each request draws from its
 * own random source. Halves are omitted first, then quarters, down to single items (Zeller and
 * Hildebrandt, <i>Simplifying and Isolating Failure-Inducing Input</i>, 2002).
 */
final class Shrinker {

    private static final int MAX_RUNS = 1_000;
    private static final long MIN_MILLIS = 50;

    private SimulationInput shortest;
    private SimulationResult result;
    private int runs;

    private Shrinker(SimulationInput bad, SimulationResult result) {
        this.shortest = bad;
        this.result = result;
    }

    /**
     * The shortest failing simulation found.
     *
     * @throws IllegalArgumentException if {@code bad} does not fail
     */
    static SimulationResult shrink(SimulationInput bad) {
        SimulationResult first = Simulation.run(bad);
        if (first.isGood()) {
            throw new IllegalArgumentException("nothing breaks in " + bad);
        }
        Shrinker shrinker = new Shrinker(bad, first);
        int before;
        do {
            before = shrinker.size();
            shrinker.shortenTime();
            shrinker.leaveOut(
                    new TreeSet<>(shrinker.result.strikes()), SimulationInput::withoutStrikes);
            shrinker.leaveOut(
                    new TreeSet<>(shrinker.result.requests()), SimulationInput::withoutRequests);
        } while (shrinker.size() < before && shrinker.runs < MAX_RUNS);
        return shrinker.result;
    }

    private int size() {
        return result.strikes().size()
                + result.requests().size()
                + (int) shortest.length().toSeconds();
    }

    private void shortenTime() {
        long step = shortest.length().toMillis() / 2;
        while (step >= MIN_MILLIS) {
            long shorter = shortest.length().toMillis() - step;
            if (shorter < MIN_MILLIS
                    || !stillBad(shortest.withLength(Duration.ofMillis(shorter)))) {
                step /= 2;
            }
        }
    }

    private void leaveOut(
            Collection<Integer> all,
            BiFunction<SimulationInput, Set<Integer>, SimulationInput> without) {
        List<Integer> left = new ArrayList<>(all);
        for (int size = (left.size() + 1) / 2; size >= 1; size = size == 1 ? 0 : (size + 1) / 2) {
            for (int start = 0; start < left.size(); ) {
                List<Integer> some = left.subList(start, Math.min(left.size(), start + size));
                if (stillBad(without.apply(shortest, new HashSet<>(some)))) {
                    some.clear();
                } else {
                    start += size;
                }
            }
        }
    }

    private boolean stillBad(SimulationInput candidate) {
        if (runs >= MAX_RUNS) {
            return false;
        }
        runs++;
        SimulationResult found = Simulation.run(candidate);
        if (found.isGood()) {
            return false;
        }
        shortest = candidate;
        result = found;
        return true;
    }
}

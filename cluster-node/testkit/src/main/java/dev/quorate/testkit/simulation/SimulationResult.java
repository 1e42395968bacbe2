package dev.quorate.testkit.simulation;

import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Verdict;
import java.util.List;

/**
 * What became of a simulated cluster.
 *
 * @param seed gives all the rest again
 * @param history what clients did and were told
 * @param verdict on that
 * @param faults how many things were broken
 * @param story what happened to the nodes, in order, a line each
 * @param broken what no fault excuses, such as a node that does not start
 */
public record SimulationResult(
        long seed,
        History history,
        Verdict verdict,
        int faults,
        List<String> story,
        List<String> broken) {

    public SimulationResult {
        story = List.copyOf(story);
        broken = List.copyOf(broken);
    }

    /** Whether every promise was kept. */
    public boolean isGood() {
        return verdict.isKept() && broken.isEmpty();
    }
}

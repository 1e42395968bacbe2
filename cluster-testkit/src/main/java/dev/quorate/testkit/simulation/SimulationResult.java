package dev.quorate.testkit.simulation;

import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Moment;
import dev.quorate.testkit.history.Operation;
import dev.quorate.testkit.history.Verdict;
import dev.quorate.testkit.history.Violation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What became of a simulated cluster.
 *
 * @param seed gives all the rest again
 * @param history what clients did and were told
 * @param verdict on that
 * @param struck how often what was broken
 * @param strikes the numbers of the strikes that happened
 * @param requests the numbers of the requests that clients made
 * @param events what happened to the nodes, in order
 * @param broken what no fault excuses, such as a node that does not start
 * @param droppedTombstones how many the nodes' stores had dropped in their last lives
 */
public record SimulationResult(
        long seed,
        History history,
        Verdict verdict,
        Map<Fault, Integer> struck,
        Set<Integer> strikes,
        List<Integer> requests,
        List<Event> events,
        List<String> broken,
        long droppedTombstones) {

    /**
     * Something that happened to a node, or to a client.
     *
     * @param nanos when, since the simulation began
     */
    public record Event(long nanos, String what) {

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%10.3f ms  %s", nanos / 1e6, what);
        }
    }

    public SimulationResult {
        struck = Map.copyOf(struck);
        strikes = Set.copyOf(strikes);
        requests = List.copyOf(requests);
        events = List.copyOf(events);
        broken = List.copyOf(broken);
    }

    /** Whether every promise was kept. */
    public boolean isGood() {
        return verdict.isKept() && broken.isEmpty();
    }

    /** How many things were broken. */
    public int faults() {
        return struck.values().stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * What happened to the nodes, and to those clients who asked for a key that was judged badly.
     */
    public List<Event> story() {
        Set<String> keys = new HashSet<>();
        for (Violation violation : verdict.violations()) {
            keys.add(violation.key());
        }
        List<Event> story = new ArrayList<>(events);
        for (Operation operation : history.operations()) {
            if (keys.contains(operation.key())) {
                String asked =
                        "client %d: %s %s %d/%d"
                                .formatted(
                                        operation.client(),
                                        operation.action(),
                                        operation.key(),
                                        operation.ack(),
                                        operation.from());
                story.add(new Event(operation.began().nanos(), asked));
                if (!operation.ended().equals(Moment.NEVER)) {
                    String answered = asked + ": " + operation.answer();
                    story.add(new Event(operation.ended().nanos(), answered));
                }
            }
        }
        story.sort(Comparator.comparingLong(Event::nanos));
        return story;
    }
}

package dev.quorate.testkit.simulation;

import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.HistoryVerdict;
import dev.quorate.testkit.history.Operation;
import dev.quorate.testkit.history.Operation.Moment;
import dev.quorate.testkit.history.Violation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The result of a simulation.
 *
 * @param events the log of the nodes, in order
 * @param broken failures that no injected fault explains, such as a node that does not start
 * @param droppedTombstones the number of tombstones that the stores dropped in their last lives
 */
public record SimulationResult(
        long seed,
        History history,
        HistoryVerdict verdict,
        Map<SimulatedFault, Integer> struck,
        Set<Integer> strikes,
        List<Integer> requests,
        List<Event> events,
        List<String> broken,
        long droppedTombstones) {

    /**
     * An event of a node or a client.
     *
     * @param nanos the time since the beginning of the simulation
     */
    public record Event(long nanos, String what) {

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%10.3f ms  %s", nanos / 1e6, what);
        }
    }

    public boolean isGood() {
        return verdict.isKept() && broken.isEmpty();
    }

    public int faults() {
        return struck.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The events of the nodes, and the operations on keys with violations. */
    public List<Event> story() {
        Set<String> keys =
                verdict.violations().stream().map(Violation::key).collect(Collectors.toSet());
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

package dev.quorate.testkit.simulation;

import dev.quorate.testkit.simulation.SimulationResult.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What happened to the cluster, for people to read; and what must not happen to any. */
final class Story {

    private final EventQueue queue;
    private final List<Event> events = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();
    private final Set<Integer> strikes = new TreeSet<>();

    Story(EventQueue queue) {
        this.queue = queue;
    }

    void tell(String what) {
        events.add(new Event(queue.nanos(), what));
    }

    /** Something that no fault excuses. */
    void broken(String what) {
        tell("BROKEN: " + what);
        broken.add(what);
    }

    /** The nemesis has struck for the so-manyth time. */
    void strike(int number) {
        strikes.add(number);
    }

    List<Event> events() {
        return List.copyOf(events);
    }

    List<String> brokenThings() {
        return List.copyOf(broken);
    }

    /** The numbers of the strikes that happened. */
    Set<Integer> strikes() {
        return strikes;
    }
}

package dev.quorate.testkit.simulation;

import dev.quorate.testkit.simulation.SimulationResult.Event;
import java.util.ArrayList;
import java.util.List;

/** The log of a simulated cluster, and its failures that no fault excuses. */
final class EventLog {

    private final EventQueue queue;
    private final List<Event> events = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    EventLog(EventQueue queue) {
        this.queue = queue;
    }

    void record(String what) {
        events.add(new Event(queue.nanos(), what));
    }

    /** Records a failure that no fault excuses. */
    void broken(String what) {
        record("BROKEN: " + what);
        broken.add(what);
    }

    List<Event> events() {
        return List.copyOf(events);
    }

    List<String> brokenThings() {
        return List.copyOf(broken);
    }
}

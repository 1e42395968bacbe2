package dev.quorate.testkit.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened to the cluster, for people to read; and what must not happen to any. */
final class Story {

    private final EventQueue queue;
    private final List<String> lines = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    Story(EventQueue queue) {
        this.queue = queue;
    }

    void tell(String what) {
        lines.add(String.format(Locale.ROOT, "%10.3f ms  %s", queue.nanos() / 1e6, what));
    }

    /** Something that no fault excuses. */
    void broken(String what) {
        tell("BROKEN: " + what);
        broken.add(what);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    List<String> brokenThings() {
        return List.copyOf(broken);
    }
}

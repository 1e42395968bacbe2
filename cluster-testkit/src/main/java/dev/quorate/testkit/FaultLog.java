package dev.quorate.testkit;

import dev.quorate.router.runtime.SystemTicker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The faults that were injected into a cluster, with times, for the output of a failed test. */
final class FaultLog {

    private static final int MAX_LINES = 200;

    private final long begun = SystemTicker.INSTANCE.nanos();

    // Both guarded by this.
    private final List<String> lines = new ArrayList<>();
    private int dropped;

    synchronized void record(String what) {
        if (lines.size() == MAX_LINES) {
            lines.removeFirst();
            dropped++;
        }
        double millis = (SystemTicker.INSTANCE.nanos() - begun) / 1e6;
        lines.add(String.format(Locale.ROOT, "%9.1f ms  %s", millis, what));
    }

    /** One line for each fault, each ended by {@code \n}. */
    @Override
    public synchronized String toString() {
        return (dropped > 0 ? "  (" + dropped + " earlier lines are left out)\n" : "")
                + lines.stream().map(line -> "  " + line + "\n").collect(Collectors.joining());
    }
}

package dev.quorate.testkit.cluster;

import dev.quorate.node.runtime.SystemTicker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was done to a cluster, and when, for whoever has to understand a test that failed. */
public final class Story {

    private static final int MAX_LINES = 200;
    private static final double NANOS_PER_MILLI = 1e6;

    private final long begun = SystemTicker.INSTANCE.nanos();

    // Both guarded by this.
    private final List<String> lines = new ArrayList<>();
    private int dropped;

    public synchronized void tell(String what) {
        if (lines.size() == MAX_LINES) {
            lines.removeFirst();
            dropped++;
        }
        double millis = (SystemTicker.INSTANCE.nanos() - begun) / NANOS_PER_MILLI;
        lines.add(String.format(Locale.ROOT, "%9.1f ms  %s", millis, what));
    }

    /** A line for each, ended by {@code \n}. */
    @Override
    public synchronized String toString() {
        StringBuilder text = new StringBuilder();
        if (dropped > 0) {
            text.append("  (").append(dropped).append(" earlier lines are left out)\n");
        }
        lines.forEach(line -> text.append("  ").append(line).append('\n'));
        return text.toString();
    }
}

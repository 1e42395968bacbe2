package dev.quorate.loadtest.report;

import java.util.List;

/** A figure of every run. */
public enum RunFigure {
    ACHIEVED("Achieved /s"),
    P50("p50 ms"),
    P99("p99 ms"),
    P999("p99.9 ms"),
    MAX("Max ms");

    private final String label;

    RunFigure(String label) {
        this.label = label;
    }

    /** With the unit, for the head of a table. */
    public String label() {
        return label;
    }

    /** Whether more of it is better. */
    public boolean moreIsBetter() {
        return this == ACHIEVED;
    }

    /** The figure of one run. */
    public double of(Run run) {
        return switch (this) {
            case ACHIEVED -> run.achievedPerSecond();
            case P50 -> run.latency().millis(0.5);
            case P99 -> run.latency().millis(0.99);
            case P999 -> run.latency().millis(0.999);
            case MAX -> run.latency().maxMillis();
        };
    }

    /** The figure of several runs. */
    public Spread of(List<Run> runs) {
        return Spread.of(runs, this::of);
    }
}

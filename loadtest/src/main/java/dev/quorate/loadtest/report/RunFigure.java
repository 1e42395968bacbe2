package dev.quorate.loadtest.report;

import dev.quorate.loadtest.load.LoadResult;
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

    /** The figure of one run. */
    public double of(LoadResult run) {
        return switch (this) {
            case ACHIEVED -> run.requestsPerSecond();
            case P50 -> run.latency().millis(0.5);
            case P99 -> run.latency().millis(0.99);
            case P999 -> run.latency().millis(0.999);
            case MAX -> run.latency().maxMillis();
        };
    }

    /**
     * The median of several runs.
     *
     * @param runs at least one
     */
    public double median(List<LoadResult> runs) {
        double[] values = runs.stream().mapToDouble(this::of).sorted().toArray();
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}

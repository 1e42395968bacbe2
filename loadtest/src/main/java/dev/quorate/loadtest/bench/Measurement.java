package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.wrk.WrkResult;
import java.util.Comparator;
import java.util.List;

/**
 * One case, measured several times.
 *
 * @param name of the cluster and the case
 * @param reference the name of the static answer of the same cluster; its own name if it is that
 * @param runs by increasing throughput
 */
public record Measurement(String name, String reference, List<WrkResult> runs) {

    public Measurement {
        runs =
                runs.stream()
                        .sorted(Comparator.comparingDouble(WrkResult::requestsPerSecond))
                        .toList();
    }

    /** The run with the median throughput: its latencies belong to the same seconds. */
    public WrkResult median() {
        return runs.get(runs.size() / 2);
    }

    /** The lowest throughput of all runs. */
    public double slowest() {
        return runs.getFirst().requestsPerSecond();
    }

    /** The highest throughput of all runs. */
    public double fastest() {
        return runs.getLast().requestsPerSecond();
    }
}

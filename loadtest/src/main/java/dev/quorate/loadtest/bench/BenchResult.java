package dev.quorate.loadtest.bench;

import java.util.List;

/**
 * What came of a plan.
 *
 * @param measurements in the order of the plan; with each, the one that it is compared to
 * @param refusals of the other cases
 */
public record BenchResult(List<Measurement> measurements, List<Refusal> refusals) {

    public BenchResult {
        measurements = List.copyOf(measurements);
        refusals = List.copyOf(refusals);
    }

    /**
     * A case without figures.
     *
     * @param name of the case
     * @param reason a sentence
     */
    public record Refusal(String name, String reason) {}
}

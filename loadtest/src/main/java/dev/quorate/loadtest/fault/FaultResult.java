package dev.quorate.loadtest.fault;

import java.util.List;

/** All that was measured, and what has no figure. */
public record FaultResult(List<FaultMeasurement> measurements, List<Refusal> refusals) {

    /** Why something has no figure, in one sentence. */
    public record Refusal(String name, String reason) {}

    public FaultResult {
        measurements = List.copyOf(measurements);
        refusals = List.copyOf(refusals);
    }
}

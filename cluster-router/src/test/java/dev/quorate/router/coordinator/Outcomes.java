package dev.quorate.router.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import java.util.ArrayList;
import java.util.List;

/** Takes outcomes, and sees that each operation has one. */
final class Outcomes implements OutcomeCallback {

    private final List<Outcome> all = new ArrayList<>();
    private final List<Explanation> explanations = new ArrayList<>();
    private final boolean explained;

    Outcomes() {
        this(false);
    }

    /** Takes explanations too, or is never to get one. */
    Outcomes(boolean explained) {
        this.explained = explained;
    }

    @Override
    public void completed(Outcome outcome) {
        all.add(outcome);
    }

    @Override
    public boolean isExplained() {
        return explained;
    }

    @Override
    public void completed(Outcome outcome, Explanation explanation) {
        assertThat(explained).as("asked to be explained").isTrue();
        all.add(outcome);
        explanations.add(explanation);
    }

    /** The explanation of the only operation. */
    Explanation explanation() {
        assertThat(all).hasSize(1);
        assertThat(explanations).hasSize(1);
        return explanations.getFirst();
    }

    /** The outcome of the only operation. */
    Outcome only() {
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    boolean isPending() {
        return all.isEmpty();
    }

    /** The status that the contract gives to this outcome. */
    static int status(Outcome outcome, boolean delete) {
        return switch (outcome) {
            case Outcome.Found found -> 200;
            case Outcome.Missing missing -> 404;
            case Outcome.Written written -> delete ? 202 : 201;
            case Outcome.QuorumFailed failed -> 504;
            case Outcome.TooOld tooOld -> 409;
            case Outcome.VersionTaken taken -> 409;
            case Outcome.TooFarAhead ahead -> 409;
            case Outcome.TooLong tooLong -> 413;
            case Outcome.Unmet unmet -> 412;
            case Outcome.Undecided undecided -> 504;
            case Outcome.NotJudged notJudged -> 503;
            case Outcome.Refused refused -> 503;
        };
    }
}

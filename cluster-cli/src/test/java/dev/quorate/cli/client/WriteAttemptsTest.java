package dev.quorate.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.client.WriteAttempts.Step;
import dev.quorate.cli.local.NodeAccess;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WriteAttemptsTest {

    private static final Node N1 = new Node("http://n1:1", "n1", 1, NodeAccess.NONE);
    private static final Node N2 = new Node("http://n2:1", "n2", 1, NodeAccess.NONE);
    private static final Node N3 = new Node("http://n3:1", "n3", 1, NodeAccess.NONE);
    private static final String V = "01a1ffa680e10000-36c6c909";

    private static WriteAttempts attempts(@Nullable String version) {
        return new WriteAttempts(List.of(N1, N2, N3), version);
    }

    @Test
    void aStoredWriteIsOver() {
        WriteAttempts attempts = attempts(null);
        assertThat(attempts.begin()).isEqualTo(new Step.Send(N1, null));
        assertThat(attempts.answered(N1, 201, V, "")).isEqualTo(new Step.Stored(V));
    }

    @Test
    void aNodeThatHasSeenNothingIsPassedOverWithOrWithoutAVersion() {
        WriteAttempts attempts = attempts(null);
        attempts.begin();
        assertThat(attempts.notReached(N1, "refused")).isEqualTo(new Step.Send(N2, null));
        assertThat(attempts.answered(N2, 503, null, "503 busy")).isEqualTo(new Step.Send(N3, null));
        assertThat(attempts.notReached(N3, "refused"))
                .isInstanceOfSatisfying(
                        Step.Unavailable.class,
                        step ->
                                assertThat(step.problems())
                                        .contains("n1:1 cannot be reached", "503 busy", "n3:1"));
    }

    @Test
    void aWriteThatWasNotAnsweredGoesOnWithItsVersion() {
        WriteAttempts attempts = attempts(V);
        assertThat(attempts.begin()).isEqualTo(new Step.Send(N1, V));
        assertThat(attempts.notAnswered(N1, "broke off")).isEqualTo(new Step.Send(N2, V));
        assertThat(attempts.answered(N2, 201, V, "")).isEqualTo(new Step.Stored(V));
    }

    @Test
    void aWriteThatWasNotAnsweredDoesNotGoOnWithoutAVersion() {
        WriteAttempts attempts = attempts(null);
        attempts.begin();
        assertThat(attempts.notAnswered(N1, "broke off"))
                .isInstanceOfSatisfying(
                        Step.Unknown.class, step -> assertThat(step.version()).isNull());
    }

    @Test
    void anIndeterminateAnswerNamesTheVersionWithWhichTheWriteGoesOn() {
        WriteAttempts attempts = attempts(null);
        attempts.begin();
        assertThat(attempts.answered(N1, 504, V, "504")).isEqualTo(new Step.Send(N2, V));
        assertThat(attempts.notReached(N2, "refused")).isEqualTo(new Step.Send(N3, V));
        assertThat(attempts.answered(N3, 504, V, "504"))
                .isInstanceOfSatisfying(
                        Step.Unknown.class, step -> assertThat(step.version()).isEqualTo(V));
    }

    @Test
    void theVersionStaysTheFirstWhateverLaterAnswersName() {
        WriteAttempts attempts = attempts(V);
        attempts.begin();
        assertThat(attempts.answered(N1, 504, "01a1ffa680e10001-36c6c909", "504"))
                .isEqualTo(new Step.Send(N2, V));
    }

    @Test
    void anInternalErrorMayHaveStoredIt() {
        WriteAttempts attempts = attempts(null);
        attempts.begin();
        assertThat(attempts.answered(N1, 500, null, "500")).isInstanceOf(Step.Unknown.class);
    }

    @Test
    void whatOneNodeRefusesIsNotSentToTheNext() {
        WriteAttempts attempts = attempts(null);
        attempts.begin();
        assertThat(attempts.answered(N1, 413, null, "413 too large"))
                .isInstanceOfSatisfying(
                        Step.Refused.class,
                        step -> assertThat(step.problem()).contains("413 too large"));
    }

    @Test
    void aRefusalAfterAnUnansweredAttemptDoesNotMeanThatNothingWasStored() {
        WriteAttempts attempts = attempts(V);
        attempts.begin();
        attempts.notAnswered(N1, "broke off");
        assertThat(attempts.answered(N2, 409, null, "409 too old"))
                .isInstanceOfSatisfying(
                        Step.Unknown.class, step -> assertThat(step.version()).isEqualTo(V));
    }

    @Test
    void unavailableNodesAfterAnUnansweredAttemptLeaveItUnknown() {
        WriteAttempts attempts = attempts(V);
        attempts.begin();
        attempts.notAnswered(N1, "broke off");
        attempts.answered(N2, 503, null, "503");
        assertThat(attempts.notReached(N3, "refused")).isInstanceOf(Step.Unknown.class);
    }
}

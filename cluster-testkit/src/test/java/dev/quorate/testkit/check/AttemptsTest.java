package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.check.CheckWorkload.ClientRequest;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a conditional write is sent again, and what its outcome is. */
final class AttemptsTest {

    private static final QuorumSpec SPEC = new QuorumSpec(2, 3);
    private static final Action CREATE = new Action.Put("a", new HistoryCondition.Absent());
    private static final RequestOutcome UNREACHED =
            new RequestOutcome(new Answer.Refused("no connection"), RequestOutcome.Kind.UNREACHED);
    private static final RequestOutcome UNANSWERED =
            new RequestOutcome(
                    new Answer.Indeterminate("connection broke"), RequestOutcome.Kind.UNANSWERED);

    private static ClientRequest create() {
        return new ClientRequest("key", CREATE, SPEC);
    }

    private static RequestOutcome status(int status, String version) {
        return RequestOutcome.of(CREATE, status, version, "");
    }

    private static @Nullable Answer after(Traffic.Attempts attempts, RequestOutcome outcome) {
        RequestOutcome after = attempts.after(outcome);
        return after == null ? null : after.answer();
    }

    @Test
    void anUndecidedWriteIsSentAgainUnderTheVersionThatTheAnswerNames() {
        Traffic.Attempts attempts = new Traffic.Attempts(create());
        assertThat(attempts.request().version()).isEmpty();
        assertThat(after(attempts, status(504, "v1"))).isNull();
        assertThat(attempts.request()).isEqualTo(create().withVersion("v1"));
        assertThat(after(attempts, status(503, ""))).isNull();
        assertThat(after(attempts, UNREACHED)).isNull();
        assertThat(after(attempts, UNANSWERED)).isNull();
        assertThat(after(attempts, status(504, "v2"))).isNull();
        assertThat(attempts.request().version()).isEqualTo("v1");
        assertThat(after(attempts, status(201, "v3"))).isEqualTo(new Answer.Stored("v3"));
    }

    @Test
    void whatWasNotAttemptedIsRefused() {
        assertThat(after(new Traffic.Attempts(create()), status(504, "")))
                .isEqualTo(new Answer.Refused("504, nothing proposed"));
        assertThat(after(new Traffic.Attempts(create()), status(503, "")))
                .isEqualTo(new Answer.Refused("503"));
        assertThat(after(new Traffic.Attempts(create().withVersion("v1")), UNREACHED))
                .isEqualTo(UNREACHED.answer());
    }

    @Test
    void withoutAVersionNothingIsSentAgain() {
        assertThat(after(new Traffic.Attempts(create()), UNANSWERED))
                .isEqualTo(UNANSWERED.answer());
        ClientRequest plain = new ClientRequest("key", new Action.Put("a"), SPEC);
        RequestOutcome undecided = RequestOutcome.of(plain.action(), 504, "v1", "");
        assertThat(after(new Traffic.Attempts(plain), undecided))
                .isEqualTo(new Answer.Indeterminate("504"));
    }

    /** To a first attempt it says that nothing was there. */
    @Test
    void aRefusalWithoutVersionOfAWriteThatMayHaveBeenSentBeforeShowsNothing() {
        assertThat(after(new Traffic.Attempts(create()), status(412, "")))
                .isEqualTo(new Answer.Unmet(""));
        Traffic.Attempts named = new Traffic.Attempts(create().withVersion("v1"));
        assertThat(after(named, status(412, ""))).isEqualTo(new Answer.Refused("412"));
        assertThat(after(named, status(412, "v2"))).isEqualTo(new Answer.Unmet("v2"));
    }

    @Test
    void itEndsUndecidedAfterManyAttempts() {
        Traffic.Attempts attempts = new Traffic.Attempts(create());
        int sent = 1;
        RequestOutcome outcome = attempts.after(status(504, "v1"));
        while (outcome == null && sent < 100) {
            sent++;
            outcome = attempts.after(status(504, "v1"));
        }
        assertThat(sent).isEqualTo(12);
        assertThat(outcome).isNotNull();
        assertThat(outcome.answer()).isInstanceOf(Answer.Indeterminate.class);
    }
}

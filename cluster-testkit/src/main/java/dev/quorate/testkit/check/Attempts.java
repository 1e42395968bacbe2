package dev.quorate.testkit.check;

import dev.quorate.testkit.check.CheckWorkload.Wish;
import dev.quorate.testkit.history.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request is sent again, and what its outcome is. A conditional write is, under
 * the version of its first attempt, while its outcome is unknown; nothing else is. Not thread-safe.
 */
final class Attempts {

    private static final int MAX_ATTEMPTS = 12;

    private Wish wish;
    private int done;

    /** Whether an earlier attempt may have been executed. */
    private boolean isMaybe;

    Attempts(Wish wish) {
        this.wish = wish;
    }

    /** What is to be sent now. */
    Wish wish() {
        return wish;
    }

    /** The outcome after an attempt; null to send it again. */
    @Nullable RequestOutcome after(RequestOutcome attempt) {
        if (!wish.isConditional()) {
            return attempt;
        }
        done++;
        boolean isNamed = !wish.version().isEmpty();
        return switch (attempt.kind()) {
            case OK -> attempt;
            case UNMET -> isNamed ? withoutEvidence(attempt) : attempt;
            case OVERLOADED, UNREACHED -> isMaybe ? again(attempt) : attempt;
            case UNANSWERED -> isNamed ? again(attempt) : attempt;
            case NO_QUORUM -> {
                if (!isNamed && attempt.version().isEmpty()) {
                    yield attempt.with(new Answer.Refused("504, nothing proposed"));
                }
                wish = isNamed ? wish : wish.withVersion(attempt.version());
                yield again(attempt);
            }
            case ODD -> isMaybe ? undecided(attempt) : attempt;
        };
    }

    /** What was there when an earlier attempt was refused is not known. */
    private static RequestOutcome withoutEvidence(RequestOutcome attempt) {
        return attempt.answer().equals(new Answer.Unmet(""))
                ? attempt.with(new Answer.Refused("412"))
                : attempt;
    }

    private @Nullable RequestOutcome again(RequestOutcome attempt) {
        isMaybe = true;
        return done < MAX_ATTEMPTS ? null : undecided(attempt);
    }

    private RequestOutcome undecided(RequestOutcome attempt) {
        return attempt.with(
                new Answer.Indeterminate(done + " attempts, the last: " + attempt.answer()));
    }
}

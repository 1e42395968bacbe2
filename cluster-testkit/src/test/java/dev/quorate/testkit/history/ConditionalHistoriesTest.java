package dev.quorate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.history.Violation.Kind;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the checker says of conditional writes, in stories that can be read aloud. */
class ConditionalHistoriesTest {

    private static final HistoryCondition ABSENT = new HistoryCondition.Absent();
    private static final HistoryCondition PRESENT = new HistoryCondition.Present();

    private static HistoryCondition is(String value) {
        return new HistoryCondition.Is(value);
    }

    private static HistoryBuilder history() {
        return new HistoryBuilder().withVersions();
    }

    @Test
    void eachReplacesTheOneBefore() {
        assertKept(
                history()
                        .putIf(0, 9, "a", ABSENT)
                        .putIf(1, 8, "b", is("a"))
                        .putIf(0, 7, "c", is("b"))
                        .unmetPut(2, 9, "d", is("a"), "c")
                        .unmetPut(2, 9, "e", ABSENT, "b")
                        .read(10, 11, "c"));
    }

    @Test
    void twoWritesReplaceTheSameValue() {
        HistoryBuilder history =
                history().put(0, 1, "a").putIf(2, 5, "b", is("a")).putIf(3, 4, "c", is("a"));
        assertOnly(
                history,
                Kind.LOST_UPDATE,
                "\"a\" was there once, and two writes succeeded on that condition: PUT \"b\" if"
                        + " \"a\" and PUT \"c\" if \"a\".");
        assertThat(history.under(Promise.QUORUM).isKept()).as("also among other writes").isFalse();
    }

    @Test
    void aKeyIsCreatedTwice() {
        assertOnly(
                history().putIf(0, 5, "a", ABSENT).putIf(1, 4, "b", ABSENT),
                Kind.LOST_UPDATE,
                "The key was absent once, and two writes succeeded on that condition: PUT \"a\" if"
                        + " absent and PUT \"b\" if absent.");
    }

    @Test
    void aKeyIsCreatedAgainAfterADelete() {
        assertKept(
                history()
                        .putIf(0, 1, "a", ABSENT)
                        .delete(2, 9)
                        .putIf(3, 4, "b", ABSENT)
                        .read(10, 11, "b"));
    }

    @Test
    void oneDeleteExplainsOneCreation() {
        assertKinds(
                history()
                        .putIf(0, 1, "a", ABSENT)
                        .delete(2, 9)
                        .putIf(3, 8, "b", ABSENT)
                        .putIf(3, 8, "c", ABSENT),
                Kind.LOST_UPDATE);
    }

    @Test
    void aWriteThatWasAcknowledgedBeforeIsOverwritten() {
        assertKinds(
                history().put(0, 1, "a").put(2, 3, "b").putIf(4, 5, "c", is("a")),
                Kind.UNSTABLE_ORDER);
    }

    /** Either the write comes first, and the condition does not hold; or it is lost. */
    @Test
    void aWriteComesBetweenAValueAndItsSuccessor() {
        HistoryBuilder history =
                history()
                        .put(0, 1, "a")
                        .putIf(2, 9, "c", is("a"))
                        .put(2, 9, "b")
                        .read(3, 4, "b")
                        .read(10, 11, "c");
        assertKinds(history, Kind.UNSTABLE_ORDER);
        assertKept(
                history()
                        .put(0, 1, "a")
                        .putIf(2, 9, "c", is("a"))
                        .put(2, 9, "b")
                        .read(10, 11, "b"));
    }

    @Test
    void anUndecidedWriteMayBeDoneLater() {
        HistoryBuilder history =
                history()
                        .put(0, 1, "a")
                        .maybePutIf(2, 3, "b", is("a"))
                        .read(4, 5, "a")
                        .read(6, 7, "b");
        assertKept(history);
        assertKept(history.putIf(8, 9, "c", is("b")));
    }

    @Test
    void anUndecidedWriteThatWasOvertakenIsNeverDone() {
        HistoryBuilder history =
                history().put(0, 1, "a").maybePutIf(2, 3, "b", is("a")).putIf(4, 5, "c", is("a"));
        assertKept(history);
        assertKinds(history.read(6, 7, "b"), Kind.LOST_UPDATE, Kind.UNSTABLE_ORDER);
    }

    /** Nobody read it, but what replaced it shows that it was there. */
    @Test
    void anUndecidedWriteThatWasReplacedWasDone() {
        assertKinds(
                history()
                        .put(0, 1, "a")
                        .maybePutIf(2, 3, "b", is("a"))
                        .putIf(4, 9, "c", is("b"))
                        .putIf(4, 9, "d", is("a")),
                Kind.LOST_UPDATE);
    }

    @Test
    void aRefusedWriteIsVisible() {
        assertOnly(
                history().put(0, 1, "a").unmetPut(2, 3, "b", ABSENT, "a").read(4, 5, "b"),
                Kind.FROM_NOWHERE,
                "A read shows \"b\", which was refused because of its condition.");
    }

    @Test
    void aConditionThatHeldIsRefused() {
        assertOnly(
                history().put(0, 1, "a").unmetPut(2, 3, "b", is("a"), "a"),
                Kind.WRONG_CONDITION,
                "PUT \"b\" if \"a\" was refused, though its condition held.");
        assertKinds(history().unmetPut(2, 3, "b", ABSENT, null), Kind.WRONG_CONDITION);
        assertKinds(
                history().put(0, 1, "a").unmetPut(2, 3, "b", PRESENT, "a"), Kind.WRONG_CONDITION);
    }

    /** A condition names a version. A write that is stamped again has two, with one value. */
    @Test
    void aConditionMayNameTheEarlierVersionOfItsValue() {
        HistoryBuilder history =
                history()
                        .put(0, 9, "a")
                        .withVersions("first of ")
                        .read(2, 3, "a")
                        .withVersions()
                        .unmetPut(10, 11, "b", is("a"), "a");
        // The exhaustive search knows of values, not of versions.
        assertThat(history.under(Promise.LINEARIZABLE).isKept()).isTrue();
    }

    /** A 412 is a read: what it showed stays. */
    @Test
    void whatA412ShowedIsHiddenAgain() {
        HistoryBuilder history =
                history()
                        .put(0, 1, "a")
                        .maybePutIf(2, 3, "b", is("a"))
                        .unmetPut(4, 5, "c", is("a"), "b")
                        .read(6, 7, "a")
                        .read(8, 9, "b");
        assertThat(history.under(Promise.LINEARIZABLE).violations())
                .extracting(Violation::kind)
                .contains(Kind.WENT_BACK);
        assertThat(history.under(Promise.LINEARIZABLE).violations().getFirst().operations())
                .extracting(Operation::answer)
                .contains(new Answer.Unmet("of b"));
    }

    /** The retry of an undecided write was executed although it had been executed before. */
    @Test
    void aWriteTakesEffectTwice() {
        HistoryBuilder history =
                history()
                        .put(0, 1, "a")
                        .putIf(2, 20, "b", is("a"))
                        .read(3, 4, "b")
                        .put(5, 6, "c")
                        .read(7, 8, "c")
                        .read(21, 22, "b");
        assertThat(history.under(Promise.LINEARIZABLE).isKept()).isFalse();
    }

    @Test
    void aConditionalDeleteHasItsPlace() {
        assertKept(
                history()
                        .put(0, 1, "a")
                        .deleteIf(2, 9, is("a"))
                        .readNothing(3, 4)
                        .putIf(5, 6, "b", ABSENT));
        assertKinds(
                history().put(0, 1, "a").deleteIf(2, 9, is("a")).putIf(2, 9, "b", is("a")),
                Kind.LOST_UPDATE);
    }

    @Test
    void whatNobodyWroteIsReplaced() {
        assertKinds(history().putIf(0, 1, "b", is("a")), Kind.FROM_NOWHERE);
        assertKinds(
                history().putIf(0, 1, "b", is("a")).putIf(0, 1, "a", is("b")),
                Kind.WRONG_CONDITION);
    }

    /** The write that is replaced began only after the one that replaced it had ended. */
    @Test
    void whatIsWrittenOnlyLaterIsReplaced() {
        assertThat(
                        history()
                                .putIf(0, 1, "b", is("a"))
                                .put(2, 3, "a")
                                .under(Promise.LINEARIZABLE)
                                .isKept())
                .isFalse();
    }

    @Test
    void nothingIsCheckedBelowAMajority() {
        assertKept(
                history()
                        .put(0, 1, "a")
                        .at(1, 3)
                        .read(2, 3, "a")
                        .at(2, 3)
                        .putIf(2, 3, "b", is("a")));
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void aHundredThousandInOneChain() {
        HistoryBuilder history = history().putIf(0, 1, "0", ABSENT);
        for (int i = 1; i < 100_000; i++) {
            history.putIf(2L * i - 1, 2L * i + 2, "" + i, is("" + (i - 1)));
        }
        assertKept(history);
    }

    private static void assertKept(HistoryBuilder history) {
        HistoryVerdict verdict = history.under(Promise.LINEARIZABLE);
        assertThat(verdict.isKept()).as("%s", verdict).isTrue();
        assertThat(NaiveOrMany.isKept(history)).isTrue();
    }

    private static void assertKinds(HistoryBuilder history, Kind... kinds) {
        HistoryVerdict verdict = history.under(Promise.LINEARIZABLE);
        assertThat(verdict.violations())
                .as("%s", verdict)
                .extracting(Violation::kind)
                .isSubsetOf(List.of(kinds))
                .isNotEmpty();
        assertThat(NaiveOrMany.isKept(history)).isFalse();
    }

    private static void assertOnly(HistoryBuilder history, Kind kind, String sentence) {
        assertKinds(history, kind);
        HistoryVerdict verdict = history.under(Promise.LINEARIZABLE);
        assertThat(verdict.violations()).as("%s", verdict).hasSize(1);
        assertThat(verdict.violations().getFirst().sentence()).isEqualTo(sentence);
    }

    /** Trying everything says the same, where there is not too much to try. */
    private static final class NaiveOrMany {

        static boolean isKept(HistoryBuilder builder) {
            History history = builder.history();
            return history.operations().size() > 12
                    ? builder.under(Promise.LINEARIZABLE).isKept()
                    : NaiveChecker.isKept(history, Promise.LINEARIZABLE);
        }
    }
}

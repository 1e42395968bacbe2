package dev.quorate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.history.Violation.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the checker says to stories that can be read aloud. */
class CheckerTest {

    @Test
    void anAcknowledgedWriteIsLost() {
        HistoryVerdict verdict =
                new HistoryBuilder()
                        .put(0, 1, "old")
                        .put(2, 3, "new")
                        .read(4, 5, "old")
                        .read(6, 7, "old")
                        .under(Promise.QUORUM);
        assertThat(verdict)
                .hasToString(
                        """
                        BROKEN: QUORUM, checked on 4 operations on 1 key: 2 reads, 2 writes \
                        acknowledged, 0 indeterminate, 0 refused.
                        1 violation:
                          LOST_WRITE of key "a": PUT "new" was acknowledged, yet a later read \
                        shows "old", which is older: PUT "old" had ended before PUT "new" began. \
                        So does 1 more read.
                            0 0.000000 ms - 1 1.000000 ms  client 0  "a"  PUT "old" 2/3: stored
                            2 2.000000 ms - 3 3.000000 ms  client 1  "a"  PUT "new" 2/3: stored
                            4 4.000000 ms - 5 5.000000 ms  client 2  "a"  GET 2/3: "old\"""");
    }

    @Test
    void theFirstWriteIsLost() {
        HistoryVerdict verdict =
                new HistoryBuilder().put(0, 1, "v").readNothing(2, 3).under(Promise.QUORUM);
        assertOnly(
                verdict,
                Kind.LOST_WRITE,
                "PUT \"v\" was acknowledged, yet a later read finds nothing, and no DELETE can be"
                        + " the reason.");
    }

    @Test
    void aDeleteIsNoReasonIfItWasOverBeforeTheWrite() {
        HistoryBuilder history = new HistoryBuilder().delete(0, 1).put(2, 3, "v").readNothing(4, 5);
        for (Promise promise : Promise.values()) {
            assertOnly(
                    history.under(promise),
                    Kind.LOST_WRITE,
                    "PUT \"v\" was acknowledged, yet a later read finds nothing, and no DELETE can"
                            + " be the reason: DELETE had ended before PUT \"v\" began.");
        }
    }

    @Test
    void anIndeterminateDeleteMayTakeEffectAtAnyTime() {
        HistoryBuilder history =
                new HistoryBuilder().maybeDelete(0, 1).put(2, 3, "v").readNothing(4, 5);
        for (Promise promise : Promise.values()) {
            assertThat(history.under(promise).isKept()).isTrue();
        }
    }

    @Test
    void aDeleteIsUndone() {
        HistoryBuilder history =
                new HistoryBuilder().put(0, 1, "v").delete(2, 3).readNothing(4, 5).read(6, 7, "v");
        for (Promise promise : Promise.values()) {
            assertOnly(
                    history.under(promise),
                    Kind.DELETE_UNDONE,
                    "The key was deleted, yet a later read shows \"v\" again, which is older: PUT"
                            + " \"v\" had ended before DELETE began.");
        }
    }

    @Test
    void readsOfUnacknowledgedValuesMayGoBack() {
        HistoryBuilder history =
                new HistoryBuilder()
                        .put(0, 1, "v1")
                        .maybePut(2, 9, "v2")
                        .read(3, 4, "v2")
                        .read(5, 6, "v1");
        assertThat(history.under(Promise.QUORUM).isKept()).isTrue();
        for (Promise promise : List.of(Promise.MONOTONIC, Promise.LINEARIZABLE)) {
            assertOnly(
                    history.under(promise),
                    Kind.WENT_BACK,
                    "A read shows \"v2\", yet a later one shows \"v1\", which is older: PUT \"v1\""
                            + " had ended before "
                            + (promise == Promise.MONOTONIC
                                    ? "a read of \"v2\" began."
                                    : "PUT \"v2\" began."));
        }
    }

    @Test
    void theSameOfTwoWritesWinsForEverybody() {
        HistoryBuilder history = new HistoryBuilder().put(0, 3, "v1").put(1, 2, "v2");
        assertThat(history.read(4, 5, "v1").read(6, 7, "v1").under(Promise.QUORUM).isKept())
                .isTrue();
        assertOnly(
                history.read(8, 9, "v2").under(Promise.QUORUM),
                Kind.UNSTABLE_ORDER,
                "Which of two writes is the newer one was answered both ways: PUT \"v1\" had ended"
                        + " before a read of \"v2\" began, and PUT \"v2\" before a read of \"v1\""
                        + " began.");
    }

    /** B's first stamp is seen, then A, then B again under its second one. */
    @Test
    void aWriteThatIsStampedAnewIsSeenTwice() {
        HistoryBuilder history =
                new HistoryBuilder()
                        .put(0, 9, "B")
                        .put(1, 8, "A")
                        .read(2, 3, "B")
                        .read(4, 5, "A")
                        .read(6, 7, "B");
        assertThat(history.under(Promise.QUORUM).isKept()).isTrue();
        assertThat(history.under(Promise.MONOTONIC).isKept()).isTrue();
        assertThat(history.under(Promise.LINEARIZABLE).isKept()).isFalse();
    }

    @Test
    void aRunningWriteIsSeenAndThenNot() {
        HistoryBuilder history =
                new HistoryBuilder().put(0, 9, "v").read(1, 2, "v").readNothing(3, 4);
        assertThat(history.under(Promise.QUORUM).isKept()).isTrue();
        assertThat(history.under(Promise.MONOTONIC).violations())
                .extracting(Violation::kind)
                .containsExactly(Kind.WENT_BACK);
    }

    @ParameterizedTest
    @EnumSource(Promise.class)
    void valuesComeFromSomewhere(Promise promise) {
        assertThat(
                        new HistoryBuilder()
                                .read(0, 1, "later")
                                .read(2, 3, "strange")
                                .refusedPut(4, 5, "refused")
                                .put(6, 7, "later")
                                .read(8, 9, "refused")
                                .under(promise)
                                .violations())
                .allMatch(violation -> violation.kind() == Kind.FROM_NOWHERE)
                .extracting(Violation::sentence)
                .containsExactly(
                        "A read shows \"later\", which was written only later.",
                        "A read shows \"strange\", which nobody wrote to this key.",
                        "A read shows \"refused\", which was refused.");
    }

    @Test
    void nothingIsPromisedBetweenAcksThatDoNotOverlap() {
        HistoryBuilder history =
                new HistoryBuilder().at(1, 3).put(0, 1, "v").at(2, 3).readNothing(2, 3);
        assertThat(history.under(Promise.QUORUM).isKept()).isTrue();
        assertThat(history.at(3, 3).readNothing(4, 5).under(Promise.QUORUM).isKept()).isFalse();
    }

    @Test
    void nothingIsPromisedBetweenDifferentFrom() {
        HistoryBuilder history =
                new HistoryBuilder().at(3, 3).put(0, 1, "v").at(1, 1).readNothing(2, 3);
        for (Promise promise : Promise.values()) {
            assertThat(history.under(promise).isKept()).isTrue();
        }
    }

    /** B's first stamp, if that is what was seen, was behind A, and its last one before A. */
    @Test
    void whatMakesNoOrderOnlyTogether() {
        HistoryBuilder history =
                new HistoryBuilder()
                        .put(0, 20, "B")
                        .at(3, 3)
                        .put(1, 5, "A")
                        .at(1, 3)
                        .read(6, 7, "B")
                        .at(2, 3)
                        .read(21, 22, "A");
        assertOnly(
                history.under(Promise.MONOTONIC),
                Kind.UNSTABLE_ORDER,
                "No order of the writes fits: \"A\" was there before \"B\" (PUT \"A\" had ended"
                        + " before a read of \"B\" began), \"B\" was there before \"A\" (PUT \"B\""
                        + " had ended before a read of \"A\" began).");
    }

    /** Three reads find nothing, and two deletes cannot explain them; each by itself they can. */
    @Test
    void whatIsNotFound() {
        HistoryVerdict verdict =
                new HistoryBuilder()
                        .delete(0, 20)
                        .delete(0, 20)
                        .put(1, 2, "a")
                        .readNothing(3, 4)
                        .put(5, 6, "b")
                        .readNothing(7, 8)
                        .put(9, 10, "c")
                        .readNothing(11, 12)
                        .under(Promise.LINEARIZABLE);
        assertThat(verdict.isKept()).isTrue();
        assertThat(verdict.counts().ambiguousReads()).isEqualTo(3);
        assertThat(verdict.toString())
                .endsWith(
                        "Of the reads, 3 found nothing for which several DELETEs may be the"
                                + " reason.");
    }

    @Test
    void aReadInTheMidstOfAValuesLifeIsNoDeletesDoing() {
        HistoryVerdict verdict =
                new HistoryBuilder()
                        .delete(0, 20)
                        .delete(0, 20)
                        .put(1, 2, "a")
                        .readNothing(3, 4)
                        .read(5, 6, "a")
                        .under(Promise.LINEARIZABLE);
        assertOnly(
                verdict,
                Kind.WENT_BACK,
                "A read finds nothing, yet a later one shows \"a\", which is older: PUT \"a\" had"
                        + " ended before a read that found nothing began.");
    }

    @Test
    void writesWithAcksThatDoNotOverlapAreOrderedByOneBetween() {
        HistoryVerdict verdict =
                new HistoryBuilder()
                        .at(1, 3)
                        .put(0, 1, "x")
                        .at(3, 3)
                        .put(2, 3, "y")
                        .at(1, 3)
                        .put(4, 5, "z")
                        .at(3, 3)
                        .read(6, 7, "x")
                        .under(Promise.QUORUM);
        assertThat(verdict.isKept()).isFalse();
        assertThat(verdict.violations().getFirst().sentence()).contains("\"x\"");
    }

    @Test
    void everyViolationOfAKeyIsFoundUpToALimit() {
        HistoryBuilder history = new HistoryBuilder();
        for (int i = 0; i < 4; i++) {
            history.put(10L * i, 10L * i + 1, "v" + i);
        }
        for (int i = 0; i < 3; i++) {
            history.read(100 + i, 101 + i, "v" + i);
        }
        assertThat(history.under(Promise.QUORUM).violations())
                .hasSize(3)
                .allMatch(violation -> violation.kind() == Kind.LOST_WRITE);
    }

    @ParameterizedTest
    @EnumSource(Promise.class)
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void aHundredThousandOperationsOnOneKey(Promise promise) {
        int[][] specs = {{1, 3}, {2, 3}, {2, 3}, {3, 3}};
        Random random = Seed.random("aHundredThousandOperationsOnOneKey");
        History history =
                promise == Promise.LINEARIZABLE
                        ? new AtomicModel(random).run(100_000)
                        : new QuorumModel(random, specs, true).run(100_000);
        long began = System.nanoTime();
        HistoryVerdict verdict = Checker.check(history, promise);
        long millis = (System.nanoTime() - began) / 1_000_000;
        System.out.println(promise + ": 100,000 operations in " + millis + " ms");
        assertThat(verdict.counts().operations()).isEqualTo(100_000);
        assertThat(verdict.isKept()).as("%s", verdict).isTrue();
    }

    @Test
    void eachKeyIsCheckedIndependently() {
        List<Operation> operations = new ArrayList<>();
        for (int key = 0; key < 1_000; key++) {
            String name = "k" + key;
            new HistoryBuilder()
                    .put(0, 1, "v" + key).read(2, 3, "v" + key).history().operations().stream()
                            .map(o -> renamed(o, name))
                            .forEach(operations::add);
        }
        HistoryVerdict verdict = Checker.check(new History(operations));
        assertThat(verdict)
                .hasToString(
                        "Kept: QUORUM, checked on 2000 operations on 1000 keys: 1000 reads, 1000"
                                + " writes acknowledged, 0 indeterminate, 0 refused.");
    }

    private static Operation renamed(Operation o, String key) {
        return new Operation(
                o.client(), key, o.action(), o.ack(), o.from(), o.began(), o.ended(), o.answer());
    }

    private static void assertOnly(HistoryVerdict verdict, Kind kind, String sentence) {
        assertThat(verdict.violations()).as("%s", verdict).hasSize(1);
        assertThat(verdict.violations().getFirst().sentence()).isEqualTo(sentence);
        assertThat(verdict.violations().getFirst().kind()).isEqualTo(kind);
    }
}

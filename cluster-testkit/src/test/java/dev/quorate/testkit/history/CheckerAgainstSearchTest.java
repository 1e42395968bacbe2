package dev.quorate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The checker says of small histories what trying everything says of them. */
class CheckerAgainstSearchTest {

    /** How many histories for each test; more say more. */
    private static final int ROUNDS = 4 * Integer.getInteger("quorate.histories", 400);

    private int kept;
    private int broken;
    private int missed;

    @ParameterizedTest
    @EnumSource(Promise.class)
    void agreesWhereNothingIsDeleted(Promise promise) {
        Random random = Seed.random("agreesWhereNothingIsDeleted " + promise);
        compare(new RandomHistories(random, false, false), promise, ROUNDS);
        assertThat(missed).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Promise.class,
            names = {"QUORUM", "MONOTONIC"})
    void agreesWhereSomethingIsDeleted(Promise promise) {
        Random random = Seed.random("agreesWhereSomethingIsDeleted " + promise);
        compare(new RandomHistories(random, false, true), promise, ROUNDS);
        assertThat(missed).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Promise.class,
            names = {"QUORUM", "MONOTONIC"})
    void agreesWhereSpecsAreMixed(Promise promise) {
        Random random = Seed.random("agreesWhereSpecsAreMixed " + promise);
        compare(new RandomHistories(random, true, false), promise, ROUNDS);
        assertThat(missed).isZero();
    }

    /** With deletes only what is ambiguous may be missed, and little of it. */
    @ParameterizedTest
    @EnumSource(
            value = Promise.class,
            names = {"QUORUM", "MONOTONIC"})
    void missesLittleWhereSpecsAreMixedAndSomethingIsDeleted(Promise promise) {
        Random random = Seed.random("missesLittleWhereSpecsAreMixed " + promise);
        compare(new RandomHistories(random, true, true), promise, ROUNDS);
        assertThat(missed).isLessThanOrEqualTo(broken / 50);
    }

    @Test
    void missesLittleOfLinearizabilityWhereSomethingIsDeleted() {
        Random random = Seed.random("missesLittleOfLinearizability");
        compare(new RandomHistories(random, false, true), Promise.LINEARIZABLE, ROUNDS);
        assertThat(missed).isLessThanOrEqualTo(broken / 50);
    }

    private void compare(RandomHistories histories, Promise promise, int rounds) {
        for (int round = 0; round < rounds; round++) {
            History history = histories.next(promise == Promise.LINEARIZABLE ? 7 : 6);
            Verdict verdict = Checker.check(history, promise);
            boolean isKept = NaiveChecker.isKept(history, promise);
            if (isKept) {
                kept++;
                assertThat(verdict.isKept()).as("kept:%n%s%s", history, verdict).isTrue();
            } else {
                broken++;
                if (verdict.isKept()) {
                    assertThat(verdict.counts().ambiguousReads())
                            .as("broken, and nothing is ambiguous:%n%s%s", history, verdict)
                            .isPositive();
                    missed++;
                }
            }
        }
        System.out.println(
                promise + ": " + kept + " kept, " + broken + " broken, missed " + missed);
        assertThat(kept).isGreaterThan(rounds / 50);
        assertThat(broken).isGreaterThan(rounds / 50);
    }
}

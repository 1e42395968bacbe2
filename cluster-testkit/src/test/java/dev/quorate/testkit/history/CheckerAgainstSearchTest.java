package dev.quorate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
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

    @Test
    void agreesOnConditionalWrites() {
        Random random = Seed.random("agreesOnConditionalWrites");
        compareConditions(new RandomConditions(random, false));
        assertThat(missed).isZero();
    }

    /** With deletes, conditions of absence are checked less strictly. */
    @Test
    void missesLittleOfConditionalWritesWhereSomethingIsDeleted() {
        Random random = Seed.random("missesLittleOfConditionalWrites");
        compareConditions(new RandomConditions(random, true));
        assertThat(missed).isLessThanOrEqualTo(broken / 10);
    }

    private void compareConditions(RandomConditions histories) {
        for (int round = 0; round < 4 * ROUNDS; round++) {
            History history = histories.next(7);
            HistoryVerdict verdict = Checker.check(history, Promise.LINEARIZABLE);
            if (NaiveChecker.isKept(history, Promise.LINEARIZABLE)) {
                kept++;
                assertThat(verdict.isKept()).as("kept:%n%s%s", history, verdict).isTrue();
            } else {
                broken++;
                missed += verdict.isKept() && isExplicit(history) ? 1 : 0;
            }
        }
        System.out.println(kept + " kept, " + broken + " broken, missed " + missed);
        assertThat(kept).isGreaterThan(ROUNDS / 10);
        assertThat(broken).isGreaterThan(ROUNDS / 10);
    }

    /** Whether each version of a 412 is that of a value which another answer names. */
    private static boolean isExplicit(History history) {
        Set<String> named = new HashSet<>(Set.of(""));
        for (Operation operation : history.operations()) {
            if (operation.answer() instanceof Answer.Stored(String version)) {
                named.add(version);
            } else if (operation.answer() instanceof Answer.Value(_, String version)) {
                named.add(version);
            }
        }
        return history.operations().stream()
                .allMatch(
                        o ->
                                !(o.answer() instanceof Answer.Unmet(String version))
                                        || named.contains(version));
    }

    private void compare(RandomHistories histories, Promise promise, int rounds) {
        for (int round = 0; round < rounds; round++) {
            History history = histories.next(promise == Promise.LINEARIZABLE ? 7 : 6);
            HistoryVerdict verdict = Checker.check(history, promise);
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

package dev.quorate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.history.QuorumModel.Bug;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** No alarm for a store that keeps its promise; one for each way of breaking it. */
class CheckerOnAModelTest {

    private static final int[][] MAJORITY = {{2, 3}};
    private static final int[][] MIXED = {{1, 3}, {2, 3}, {2, 3}, {3, 3}, {1, 1}, {2, 2}, {1, 2}};

    /** How many histories for each test; more say more. */
    private static final int ROUNDS = Integer.getInteger("quorate.histories", 400);

    /** The rarest bug shows in one of a hundred histories. */
    private static final int MAX_ROUNDS_TO_FIND = 20_000;

    @ParameterizedTest
    @CsvSource({
        "QUORUM, true, false",
        "QUORUM, false, false",
        "QUORUM, true, true",
        "QUORUM, false, true",
        "MONOTONIC, true, false",
        "MONOTONIC, true, true",
        "MONOTONIC, false, true"
    })
    void aCorrectStoreHasNoViolations(Promise promise, boolean isOneSpec, boolean hasDeletes) {
        Random random = Seed.random("aStoreThatKeepsItsPromise " + promise);
        Bug[] bugs = promise == Promise.QUORUM ? new Bug[] {Bug.NO_WRITE_BACK} : new Bug[0];
        for (int round = 0; round < ROUNDS; round++) {
            History history =
                    new QuorumModel(random, isOneSpec ? MAJORITY : MIXED, hasDeletes, bugs)
                            .run(10 + random.nextInt(50));
            HistoryVerdict verdict = Checker.check(history, promise);
            assertThat(verdict.isKept()).as("%s%n%s", history, verdict).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Bug.class)
    void everyBugIsFound(Bug bug) {
        Random random = Seed.random("everyBugIsFound " + bug);
        Promise promise = bug == Bug.NO_WRITE_BACK ? Promise.MONOTONIC : Promise.QUORUM;
        Violation.Kind expected =
                switch (bug) {
                    case NO_RESTAMP,
                            ONE_ACK_TOO_FEW,
                            LAST_ARRIVAL_WINS,
                            REPLICA_IS_WIPED,
                            READS_ONE_REPLICA ->
                            Violation.Kind.LOST_WRITE;
                    case NO_WRITE_BACK -> Violation.Kind.WENT_BACK;
                    case DELETES_LEAVE_NO_TOMBSTONE -> Violation.Kind.DELETE_UNDONE;
                    case REFUSED_WRITE_IS_DONE -> Violation.Kind.FROM_NOWHERE;
                };
        Map<Violation.Kind, Integer> found = new EnumMap<>(Violation.Kind.class);
        int broken = 0;
        int rounds = 0;
        while (rounds < ROUNDS / 3
                || (!found.containsKey(expected) && rounds < MAX_ROUNDS_TO_FIND)) {
            History history = new QuorumModel(random, MAJORITY, true, bug).run(50);
            HistoryVerdict verdict = Checker.check(history, promise);
            verdict.violations().forEach(v -> found.merge(v.kind(), 1, Integer::sum));
            broken += verdict.isKept() ? 0 : 1;
            rounds++;
        }
        System.out.println(bug + ": found in " + broken + " of " + rounds + " histories, " + found);
        assertThat(found).containsKey(expected);
    }

    /** A read is made to show what was superseded before it began, or nothing. */
    @ParameterizedTest
    @EnumSource(Promise.class)
    void oneReadThatIsMadeOlderIsFound(Promise promise) {
        Random random = Seed.random("oneReadThatIsMadeOlderIsFound " + promise);
        Map<Violation.Kind, Integer> found = new EnumMap<>(Violation.Kind.class);
        for (int round = 0; round < ROUNDS; round++) {
            boolean hasDeletes = round % 2 == 0;
            History history = new QuorumModel(random, MAJORITY, hasDeletes).run(40);
            List<Operation> operations = new ArrayList<>(history.operations());
            int index = random.nextInt(operations.size());
            Answer older = older(operations, operations.get(index), hasDeletes);
            if (older == null) {
                continue;
            }
            operations.set(index, answered(operations.get(index), older));
            HistoryVerdict verdict = Checker.check(new History(operations), promise);
            assertThat(verdict.isKept()).as("%s: %s", older, new History(operations)).isFalse();
            found.merge(verdict.violations().getFirst().kind(), 1, Integer::sum);
        }
        System.out.println(promise + ": " + found);
        assertThat(found).containsKeys(Violation.Kind.LOST_WRITE, Violation.Kind.DELETE_UNDONE);
    }

    private static @Nullable Answer older(
            List<Operation> operations, Operation read, boolean hasDeletes) {
        if (read.action().isWrite() || read.answer() instanceof Answer.Indeterminate) {
            return null;
        }
        for (Operation newer : operations.reversed()) {
            if (!newer.isAcknowledged() || !newer.isBefore(read)) {
                continue;
            }
            for (Operation older : operations) {
                if (older.isAcknowledged()
                        && older.isBefore(newer)
                        && older.action() instanceof Action.Put(String value, _)) {
                    return new Answer.Value(value, "");
                }
            }
            return hasDeletes ? null : new Answer.Absent();
        }
        return null;
    }

    private static Operation answered(Operation o, Answer answer) {
        return new Operation(
                o.client(), o.key(), o.action(), o.ack(), o.from(), o.began(), o.ended(), answer);
    }

    @Test
    void anAtomicRegisterIsNeverAccused() {
        Random random = Seed.random("anAtomicRegisterIsNeverAccused");
        for (int round = 0; round < ROUNDS; round++) {
            History history = new AtomicModel(random).run(100);
            for (Promise promise : Promise.values()) {
                HistoryVerdict verdict = Checker.check(history, promise);
                assertThat(verdict.isKept()).as("%s%n%s", history, verdict).isTrue();
            }
        }
    }
}

package dev.quorate.testkit.change;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules of docs/decisions/0052-joint-quorums.md in random lives of one key. A planted mistake
 * must be noticed within the given number of lives, so that the models can notice one.
 */
class ChangeModelsTest {

    /** Lives differ by their seeds alone: the numbers in this test are exact. */
    private static final long FIRST_SEED = 1;

    private static final int LIVES = Integer.getInteger("quorate.sim.changes", 50_000);

    private static long seed(String test) {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println(test + ": -Dquorate.seed=" + seed);
        return seed;
    }

    private static long livesUntilViolation(
            BiFunction<Long, Mistake, ? extends ChangingOwners> model,
            Mistake mistake,
            long lives) {
        for (long life = 0; life < lives; life++) {
            if (model.apply(FIRST_SEED + life, mistake).live() != null) {
                return life;
            }
        }
        return lives;
    }

    @Test
    void noReadIsStaleAndNoneGoesBack() {
        long seed = seed("noReadIsStaleAndNoneGoesBack");
        long reads = 0;
        long finished = 0;
        long cancelled = 0;
        for (int life = 0; life < LIVES; life++) {
            RegisterModel model = RegisterModel.of(seed + life, Mistake.NONE);
            assertThat(model.live()).as("seed %d", seed + life).isNull();
            reads += model.reads();
            finished += model.finished();
            cancelled += model.cancelled();
        }
        System.out.printf(
                "Register: %,d reads, %,d changes, %,d cancelled%n", reads, finished, cancelled);
        assertThat(finished).isPositive();
        assertThat(cancelled).isPositive();
    }

    @Test
    void oneValueIsChosenAndNoneIsDenied() {
        long seed = seed("oneValueIsChosenAndNoneIsDenied");
        long choices = 0;
        long finished = 0;
        for (int life = 0; life < LIVES; life++) {
            DecreeModel model = DecreeModel.of(seed + life, Mistake.NONE);
            assertThat(model.live()).as("seed %d", seed + life).isNull();
            choices += model.choices();
            finished += model.finished();
        }
        System.out.printf("Decree: %,d choices, %,d changes%n", choices, finished);
        assertThat(choices).isPositive();
        assertThat(finished).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "NEW_OWNERS_ALONE, 1000",
        "READS_OF_OLD_OWNERS, 200000",
        "LARGER_COUNT, 20000",
        "OLDER_EPOCHS_TAKEN, 60000",
        "STAMPED_WHEN_SENT, 200000",
        "EPOCH_IN_MEMORY, 200000",
        "PROOF_WITHOUT_LEAVERS, 1000",
        "PROOF_BEFORE_JOINT, 5000",
        "SIZES_IGNORED, 20000"
    })
    void aMistakeShowsAStaleRead(Mistake mistake, long lives) {
        assertThat(livesUntilViolation(RegisterModel::of, mistake, lives)).isLessThan(lives);
    }

    @ParameterizedTest
    @CsvSource({
        "NEW_OWNERS_ALONE, 5000",
        "TWO_SUFFICE, 20000",
        "OLDER_EPOCHS_TAKEN, 10000",
        "EPOCH_IN_MEMORY, 50000",
        "PROOF_WITHOUT_LEAVERS, 1000",
        "PROOF_BEFORE_JOINT, 1000",
        "PROOF_OF_ONE_LEAVER, 500000",
        "SIZES_IGNORED, 10000",
        "RECORDS_NOT_COPIED, 5000",
        "RECORDS_OF_LEAVERS_NOT_COPIED, 20000",
        "COPY_REPLACES_LATER, 20000",
        "COPIES_ARE_NONE, 20000",
        "UNANSWERED_ARE_NONE, 20000",
        "NEW_OWNERS_ASKED, 20000"
    })
    void aMistakeLosesADecree(Mistake mistake, long lives) {
        assertThat(livesUntilViolation(DecreeModel::of, mistake, lives)).isLessThan(lives);
    }
}

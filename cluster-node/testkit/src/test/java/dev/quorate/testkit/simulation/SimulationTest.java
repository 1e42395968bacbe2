package dev.quorate.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole clusters, while everything breaks. */
class SimulationTest {

    private static final Duration LENGTH = Duration.ofSeconds(20);
    private static final int MOST_SEEDS_TO_SEE = 30;
    private static final int SEEDS = Integer.getInteger("quorate.sim.seeds", 20);

    @Test
    void promisesAreKeptWhateverBreaks() {
        long first = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("promisesAreKeptWhateverBreaks: -Dquorate.seed=" + first);
        for (int i = 0; i < SEEDS; i++) {
            SimulationResult result = Simulation.run(first + i, LENGTH);
            assertThat(result.isGood()).as("%s", result).isTrue();
        }
    }

    /** The instruments see: each mistake shows within so many seeds. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void mistakesAreNoticed(Sabotage sabotage) {
        for (long seed = 1; seed <= MOST_SEEDS_TO_SEE; seed++) {
            SimulationResult result = Simulation.run(seed, LENGTH, sabotage);
            if (!result.verdict().isKept()) {
                System.out.println(sabotage + " is noticed with seed " + seed);
                return;
            }
        }
        fail(sabotage + " was not noticed in " + MOST_SEEDS_TO_SEE + " seeds");
    }

    /** All that is random comes from the seed, and no thread of another's interferes. */
    @Test
    void theSameSeedIsTheSameHistory() {
        for (long seed = 1; seed <= 5; seed++) {
            SimulationResult once = Simulation.run(seed, LENGTH);
            SimulationResult again = Simulation.run(seed, LENGTH);
            assertThat(again.story()).isEqualTo(once.story());
            assertThat(again.history().toString()).isEqualTo(once.history().toString());
        }
    }
}

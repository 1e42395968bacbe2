package dev.quorate.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole clusters with conditional writes, while everything breaks. */
class ConditionalSimulationTest {

    private static final Duration LENGTH = Duration.ofSeconds(8);
    private static final int MAX_SEEDS_TO_SEE = 60;
    private static final int SEEDS = Integer.getInteger("quorate.sim.seeds", 40);

    @ParameterizedTest
    @EnumSource(names = {"CONDITIONS", "MIXED_CONDITIONS"})
    void conditionalWritesAreAtomicWhateverBreaks(Workload.Kind kind) {
        long first = Long.getLong("quorate.seed", System.nanoTime());
        System.out.printf(
                "conditionalWritesAreAtomicWhateverBreaks, %s: seeds %d to %d,"
                        + " -Dquorate.seed=%d%n",
                kind, first, first + SEEDS - 1, first);
        long made = 0;
        for (int i = 0; i < SEEDS; i++) {
            SimulationInput scenario = SimulationInput.of(first + i, LENGTH).withWork(kind);
            SimulationResult result = Simulation.run(scenario);
            if (!result.isGood()) {
                fail("seed %d: %s%s", first + i, result.verdict(), result.broken());
            }
            made += made(result);
        }
        System.out.println(made + " conditional writes were made");
        assertThat(made).isGreaterThan(SEEDS);
    }

    /** The instruments see: each mistake shows within so many seeds. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "KEEPS_NO_RECORDS",
                "SHOWS_WHAT_IS_ONLY_ACCEPTED",
                "RETRIES_ARE_NEW_WRITES",
                "RENEWS_BY_PLAIN_WRITES"
            })
    void mistakesAreNoticed(Sabotage sabotage) {
        for (long seed = 1; seed <= MAX_SEEDS_TO_SEE; seed++) {
            SimulationInput scenario =
                    sabotage.in(
                            SimulationInput.of(seed, LENGTH)
                                    .withWork(Workload.Kind.CONDITIONS)
                                    .withFaults(
                                            EnumSet.of(
                                                    SimulatedFault.ISOLATE,
                                                    SimulatedFault.KILL,
                                                    SimulatedFault.LOSSY)));
            if (!Simulation.run(scenario).verdict().isKept()) {
                System.out.println(sabotage + " is noticed with seed " + seed);
                return;
            }
        }
        fail(sabotage + " was not noticed in " + MAX_SEEDS_TO_SEE + " seeds");
    }

    private static long made(SimulationResult result) {
        return result.history().operations().stream()
                .filter(each -> !each.action().condition().equals(HistoryCondition.NONE))
                .filter(
                        each ->
                                each.answer() instanceof Answer.Stored
                                        || each.answer() instanceof Answer.Deleted)
                .count();
    }
}

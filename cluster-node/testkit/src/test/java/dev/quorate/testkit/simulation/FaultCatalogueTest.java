package dev.quorate.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each kind of fault by itself, or with what makes it worse, so many times: a twentieth of the
 * number that a long run, with {@code -Dquorate.tests.scale=full}, takes.
 */
class FaultCatalogueTest {

    private static final Duration LENGTH = Duration.ofSeconds(10);
    private static final int LEAST_SEEDS = 2;
    private static final int MOST_SEEDS = 10_000;
    private static final int SHARE =
            "full".equals(System.getProperty("quorate.tests.scale")) ? 1 : 20;

    /** What is broken, and how often in a long run. */
    record Row(String name, int times, Set<Fault> faults) {

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Row> rows() {
        return List.of(
                new Row(
                        "processes killed",
                        1_000,
                        EnumSet.of(Fault.KILL, Fault.TWO_IN_TURN, Fault.CRASH_AT_DISK_STEP)),
                new Row("all lose power", 200, EnumSet.of(Fault.POWER_LOSS_OF_ALL)),
                new Row(
                        "networks cut",
                        1_000,
                        EnumSet.of(
                                Fault.CUT_BOTH_WAYS,
                                Fault.CUT_ONE_WAY,
                                Fault.ISOLATE,
                                Fault.FLAPPING,
                                Fault.HEALED_DURING_RESTART)),
                new Row("processes paused", 200, EnumSet.of(Fault.PAUSE)),
                new Row("messages lost or late", 400, EnumSet.of(Fault.LOSSY, Fault.SLOW)),
                new Row(
                        "clocks wrong",
                        1_000,
                        EnumSet.of(Fault.CLOCK_STEP, Fault.CLOCKS_OF_THE_PAST, Fault.KILL)),
                new Row("restart storms", 100, EnumSet.of(Fault.RESTART_STORM)),
                new Row(
                        "power lost in the midst",
                        1_000,
                        EnumSet.of(Fault.CRASH_AT_DISK_STEP, Fault.POWER_LOSS)),
                new Row("fsyncs fail", 200, EnumSet.of(Fault.FAILED_FSYNC)),
                new Row("disks full", 400, EnumSet.of(Fault.FULL_DISK, Fault.CRASH_AT_DISK_STEP)),
                new Row("bits flipped", 400, EnumSet.of(Fault.FLIPPED_BIT, Fault.KILL)));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void nothingIsLostOrHidden(Row row) {
        long first = Long.getLong("quorate.seed", System.nanoTime());
        int struck = 0;
        int seeds = 0;
        while ((struck < row.times() / SHARE || seeds < LEAST_SEEDS) && seeds < MOST_SEEDS) {
            long seed = first + seeds;
            SimulationResult result =
                    Simulation.run(Scenario.of(seed, LENGTH).withFaults(row.faults()));
            assertThat(result.isGood())
                    .as("%s, seed %d: %s %s", row, seed, result.verdict(), result.broken())
                    .isTrue();
            assertThat(result.verdict().counts().readsJudged()).isPositive();
            struck += result.faults();
            seeds++;
        }
        System.out.printf(
                "%s: %d faults in %d lives, -Dquorate.seed=%d%n", row, struck, seeds, first);
        assertThat(struck).isGreaterThanOrEqualTo(row.times() / SHARE);
    }
}

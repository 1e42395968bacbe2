package dev.quorate.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each kind of fault by itself, or with what makes it worse, so many times and in so many lives: a
 * fortieth of the numbers that a long run, with {@code -Dquorate.tests.scale=full}, takes.
 */
class FaultCatalogueTest {

    private static final Duration LENGTH = Duration.ofSeconds(6);

    /** So that some keys are deleted for longer than hints are kept. */
    private static final Duration LONG = Duration.ofSeconds(12);

    private static final int MANY = 1_000;
    private static final int MIN_LIVES = 2;
    private static final int MAX_LIVES = 10_000;
    private static final int SHARE =
            "full".equals(System.getProperty("quorate.tests.scale")) ? 1 : 40;

    /**
     * What is broken.
     *
     * @param times how often in a long run
     * @param lives in how many clusters at least, in a long run
     * @param work what clients do meanwhile
     */
    record Row(String name, int times, int lives, Workload.Kind work, Set<SimulatedFault> faults) {

        Row(String name, int times, SimulatedFault first, SimulatedFault... others) {
            this(name, times, 0, Workload.Kind.ANY, EnumSet.of(first, others));
        }

        Row(
                String name,
                int lives,
                Workload.Kind work,
                SimulatedFault first,
                SimulatedFault... others) {
            this(name, 0, lives, work, EnumSet.of(first, others));
        }

        Duration length() {
            return work == Workload.Kind.DELETES ? LONG : LENGTH;
        }

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
                        SimulatedFault.KILL,
                        SimulatedFault.TWO_IN_TURN,
                        SimulatedFault.CRASH_AT_DISK_STEP),
                new Row("all lose power", 200, SimulatedFault.POWER_LOSS_OF_ALL),
                new Row(
                        "networks cut",
                        1_000,
                        SimulatedFault.CUT_BOTH_WAYS,
                        SimulatedFault.CUT_ONE_WAY,
                        SimulatedFault.ISOLATE,
                        SimulatedFault.FLAPPING,
                        SimulatedFault.HEALED_DURING_RESTART),
                new Row("restart storms", 100, SimulatedFault.RESTART_STORM),
                new Row(
                        "power lost in the midst",
                        1_000,
                        SimulatedFault.CRASH_AT_DISK_STEP,
                        SimulatedFault.POWER_LOSS),
                new Row("fsyncs fail", 200, SimulatedFault.FAILED_FSYNC),
                new Row(
                        "disks full",
                        400,
                        SimulatedFault.FULL_DISK,
                        SimulatedFault.CRASH_AT_DISK_STEP),
                new Row("bits flipped", 400, SimulatedFault.FLIPPED_BIT, SimulatedFault.KILL),
                new Row("processes paused", MANY, Workload.Kind.ANY, SimulatedFault.PAUSE),
                new Row(
                        "messages lost or late",
                        MANY,
                        Workload.Kind.ANY,
                        SimulatedFault.LOSSY,
                        SimulatedFault.SLOW),
                new Row(
                        "clocks wrong",
                        MANY,
                        Workload.Kind.MAJORITIES,
                        SimulatedFault.CLOCK_STEP,
                        SimulatedFault.CLOCKS_OF_THE_PAST,
                        SimulatedFault.KILL),
                new Row(
                        "registers",
                        0,
                        MANY,
                        Workload.Kind.REGISTERS,
                        EnumSet.allOf(SimulatedFault.class)),
                new Row(
                        "majorities",
                        0,
                        MANY,
                        Workload.Kind.MAJORITIES,
                        EnumSet.allOf(SimulatedFault.class)),
                new Row(
                        "deletes while replicas are away",
                        MANY,
                        Workload.Kind.DELETES,
                        SimulatedFault.KILL,
                        SimulatedFault.ISOLATE,
                        SimulatedFault.CLOCK_STEP,
                        SimulatedFault.CRASH_AT_DISK_STEP,
                        SimulatedFault.LOST_DISK),
                new Row(
                        "disks lost",
                        MANY,
                        Workload.Kind.MAJORITIES,
                        SimulatedFault.LOST_DISK,
                        SimulatedFault.KILL,
                        SimulatedFault.ISOLATE,
                        SimulatedFault.POWER_LOSS),
                new Row(
                        "directories lost in part, or old",
                        MANY,
                        Workload.Kind.MAJORITIES,
                        SimulatedFault.LOST_PART,
                        SimulatedFault.OLD_COPY,
                        SimulatedFault.KILL,
                        SimulatedFault.ISOLATE),
                new Row(
                        "hints and their coordinators lost",
                        MANY,
                        Workload.Kind.MAJORITIES,
                        SimulatedFault.TWO_IN_TURN,
                        SimulatedFault.FLAPPING,
                        SimulatedFault.POWER_LOSS,
                        SimulatedFault.FULL_DISK),
                new Row(
                        "replicas that differ",
                        MANY,
                        Workload.Kind.ANY,
                        SimulatedFault.ISOLATE,
                        SimulatedFault.CUT_ONE_WAY,
                        SimulatedFault.LOSSY,
                        SimulatedFault.KILL),
                new Row(
                        "rolling restarts",
                        MANY,
                        Workload.Kind.MAJORITIES,
                        SimulatedFault.ROLLING_RESTART));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void nothingIsLostOrHidden(Row row) {
        long first = Long.getLong("quorate.seed", System.nanoTime());
        int struck = 0;
        int lives = 0;
        long dropped = 0;
        while ((struck < row.times() / SHARE || lives < leastLives(row)) && lives < MAX_LIVES) {
            long seed = first + lives;
            SimulationResult result =
                    Simulation.run(
                            SimulationInput.of(seed, row.length())
                                    .withFaults(row.faults())
                                    .withWork(row.work()));
            assertThat(result.isGood())
                    .as("%s, seed %d: %s %s", row, seed, result.verdict(), result.broken())
                    .isTrue();
            assertThat(result.verdict().counts().readsChecked()).isPositive();
            if (row.faults().equals(EnumSet.of(SimulatedFault.ROLLING_RESTART))) {
                assertThat(result.verdict().counts().indeterminate())
                        .as("what failed while nodes were restarted, seed %d", seed)
                        .isZero();
            }
            struck += result.faults();
            dropped += result.droppedTombstones();
            lives++;
        }
        System.out.printf(
                "%s: %d faults in %d lives, %d tombstones dropped, -Dquorate.seed=%d%n",
                row, struck, lives, dropped, first);
        assertThat(dropped > 0 || row.work() != Workload.Kind.DELETES)
                .as("tombstones dropped")
                .isTrue();
        assertThat(struck).isPositive().isGreaterThanOrEqualTo(row.times() / SHARE);
    }

    private static int leastLives(Row row) {
        return Math.max(MIN_LIVES, row.lives() / SHARE);
    }
}

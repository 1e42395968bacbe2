package dev.quorate.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.wal.Pacer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The rate falls as the backlog grows, and converges on machines of any speed without a stop. */
class BackPressureTest {

    private static final long MIB = 1 << 20;

    @Test
    void withoutABacklogNothingIsThrottled() {
        assertThat(BackPressure.bytesPerSecond(0, 6)).isEqualTo(Pacer.UNLIMITED);
        assertThat(BackPressure.bytesPerSecond(0, 0)).isEqualTo(Pacer.UNLIMITED);
        assertThat(BackPressure.compactionBytesPerSecond(0, 0)).isEqualTo(Pacer.UNLIMITED);
        assertThat(BackPressure.compactionBytesPerSecond(64 * MIB, 4)).isEqualTo(64 * MIB);
        assertThat(BackPressure.compactionBytesPerSecond(64 * MIB, 5)).isEqualTo(128 * MIB);
        assertThat(BackPressure.compactionBytesPerSecond(64 * MIB, 6)).isEqualTo(Pacer.UNLIMITED);
    }

    @Test
    void theRateFallsWithTheBacklogDownToTheFloor() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100_000; i++) {
            double memory = random.nextDouble(-1, 1.5);
            double backlog = random.nextDouble(100);
            long rate = BackPressure.bytesPerSecond(memory, backlog);
            double more = random.nextDouble(1);
            assertThat(BackPressure.bytesPerSecond(memory + more, backlog))
                    .isLessThanOrEqualTo(rate);
            assertThat(BackPressure.bytesPerSecond(memory, backlog + more))
                    .isLessThanOrEqualTo(rate);
            assertThat(rate).isGreaterThanOrEqualTo(BackPressure.LOWEST_RATE);
            assertThat(rate == Pacer.UNLIMITED || rate <= BackPressure.HIGHEST_RATE).isTrue();
            // Smooth: one percent of the backlog never changes the rate by more than five percent.
            long little = BackPressure.bytesPerSecond(memory, backlog + 0.1);
            assertThat(rate == Pacer.UNLIMITED || little > rate * 0.95).isTrue();
            assertThat(BackPressure.compactionBytesPerSecond(MIB, backlog + more))
                    .isGreaterThanOrEqualTo(BackPressure.compactionBytesPerSecond(MIB, backlog));
        }
    }

    @Test
    void theActiveMemtableFillsNoFasterThanThePreviousOneIsFlushed() {
        assertThat(BackPressure.memory(0, 1, 0)).isZero();
        assertThat(BackPressure.memory(1, 1, 0)).as("the next may follow").isZero();
        assertThat(BackPressure.memory(2, 0, 0)).isZero();
        assertThat(BackPressure.memory(2, 0.5, 0)).isEqualTo(0.5);
        assertThat(BackPressure.memory(2, 0.5, 0.5)).isZero();
        assertThat(BackPressure.memory(2, 0.9, 0.8)).isBetween(0.49, 0.51);
        assertThat(BackPressure.memory(2, 1, 0.9)).isEqualTo(1);
        assertThat(BackPressure.memory(2, 1.2, 1)).isZero();
        assertThat(BackPressure.memory(3, 0, 0)).isEqualTo(1);
    }

    /** A simulated machine with more writes than it can sustain, in steps of a millisecond. */
    private static final class Machine {

        private static final double MEMTABLE_BYTES = 8.0 * MIB;

        final double flushBytesPerMilli;
        final double compactionBytesPerMilli;
        final double level1Bytes;
        double memtables;
        double flushed;
        double tables;
        double merging;
        double dragged;
        double merged;
        int level1Steps;

        Machine(SplittableRandom random) {
            // The floor is 1 MiB per second: a machine must sustain twenty times that.
            compactionBytesPerMilli = Math.exp(random.nextDouble(3.0, 7.0)) * MIB / 1000;
            flushBytesPerMilli = compactionBytesPerMilli * random.nextDouble(0.3, 3);
            level1Bytes = random.nextDouble(16, 128) * MIB;
        }

        double memory() {
            int sealed = (int) memtables;
            return BackPressure.memory(sealed, memtables - sealed, flushed / MEMTABLE_BYTES);
        }

        double backlog() {
            double all = merging * MEMTABLE_BYTES + dragged;
            return Math.max(0, tables - (merging == 0 ? 0 : merging * merged / all));
        }

        void passMilli() {
            if (memtables >= 1) {
                flushed += flushBytesPerMilli;
                if (flushed >= MEMTABLE_BYTES) {
                    flushed = 0;
                    memtables--;
                    tables++;
                }
            }
            if (merging == 0 && dragged == 0 && tables >= 4) {
                // Occasionally a deeper level is compacted first, and level 0 waits for it.
                boolean deeper = level1Steps++ % 3 == 2;
                merging = deeper ? 0 : Math.min(16, tables);
                dragged = deeper ? 11 * 16.0 * MIB : level1Bytes;
            } else if (dragged > 0) {
                merged += compactionBytesPerMilli;
                if (merged >= merging * MEMTABLE_BYTES + dragged) {
                    tables -= merging;
                    merging = 0;
                    dragged = 0;
                    merged = 0;
                }
            }
        }
    }

    @Test
    void theRateConvergesOnAMachineOfAnySpeed() {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("BackPressureTest: -Dquorate.seed=" + seed);
        for (int i = 0; i < 40; i++) {
            Machine machine = new Machine(new SplittableRandom(seed + i));
            double written = 0;
            double most = 0;
            double longest = 0;
            double since = 0;
            for (int milli = 0; milli < 120_000; milli++) {
                long rate = BackPressure.bytesPerSecond(machine.memory(), machine.backlog());
                double bytes = Math.min(rate, 200 * MIB) / 1000.0;
                if (machine.memtables < 3) {
                    machine.memtables += bytes / Machine.MEMTABLE_BYTES;
                    written += bytes;
                    since = 0;
                }
                longest = Math.max(longest, ++since);
                machine.passMilli();
                if (milli > 10_000) {
                    most = Math.max(most, machine.tables);
                }
            }
            String what = "-Dquorate.seed=" + seed + ", machine " + i;
            assertThat(most).as(what).isLessThan(36);
            // On the slowest machines a flush takes more than a second: 113 were observed.
            assertThat(longest).as(what + ": milliseconds without a write").isLessThan(200);
            assertThat(written / 120).as(what).isGreaterThan(BackPressure.LOWEST_RATE);
        }
    }
}

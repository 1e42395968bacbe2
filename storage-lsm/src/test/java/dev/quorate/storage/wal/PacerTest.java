package dev.quorate.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The pacer limits the rate without a blocked thread, and no pause is endless. */
class PacerTest {

    private static final long MILLI = 1_000_000;
    private static final long MIB = 1 << 20;

    private record Timer(long millis, Runnable task) {}

    private final Queue<Timer> timers = new ArrayDeque<>();
    private long now;
    private int woken;
    private final Pacer pacer =
            new Pacer((millis, task) -> timers.add(new Timer(millis, task)), () -> now, this::wake);

    private void wake() {
        woken++;
    }

    @Test
    void anUnlimitedTaskNeverPauses() {
        for (int i = 0; i < 1000; i++) {
            assertThat(pacer.mustPause()).isFalse();
            pacer.spent(MIB, Pacer.UNLIMITED);
        }
        assertThat(timers).isEmpty();
    }

    @Test
    void aStepIsFollowedByItsPause() {
        assertThat(pacer.mustPause()).isFalse();
        pacer.spent(MIB, 100 * MIB);
        assertThat(pacer.mustPause()).isTrue();
        assertThat(pacer.mustPause()).as("until the pause ends").isTrue();
        assertThat(timers).hasSize(1);
        assertThat(timers.element().millis()).isEqualTo(10);
        now += 10 * MILLI;
        assertThat(pacer.mustPause()).as("the timer ends it").isTrue();
        timers.remove().task().run();
        assertThat(woken).isEqualTo(1);
        assertThat(pacer.mustPause()).isFalse();
        assertThat(pacer.pausedNanos()).isEqualTo(10 * MILLI);
    }

    @Test
    void noClockPausesATaskForever() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            // A clock that stands still, jumps, or goes backwards.
            now += random.nextInt(3) * random.nextLong(-1_000_000 * MILLI, 1_000_000 * MILLI);
            pacer.spent(random.nextLong(100 * MIB), 1 + random.nextLong(MIB));
            if (pacer.mustPause()) {
                assertThat(timers.element().millis()).isBetween(1L, 1000L);
                timers.remove().task().run();
            }
            assertThat(pacer.mustPause()).isFalse();
        }
    }

    @Test
    void theAverageRateHoldsDespiteLateTimers() {
        SplittableRandom random = new SplittableRandom(2);
        long done = 0;
        while (now < 10_000 * MILLI) {
            if (pacer.mustPause()) {
                Timer timer = timers.remove();
                now += timer.millis() * MILLI + random.nextLong(2 * MILLI);
                timer.task().run();
            } else {
                long bytes = 1000 + random.nextLong(50_000);
                pacer.spent(bytes, 20 * MIB);
                done += bytes;
                now += random.nextLong(MILLI / 5);
            }
        }
        assertThat(done / 10.0).isBetween(19.0 * MIB, 20.5 * MIB);
    }
}

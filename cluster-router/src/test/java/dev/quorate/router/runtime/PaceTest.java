package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long whoever has spent bytes has to wait. */
class PaceTest {

    private static final long SECOND = 1_000_000_000;
    private static final long START = 5 * SECOND;

    @Test
    void spentBytesMustBeWaitedFor() {
        Pace pace = new Pace(1_000, START);
        assertThat(pace.waitNanos(START)).isZero();
        pace.spend(500, START);
        assertThat(pace.waitNanos(START)).isEqualTo(SECOND / 2);
        pace.spend(500, START);
        assertThat(pace.waitNanos(START)).isEqualTo(SECOND);
        assertThat(pace.waitNanos(START + SECOND / 4)).isEqualTo(SECOND * 3 / 4);
        assertThat(pace.waitNanos(START + 2 * SECOND)).isZero();
    }

    @Test
    void unusedTimeIsNotSaved() {
        Pace pace = new Pace(1_000, START);
        pace.spend(1_000, START + 60 * SECOND);
        assertThat(pace.waitNanos(START + 60 * SECOND)).isEqualTo(SECOND);
    }

    @Test
    void waitsOfSomeMillisecondsAddUp() {
        Pace pace = new Pace(1_000, START);
        pace.spend(4, START);
        assertThat(pace.waitNanos(START)).isZero();
        pace.spend(4, START);
        assertThat(pace.waitNanos(START)).isEqualTo(SECOND * 8 / 1_000);
    }

    @Test
    void aRateRisesFromAnEighth() {
        Pace pace = new Pace(1_000, START, Duration.ofSeconds(10));
        pace.spend(100, START);
        assertThat(pace.waitNanos(START)).isEqualTo(SECOND * 8 / 10);
        pace.spend(100, START + 5 * SECOND);
        assertThat(pace.waitNanos(START + 5 * SECOND)).isEqualTo(SECOND * 2 / 10);
        pace.spend(100, START + 10 * SECOND);
        assertThat(pace.waitNanos(START + 10 * SECOND)).isEqualTo(SECOND / 10);
    }

    @Test
    void zeroIsNoLimit() {
        Pace pace = new Pace(0, START);
        pace.spend(1L << 40, START);
        assertThat(pace.waitNanos(START)).isZero();
    }
}

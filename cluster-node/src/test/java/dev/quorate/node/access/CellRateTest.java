package dev.quorate.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As many requests a second as allowed, wherever nanoseconds count from. */
class CellRateTest {

    private static final long SECOND = 1_000_000_000;

    private static CellRate rate(long unitsPerSecond) {
        return new CellRate(unitsPerSecond, new AtomicLong());
    }

    private static int taken(CellRate rate, int tries, long nowNanos) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += rate.take(nowNanos) == 0 ? 1 : 0;
        }
        return taken;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, -5 * SECOND, Long.MAX_VALUE - SECOND, Long.MIN_VALUE, 7_000})
    void aBurstOfASecondAndThenTheRate(long start) {
        CellRate rate = rate(10);
        assertThat(taken(rate, 50, start)).isEqualTo(10);
        assertThat(taken(rate, 50, start + SECOND / 2)).isEqualTo(5);
        assertThat(taken(rate, 50, start + SECOND / 2)).isZero();
        int later = 0;
        for (int i = 1; i <= 1_000; i++) {
            later += taken(rate, 3, start + SECOND / 2 + i * SECOND / 100);
        }
        assertThat(later).isEqualTo(100);
        assertThat(taken(rate, 50, start + 3_600 * SECOND)).as("no more is saved").isEqualTo(10);
    }

    @Test
    void whatIsCountedAfterwardsDelaysTheNext() {
        CellRate rate = rate(100);
        rate.spend(300, 0);
        assertThat(taken(rate, 5, 0)).isZero();
        assertThat(taken(rate, 5, 2 * SECOND)).isZero();
        assertThat(taken(rate, 50, 2 * SECOND + SECOND / 10)).isEqualTo(10);
    }

    @Test
    void itSaysWhenAgain() {
        CellRate rate = rate(4);
        assertThat(taken(rate, 9, 7)).isEqualTo(4);
        assertThat(rate.take(7)).isEqualTo(SECOND / 4);
        assertThat(rate.take(7 + SECOND / 4 - 1)).isEqualTo(1);
        assertThat(rate.take(7 + SECOND / 4)).isZero();
    }

    /** Otherwise what is larger than a burst could never be sent. */
    @ParameterizedTest
    @ValueSource(longs = {0, -3 * SECOND, Long.MAX_VALUE - 2 * SECOND, Long.MIN_VALUE + 5})
    void whatIsLargerThanABurstIsADebt(long start) {
        CellRate rate = rate(1_000);
        assertThat(rate.waitNanos(start)).isZero();
        rate.spend(999, start);
        assertThat(rate.waitNanos(start)).as("a unit is left").isZero();
        rate.spend(5_001, start);
        assertThat(rate.waitNanos(start)).isEqualTo(5 * SECOND + 1);
        assertThat(rate.waitNanos(start + 5 * SECOND)).isEqualTo(1);
        assertThat(rate.waitNanos(start + 5 * SECOND + 1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1 << 23, 1L << 33, 1L << 34, Long.MAX_VALUE})
    void noDebtLastsLongerThanAnHour(long units) {
        for (long perSecond : new long[] {1, 64 << 10, 64L << 30}) {
            for (long start : new long[] {0, Long.MAX_VALUE - 9, Long.MIN_VALUE}) {
                CellRate rate = rate(perSecond);
                for (int i = 0; i < 100; i++) {
                    rate.spend(units, start);
                    assertThat(rate.waitNanos(start)).isBetween(0L, 3_600 * SECOND + 1);
                }
                assertThat(rate.waitNanos(start + 3_600 * SECOND + 1)).isZero();
            }
        }
        CellRate slow = rate(1);
        slow.spend(units, 0);
        assertThat(slow.waitNanos(0)).isEqualTo(3_600 * SECOND + 1);
    }

    @Test
    void aNegativeNumberGivesNothingBack() {
        CellRate rate = rate(10);
        rate.spend(10, 0);
        rate.spend(-1_000, 0);
        assertThat(taken(rate, 5, 0)).isZero();
    }

    /** Its debt must not be forgiven, nor last for ever. */
    @Test
    void aClockThatGoesBackDelaysByThatMuch() {
        CellRate rate = rate(10);
        rate.spend(20, 100 * SECOND);
        assertThat(rate.waitNanos(99 * SECOND)).isEqualTo(2 * SECOND + 1);
        rate.spend(Long.MAX_VALUE, 99 * SECOND);
        assertThat(rate.waitNanos(100 * SECOND)).isEqualTo(3_599 * SECOND + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void otherRatesAreRefused(int perSecond) {
        assertThatThrownBy(() -> rate(perSecond)).isInstanceOf(IllegalArgumentException.class);
    }
}

package dev.quorate.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As many requests a second as allowed, wherever nanoseconds count from. */
class RequestRateTest {

    private static final long SECOND = 1_000_000_000;

    private static int taken(RequestRate rate, int tries, long nowNanos) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += rate.tryTake(nowNanos) ? 1 : 0;
        }
        return taken;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, -5 * SECOND, Long.MAX_VALUE - SECOND, Long.MIN_VALUE, 7_000})
    void aBurstOfASecondAndThenTheRate(long start) {
        RequestRate rate = new RequestRate(10);
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
        RequestRate rate = new RequestRate(100);
        rate.spend(300, 0);
        assertThat(taken(rate, 5, 0)).isZero();
        assertThat(taken(rate, 5, 2 * SECOND)).isZero();
        assertThat(taken(rate, 50, 2 * SECOND + SECOND / 10)).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_000_001})
    void otherRatesAreRefused(int perSecond) {
        assertThatThrownBy(() -> new RequestRate(perSecond))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

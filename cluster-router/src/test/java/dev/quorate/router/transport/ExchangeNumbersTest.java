package dev.quorate.router.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ExchangeNumbersTest {

    private final ManualTime time = new ManualTime();
    private final HybridClock clock = HybridClock.volatileClock(time, 7, Duration.ofMillis(500));

    private Timestamp stamp() {
        return Objects.requireNonNull(clock.next());
    }

    private void assertNoneIsLargerThanTheClock(ExchangeNumbers numbers, int count) {
        long before = 0;
        for (int i = 0; i < count; i++) {
            long number = numbers.next();
            assertThat(number).isGreaterThan(before).isLessThanOrEqualTo(clock.reading());
            before = number;
        }
    }

    /** Or the next start, which begins where the clock has stopped, would repeat some. */
    @Test
    void numbersGrowWhileTheWallClockIsBehind() {
        Timestamp last = stamp();
        time.jumpWall(Duration.ofDays(-365));
        ExchangeNumbers numbers = new ExchangeNumbers(clock);
        assertNoneIsLargerThanTheClock(numbers, 1_000);
        assertThat(stamp().hybrid()).isGreaterThan(last.hybrid() + 1_000);
    }

    @Test
    void aWallClockThatWasWrongAtTheStartDoesNotAffectTheNumbers() {
        time.jumpWall(Duration.ofHours(1));
        ExchangeNumbers numbers = new ExchangeNumbers(clock);
        time.jumpWall(Duration.ofHours(-1));
        assertNoneIsLargerThanTheClock(numbers, 10);
        numbers.skipAhead();
        assertNoneIsLargerThanTheClock(numbers, 10);
    }

    @Test
    void afterARefusalTheNumbersSkipAhead() {
        ExchangeNumbers numbers = new ExchangeNumbers(clock);
        long seen = clock.reading() + (100 << 16);
        assertThat(clock.observe(seen)).isTrue();
        numbers.skipAhead();
        assertThat(numbers.next()).isGreaterThan(seen);
    }
}

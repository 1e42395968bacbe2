package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One clock that is wrong, however much and for however long, drops nothing. */
class ExpiryTimeTest {

    private static final long YEAR = 365L * 24 * 3600 * 1000;
    private static final long WINDOW = ExpiryTime.WINDOW.toMillis();

    /** A machine whose wall clock can be wrong. */
    private static final class Machine implements Ticker {
        long trueMillis = 1_000_000_000_000L;
        long aheadMillis;

        @Override
        public long wallMillis() {
            return trueMillis + aheadMillis;
        }

        @Override
        public long nanos() {
            return trueMillis * 1_000_000;
        }
    }

    private final Machine machine = new Machine();

    private void pass(ExpiryTime time, long millis) {
        long end = machine.trueMillis + millis;
        long step = ExpiryTime.SAMPLE_EVERY.toMillis();
        while (machine.trueMillis < end) {
            machine.trueMillis = Math.min(end, machine.trueMillis + step);
            time.sample();
        }
    }

    @Test
    void aloneItFollowsItsClockOnceTheWindowHasPassed() {
        ExpiryTime time = new ExpiryTime(machine, () -> 1);
        assertThat(time.millis()).isZero();
        pass(time, WINDOW - 1);
        assertThat(time.millis()).isZero();
        pass(time, 1);
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
        pass(time, YEAR / 100);
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
    }

    @Test
    void aloneItPassesOverAClockThatIsWrongForLessThanTheWindow() {
        ExpiryTime time = new ExpiryTime(machine, () -> 1);
        pass(time, 2 * WINDOW);
        machine.aheadMillis = YEAR;
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
        pass(time, WINDOW - ExpiryTime.SAMPLE_EVERY.toMillis());
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
        machine.aheadMillis = 0;
        pass(time, 3 * WINDOW);
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
    }

    @Test
    void aClockThatIsWrongAtTheStartIsNotBelieved() {
        machine.aheadMillis = YEAR;
        ExpiryTime time = new ExpiryTime(machine, () -> 1);
        pass(time, 1_500);
        machine.aheadMillis = 0;
        pass(time, WINDOW);
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
    }

    @Test
    void aClockThatIsWrongRightAfterTheStartIsNotBelievedWithinTheWindow() {
        ExpiryTime time = new ExpiryTime(machine, () -> 1);
        machine.aheadMillis = YEAR;
        pass(time, WINDOW);
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
    }

    /**
     * A machine that was suspended, or a process that was stopped, may go on with a wrong clock.
     */
    @Test
    void aClockThatIsWrongAfterTheProcessStoodStillIsNotBelieved() {
        ExpiryTime time = new ExpiryTime(machine, () -> 1);
        pass(time, 2 * WINDOW);
        machine.trueMillis += 2 * WINDOW;
        machine.aheadMillis = YEAR;
        assertThat(time.millis()).isZero();
        pass(time, 1_500);
        assertThat(time.millis()).isZero();
        machine.aheadMillis = 0;
        pass(time, WINDOW);
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
    }

    @Test
    void aClockThatWentBackIsFollowedAtOnce() {
        ExpiryTime time = new ExpiryTime(machine, () -> 1);
        pass(time, 2 * WINDOW);
        machine.aheadMillis = -YEAR;
        assertThat(time.millis()).isEqualTo(machine.trueMillis - YEAR);
    }

    @Test
    void amongThreeOneThatIsAheadForEverHasNoEffect() {
        List<Long> others = new ArrayList<>();
        ExpiryTime time = new ExpiryTime(machine, () -> 3);
        time.listenTo(() -> others);
        machine.aheadMillis = YEAR;
        pass(time, 2 * WINDOW);
        assertThat(time.millis()).as("nobody else has spoken").isZero();
        others.add(machine.trueMillis - 5);
        assertThat(time.millis()).isEqualTo(machine.trueMillis - 5);
        others.add(machine.trueMillis - 9);
        assertThat(time.millis()).isEqualTo(machine.trueMillis - 5);

        // Another one is ahead, and this one is right again.
        machine.aheadMillis = 0;
        others.set(0, machine.trueMillis + YEAR);
        assertThat(time.millis()).isEqualTo(machine.trueMillis);
    }

    @Test
    void aMajorityHasToHaveComeThere() {
        assertThat(ExpiryTime.majorityMillis(9, List.of(), 1)).isEqualTo(9);
        assertThat(ExpiryTime.majorityMillis(9, List.of(7L), 2)).isEqualTo(7);
        assertThat(ExpiryTime.majorityMillis(9, List.of(7L), 3)).isEqualTo(7);
        assertThat(ExpiryTime.majorityMillis(9, List.of(8L, 5L), 3)).isEqualTo(8);
        assertThat(ExpiryTime.majorityMillis(9, List.of(8L, 5L), 5)).isEqualTo(5);
        assertThat(ExpiryTime.majorityMillis(9, List.of(8L), 5)).isZero();
        assertThat(ExpiryTime.majorityMillis(9, List.of(8L, 7L), 2))
                .as("a member has just left")
                .isEqualTo(8);
    }
}

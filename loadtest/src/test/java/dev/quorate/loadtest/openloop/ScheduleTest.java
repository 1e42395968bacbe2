package dev.quorate.loadtest.openloop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.Load.Requests;
import dev.quorate.loadtest.load.Load.Timing;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private static Load load(int connections, int warmUpSeconds, int seconds, int rate) {
        return new Load(
                "http://localhost",
                Requests.of(Operation.GET, "2/3", 10, 100),
                new Clients(1, connections),
                Manner.TIMED,
                new Timing(warmUpSeconds, seconds, rate));
    }

    @Test
    void eachConnectionHasItsTurnWithinOneInterval() {
        Load load = load(4, 0, 1, 1_000);
        for (int index = 0; index < 4; index++) {
            Schedule schedule = Schedule.of(index, load);
            assertThat(schedule.dueNanos(0)).isEqualTo(index * MILLI);
            assertThat(schedule.dueNanos(1)).isEqualTo((4 + index) * MILLI);
            assertThat(schedule.dueNanos(100)).isEqualTo((400 + index) * MILLI);
        }
    }

    @ParameterizedTest
    @CsvSource({"64, 2, 3, 10_000", "3, 0, 2, 7", "7, 1, 1, 333", "100, 0, 3, 10", "1, 0, 1, 1"})
    void allConnectionsTogetherSendAtTheRateOneAtATime(
            int connections, int warmUpSeconds, int seconds, String rate) {
        int perSecond = Integer.parseInt(rate.replace("_", ""));
        Load load = load(connections, warmUpSeconds, seconds, perSecond);
        TreeSet<Long> due = new TreeSet<>();
        long count = 0;
        for (int index = 0; index < connections; index++) {
            Schedule schedule = Schedule.of(index, load);
            for (long number = 0; !schedule.isOver(number, 0); number++) {
                due.add(schedule.dueNanos(number));
                count++;
            }
        }
        long expected = (long) (warmUpSeconds + seconds) * perSecond;
        assertThat(count).isEqualTo(expected);
        assertThat(due).hasSize((int) expected);
        assertThat(due.first()).isZero();
        assertThat(due.last())
                .isEqualTo(Math.round((expected - 1) * ((double) SECOND / perSecond)));
    }

    @Test
    void whatIsLateIsLateFromWhenItWasDue() {
        Schedule schedule = Schedule.of(0, load(1, 0, 1, 100));
        assertThat(schedule.latencyNanos(2, 90 * MILLI, 91 * MILLI)).isEqualTo(71 * MILLI);
    }

    @Test
    void aStallMakesEverythingLateThatBecameDueMeanwhile() {
        // The answer to the second request takes 100 ms, and all others none.
        Schedule schedule = Schedule.of(0, load(1, 0, 1, 100));
        long now = 0;
        TreeSet<Long> late = new TreeSet<>();
        for (long number = 0; !schedule.isOver(number, now); number++) {
            now = Math.max(now, Schedule.tickFrom(schedule.dueNanos(number)) * MILLI);
            long sent = now;
            now += number == 1 ? 100 * MILLI : 0;
            late.add(schedule.latencyNanos(number, sent, now) / MILLI);
        }
        assertThat(late).containsExactly(0L, 10L, 20L, 30L, 40L, 50L, 60L, 70L, 80L, 90L, 100L);
    }

    @Test
    void withoutARateEachIsDueWhenTheLastWasAnsweredAndCountsFromWhenItIsSent() {
        Schedule schedule = Schedule.of(3, load(4, 1, 2, 0));
        assertThat(schedule.dueNanos(0)).isZero();
        assertThat(schedule.dueNanos(1_000_000)).isZero();
        assertThat(schedule.latencyNanos(7, 90 * MILLI, 91 * MILLI)).isEqualTo(MILLI);
        assertThat(schedule.isOver(0, 3 * SECOND - 1)).isFalse();
        assertThat(schedule.isOver(0, 3 * SECOND)).isTrue();
    }

    @Test
    void atARateWhatWasDueBeforeTheEndIsSentWheneverThatIs() {
        Schedule schedule = Schedule.of(0, load(1, 0, 1, 100));
        assertThat(schedule.isOver(99, 5 * SECOND)).isFalse();
        assertThat(schedule.isOver(100, 0)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "1, 0, 1",
        "999_999, 0, 1",
        "1_000_000, 1, 1",
        "1_000_001, 1, 2",
        "-1, -1, 0"
    })
    void noWakeUpIsEarlyOrAMillisecondLate(String time, long at, long from) {
        long nanos = Long.parseLong(time.replace("_", ""));
        assertThat(Schedule.tickAt(nanos)).isEqualTo(at);
        assertThat(Schedule.tickFrom(nanos)).isEqualTo(from);
    }
}
